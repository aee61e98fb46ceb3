// SPDX-License-Identifier: BSL-1.0
// What the target ashlar::data offers: datasets and batches.
#pragma once
#include "ashlar/data/data.hpp"
#include "ashlar/tensor/environment.hpp"
