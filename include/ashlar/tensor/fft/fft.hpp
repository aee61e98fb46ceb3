// SPDX-License-Identifier: BSL-1.0
// Fourier transforms of tensors on real ranks. They need FFTW, or on devices cuFFT or hipFFT: link ashlar::fft. FFTW is
// under the GPL, so ashlar/ashlar.hpp does not include this header.
#pragma once
#include "ashlar/kernels/fft/dct.hpp"
#include "ashlar/kernels/fft/fft.hpp"
#include "ashlar/ops/fft/dct.hpp"
#include "ashlar/ops/fft/fft.hpp"
#include "ashlar/ops/fft/to_layout.hpp"
#include "ashlar/ops/fft/fftshift.hpp"
#include "ashlar/tensor/arrays/roll.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/fft/transform_after_step.hpp"
