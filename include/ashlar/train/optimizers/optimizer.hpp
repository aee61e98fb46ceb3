// SPDX-License-Identifier: BSL-1.0
// Optimizers. They update each shard of a parameter in place.
#pragma once
#include "ashlar/train/accumulate.hpp"
#include "ashlar/train/optimizers/adam.hpp"
#include "ashlar/train/optimizers/clip.hpp"
#include "ashlar/train/optimizers/rmsprop.hpp"
#include "ashlar/train/optimizers/schedule.hpp"
#include "ashlar/train/optimizers/sgd.hpp"
