// SPDX-License-Identifier: BSL-1.0
// What the target ashlar::layout offers: layouts, plans, operations and derivatives of dry runs; no MPI, no Kokkos.
#pragma once
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/meta/choose.hpp"
#include "ashlar/meta/meta.hpp"
#include "ashlar/ops/fft/dct.hpp"
#include "ashlar/ops/fft/fft.hpp"
#include "ashlar/ops/fft/to_layout.hpp"
#include "ashlar/ops/fft/fftshift.hpp"
#include "ashlar/ops/ops.hpp"
#include "ashlar/plan/draw_ledger.hpp"
#include "ashlar/plan/draw_plan.hpp"
#include "ashlar/plan/draw_svg.hpp"
#include "ashlar/plan/parse.hpp"
#include "ashlar/plan/print.hpp"
#include "ashlar/plan/print_ledger.hpp"
#include "ashlar/plan/print_product.hpp"
