// SPDX-License-Identifier: BSL-1.0
// Datasets, batches, caches, and reading ahead.
#pragma once
#include "ashlar/data/batch_stream.hpp"
#include "ashlar/data/batches.hpp"
#include "ashlar/data/cache_on_disk.hpp"
#include "ashlar/data/position.hpp"
#include "ashlar/data/rows_of.hpp"
#include "ashlar/data/tensor_batches.hpp"
