// SPDX-License-Identifier: BSL-1.0
// Everything that a user calls, except what needs HDF5, FFTW or ScaLAPACK: checkpoint.hpp, hdf5.hpp, fft.hpp,
// scalapack.hpp.
#pragma once
#include "ashlar/comm/trace.hpp"
#include "ashlar/meta/choose.hpp"
#include "ashlar/plan/draw_ledger.hpp"
#include "ashlar/plan/draw_plan.hpp"
#include "ashlar/plan/draw_svg.hpp"
#include "ashlar/plan/print.hpp"
#include "ashlar/plan/print_ledger.hpp"
#include "ashlar/plan/print_product.hpp"
#include "ashlar/tensor/products/describe.hpp"
#include "ashlar/tensor/arrays/print.hpp"
#include "ashlar/tensor/run_program.hpp"
#include "ashlar/train/print.hpp"
#include "ashlar/train/train.hpp"
