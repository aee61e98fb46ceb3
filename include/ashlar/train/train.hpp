// Training: parameters, strategies, optimizers, data.
#pragma once
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/train/batches.hpp"
#include "ashlar/train/feed.hpp"
#include "ashlar/train/history.hpp"
#include "ashlar/train/idx.hpp"
#include "ashlar/train/metrics.hpp"
#include "ashlar/train/npy.hpp"
#include "ashlar/train/npy_tensor.hpp"
#include "ashlar/train/optimizer.hpp"
#include "ashlar/train/progress.hpp"
#include "ashlar/train/strategy.hpp"
#include "ashlar/train/synthetic_digits.hpp"
