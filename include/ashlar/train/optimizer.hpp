// SPDX-License-Identifier: BSL-1.0
// Optimizers. They update each shard of a parameter in place.
#pragma once
#include "ashlar/train/accumulate.hpp"
#include "ashlar/train/adam.hpp"
#include "ashlar/train/clip.hpp"
#include "ashlar/train/rmsprop.hpp"
#include "ashlar/train/schedule.hpp"
#include "ashlar/train/sgd.hpp"
