// SPDX-License-Identifier: BSL-1.0
// What the target ashlar::blas offers: all operations on real ranks, products and convolutions among them.
#pragma once
#include "ashlar/tensor/products/describe.hpp"
#include "ashlar/tensor/arrays/print.hpp"
#include "ashlar/tensor/run_program.hpp"
#include "ashlar/tensor/tensor.hpp"
