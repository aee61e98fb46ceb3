// SPDX-License-Identifier: BSL-1.0
// What the target ashlar::io offers: files in the formats npy and IDX.
#pragma once
#include "ashlar/io/io.hpp"
#include "ashlar/tensor/environment.hpp"
