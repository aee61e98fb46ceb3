// What the target ashlar::fft offers: Fourier transforms by FFTW.
#pragma once
#include "ashlar/tensor/fft.hpp"
