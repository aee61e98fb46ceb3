// SPDX-License-Identifier: BSL-1.0
// Tensors on real ranks, with all operations and collectives.
#pragma once
#include "ashlar/kernels/kernels.hpp"
#include "ashlar/tensor/products/products.hpp"
#include "ashlar/tensor/without_blas.hpp"
