// SPDX-License-Identifier: BSL-1.0
// Fourier transforms of tensors on real ranks. They need FFTW, or on devices cuFFT or hipFFT: link ashlar::fft. FFTW is
// under the GPL, so ashlar/ashlar.hpp does not include this header.
#pragma once
#include "ashlar/kernels/dct.hpp"
#include "ashlar/kernels/fft.hpp"
#include "ashlar/kernels/fftshift.hpp"
#include "ashlar/ops/dct.hpp"
#include "ashlar/ops/fft.hpp"
#include "ashlar/ops/fft_to.hpp"
#include "ashlar/ops/fftshift.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/transform_after_step.hpp"
