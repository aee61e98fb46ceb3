// SPDX-License-Identifier: BSL-1.0
// The kernels of all operations.
#pragma once
#include "ashlar/kernels/nn/convolution.hpp"
#include "ashlar/kernels/products/einsum.hpp"
#include "ashlar/kernels/without_blas.hpp"
