// Operations on real tensors.
#pragma once
#include "ashlar/ops/einsum.hpp"
#include "ashlar/ops/elementwise.hpp"
#include "ashlar/ops/gather.hpp"
#include "ashlar/ops/losses.hpp"
#include "ashlar/ops/metrics.hpp"
#include "ashlar/ops/reduce.hpp"
#include "ashlar/ops/softmax.hpp"
#include "ashlar/ops/view.hpp"
#include "ashlar/plan/plan.hpp"
#include "ashlar/tensor/tensor.hpp"
