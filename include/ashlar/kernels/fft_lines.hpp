// The lines that a Fourier transform takes, and the changes of their elements before and after it.
#pragma once
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/kernels/lines.hpp"
#include "ashlar/ops/fft.hpp"
#include <algorithm>
#include <type_traits>

namespace ashlar::kernels_detail {

/// Lines of n elements along a dimension of row-major arrays [outer][n][inner]. The operand has n_in elements per line,
/// the result n_out.
struct transformed_lines {
  index_t outer, n, n_in, n_out, inner;
};
inline transformed_lines lines_along(int dim, shape const& in, shape const& out) {
  lines_of const l(in, dim);
  return {l.outer, std::max(l.n, out[dim]), l.n, out[dim], l.inner};
}

enum class transform_kind { forward, backward, real_to_complex, complex_to_real, real_to_real };

/// A kind of transform. `real` is the code of a cosine or sine transform (kernels/dct.hpp).
struct transform_name {
  transform_kind kind;
  int real = 0;
};

template <class R>
R* numbers_of(R* x) {
  return x;
}
template <class R>
R* numbers_of(Kokkos::complex<R>* x) {
  return reinterpret_cast<R*>(x);
}
template <class T>
T* without_const(T const* x) {
  return const_cast<T*>(x);  // for libraries that preserve the operand
}

/// True for the coefficients of n real numbers that are their own conjugates.
ASHLAR_FUNCTION constexpr bool is_own_conjugate(index_t k, index_t n) { return k == 0 || 2 * k == n; }

// Changes of element k of a line.

/// Changes nothing.
struct unchanged {
  template <class T>
  KOKKOS_FUNCTION T operator()(T const& x, index_t) const {
    return x;
  }
};
template <class C>
struct real_as_complex {
  template <class R>
  KOKKOS_FUNCTION C operator()(R r, index_t) const {
    return C(r, R(0));
  }
};
template <class R>
struct times_factor {
  R factor;
  KOKKOS_FUNCTION R operator()(R r, index_t) const { return r * factor; }
  template <class C>
  KOKKOS_FUNCTION C operator()(C c, index_t) const {
    return C(c.real() * factor, c.imag() * factor);
  }
};
/// The conjugate times a factor, which differs for coefficients that are their own conjugates.
template <class R>
struct conjugate_times {
  index_t n;
  R own, other;
  template <class C>
  KOKKOS_FUNCTION C operator()(C c, index_t k) const {
    R const factor = is_own_conjugate(k, n) ? own : other;
    return C(c.real() * factor, -c.imag() * factor);
  }
};

}  // namespace ashlar::kernels_detail
