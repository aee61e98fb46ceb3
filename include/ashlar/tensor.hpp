// SPDX-License-Identifier: BSL-1.0
// What the target ashlar::tensor offers: tensors on real ranks, stencils and collectives; no BLAS.
#pragma once
#include "ashlar/tensor/arrays/print.hpp"
#include "ashlar/tensor/run_program.hpp"
#include "ashlar/tensor/without_blas.hpp"
