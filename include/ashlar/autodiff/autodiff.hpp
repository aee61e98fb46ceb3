// SPDX-License-Identifier: BSL-1.0
// Umbrella header: reverse-mode differentiation.
#pragma once
#include "ashlar/autodiff/arrays.hpp"
#include "ashlar/autodiff/remat.hpp"
#include "ashlar/autodiff/stencil.hpp"
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/autodiff/vjp.hpp"
#include "ashlar/ops/ops.hpp"
