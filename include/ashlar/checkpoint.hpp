// SPDX-License-Identifier: BSL-1.0
// What the target ashlar::checkpoint offers: checkpoints in HDF5 files.
#pragma once
#include "ashlar/checkpoint/arrays.hpp"
#include "ashlar/checkpoint/checkpoint.hpp"
#include "ashlar/checkpoint/checkpoints.hpp"
#include "ashlar/checkpoint/run_checkpoints.hpp"
#include "ashlar/tensor/environment.hpp"
