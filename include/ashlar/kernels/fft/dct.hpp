// SPDX-License-Identifier: BSL-1.0
// Cosine and sine transforms of one rank's array: by FFTW in host memory, by a Fourier transform of about twice the
// length in a device's.
#pragma once
#include "ashlar/kernels/fft/fft.hpp"
#include "ashlar/ops/fft/dct.hpp"
#include <numbers>
#include <utility>

namespace ashlar::kernels_detail {

/// The code of a transform in transform_name.
constexpr int real_kind(ops_detail::wave w, int type) { return (w == ops_detail::wave::cosine ? 0 : 4) + type - 1; }

/// The transpose of a transform is a transform between two diagonal matrices. This is the factor of element k: 1 except
/// at the ends of a line.
template <class Op>
constexpr double transpose_factor(bool before, index_t k, index_t n) {
  if (!Op::transposed || Op::type == 4) return 1;
  bool const cosine = Op::family == ops_detail::wave::cosine;
  if (Op::type == 1) return cosine && (k == 0 || k == n - 1) ? (before ? 2 : 0.5) : 1;
  bool const at_end = k == (cosine ? 0 : n - 1);
  if (before) return Op::type == 2 && at_end ? 2 : 1;
  return Op::type == 3 && at_end ? 0.5 : 1;
}

/// A transform as a matrix. Its element in row k and column j is
///   weight(j) wave(2 pi (j + a) (k + b) / period).
/// The transpose has a and b exchanged, and weight(k). Element k of the result is the real part of
///   exp(-2 pi i (k + b) a / period) sum over j of exp(-2 pi i j k / period) exp(-2 pi i j b / period) weight(j) x_j
/// for cosines, and -1 times the imaginary part for sines.
struct wave_matrix {
  index_t n, period, twice_a, twice_b;
  bool cosine, single_first, single_last, transposed;

  wave_matrix(ops_detail::wave w, int wave_type, bool is_transposed, index_t elements)
      : n(elements),
        cosine(w == ops_detail::wave::cosine),
        single_first(cosine && (wave_type == 1 || wave_type == 3)),
        single_last(cosine ? wave_type == 1 : wave_type == 3),
        transposed(is_transposed) {
    index_t const end = cosine ? 0 : 2;
    period = 2 * (wave_type != 1 ? n : cosine ? n - 1 : n + 1);
    twice_a = wave_type == 1 || wave_type == 3 ? end : 1;
    twice_b = wave_type == 1 || wave_type == 2 ? end : 1;
    if (transposed) std::swap(twice_a, twice_b);
  }
  KOKKOS_FUNCTION double weight(index_t k) const {
    return (k == 0 && single_first) || (k == n - 1 && single_last) ? 1 : 2;
  }
};
/// Element j of the sum.
template <class R>
struct wave_operand {
  wave_matrix m;
  KOKKOS_FUNCTION Kokkos::complex<R> operator()(R x, index_t j) const {
    constexpr double pi = std::numbers::pi;
    double const angle = -pi * static_cast<double>(j * m.twice_b) / static_cast<double>(m.period);
    double const y = (m.transposed ? 1 : m.weight(j)) * static_cast<double>(x);
    return {static_cast<R>(y * Kokkos::cos(angle)), static_cast<R>(y * Kokkos::sin(angle))};
  }
};
/// Element k of the result, times a factor.
template <class R>
struct wave_result {
  wave_matrix m;
  double factor;
  KOKKOS_FUNCTION R operator()(Kokkos::complex<R> const& z, index_t k) const {
    constexpr double pi = std::numbers::pi;
    double const angle =
        -pi * static_cast<double>((2 * k + m.twice_b) * m.twice_a) / (2 * static_cast<double>(m.period));
    double const c = Kokkos::cos(angle), s = Kokkos::sin(angle), x = z.real(), y = z.imag();
    return static_cast<R>((m.transposed ? factor * m.weight(k) : factor) * (m.cosine ? c * x - s * y : -c * y - s * x));
  }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <int Dim, ops_detail::wave W, int Type, bool Transposed, class S, class T>
void run(ops_detail::dct_op<Dim, W, Type, Transposed> const& op, S const& space, scratch_memory scratch,
         shard<T> const& y, shard<T const> const& x) {
  using namespace kernels_detail;
  using Op = ops_detail::dct_op<Dim, W, Type, Transposed>;
  using R = ops_detail::component_t<T>;
  auto l = lines_along(Dim, x.local_extents(), y.local_extents());
  l.inner *= static_cast<index_t>(sizeof(T) / sizeof(R));  // both parts of complex numbers
  R const* const in = numbers_of(without_const(x.data));
  R* const out = numbers_of(y.data);
  index_t const n = l.n;
  if constexpr (has_device_transforms<S>) {
    wave_matrix const m(W, Type, Transposed, n);
    transform_padded_lines_on_device<Kokkos::complex<R>>(space, scratch, m.period, l, in, out, wave_operand<R>{m},
                                                         wave_result<R>{m, op.factor});
  } else {
    constexpr transform_name name{transform_kind::real_to_real,
                                  real_kind(W, Transposed ? ops_detail::inverse_type(Type) : Type)};
    auto const after = [n, factor = op.factor](R r, index_t k) {
      return r * static_cast<R>(factor * transpose_factor<Op>(false, k, n));
    };
    if constexpr (Transposed)
      transform_lines<R>(
          space, scratch, name, l, in, out,
          [n](R r, index_t k) { return r * static_cast<R>(transpose_factor<Op>(true, k, n)); }, after);
    else if (op.factor == 1)
      transform_lines<R>(space, scratch, name, l, in, out, unchanged{}, unchanged{});
    else
      transform_lines<R>(space, scratch, name, l, in, out, unchanged{}, after);
  }
}

}  // namespace ashlar::kernels
