// SPDX-License-Identifier: BSL-1.0
// What the target ashlar::train offers: training: parameters, strategies, optimizers.
#pragma once
#include "ashlar/train/print.hpp"
#include "ashlar/train/train.hpp"
