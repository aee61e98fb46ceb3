// SPDX-License-Identifier: BSL-1.0
// What the target ashlar::fft offers: Fourier transforms, by FFTW in host memory and by cuFFT or hipFFT on devices.
#pragma once
#include "ashlar/tensor/environment.hpp"
#include "ashlar/tensor/fft/fft.hpp"
