// SPDX-License-Identifier: BSL-1.0
// How long FFTW looks for a fast algorithm.
#pragma once
#include <atomic>

namespace ashlar::transforms {

/// The effort of FFTW before the first transform of a shape. More effort makes transforms faster. `estimate` measures
/// nothing. With the others, two runs or two ranks may choose different algorithms, so their results may differ by
/// rounding. Transforms on devices have no such choice.
enum class fft_effort { estimate, measure, patient };

}  // namespace ashlar::transforms

namespace ashlar::kernels_detail {

inline std::atomic<fft_effort>& effort_of_ffts() {
  static std::atomic<fft_effort> effort{fft_effort::estimate};
  return effort;
}

}  // namespace ashlar::kernels_detail

namespace ashlar::transforms {

/// Sets the effort for transforms of shapes that follow. Shapes that were transformed with another effort are planned
/// again.
/// Cost: with `measure` the first transform of a shape takes seconds, and memory for a second operand and result.
/// Example: transforms::set_fft_effort(fft_effort::measure)
inline void set_fft_effort(fft_effort effort) { kernels_detail::effort_of_ffts() = effort; }

}  // namespace ashlar::transforms
