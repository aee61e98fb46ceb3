// SPDX-License-Identifier: BSL-1.0
// The lines that a Fourier transform takes, and the changes of their elements before and after it.
#pragma once
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/loop_nest.hpp"
#include "ashlar/ops/fft/fft.hpp"
#include <algorithm>
#include <type_traits>
#include <vector>

namespace ashlar::kernels_detail {

/// Lines of n elements along a dimension of row-major arrays [outer][n][inner]. The operand has n_in elements per line,
/// the result n_out.
struct transformed_lines {
  index_t outer, n, n_in, n_out, inner;
};
inline transformed_lines lines_along(int dim, shape const& in, shape const& out) {
  lines_of const l(in, dim);
  return {l.outer, (std::max)(l.n, out[dim]), l.n, out[dim], l.inner};
}

enum class transform_kind { forward, backward, real_to_complex, complex_to_real, real_to_real };

/// A kind of transform. `real` is the code of a cosine or sine transform (kernels/fft/dct.hpp).
struct transform_name {
  transform_kind kind;
  int real = 0;
};

/// The function or value of a library for real numbers R: double or float.
template <class R, class D, class F>
constexpr auto of_precision(D of_double, F of_float) {
  if constexpr (std::is_same_v<R, double>)
    return of_double;
  else
    return of_float;
}

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

/// Copies `outer` groups of n rows of `width` elements, and maps element k of a line by f.
template <class F, class T, class B>
void copy_lines(F const& f, index_t outer, index_t n, index_t width, T const* from, index_t from_step, B* to,
                index_t to_step) {
  for (index_t row = 0; row < outer * n; ++row, from += from_step, to += to_step) {
    [[maybe_unused]] index_t const k = row % n;
    if constexpr (std::is_same_v<F, unchanged> && std::is_same_v<T, B>)
      std::copy_n(from, width, to);
    else
      ASHLAR_INDEPENDENT for (index_t i = 0; i < width; ++i) to[i] = f(from[i], k);
  }
}

/// A part of each line of an array [outer][n][inner]: elements first, first + 1, ... of the line. They are in an array of
/// some rank, `step` apart. `across` gives the place of the first of them, line by line.
struct part_of_lines {
  int rank;
  index_t first, count, step;
  loop_nest<1> across;
};

/// An operand whose lines are in its own array [outer][n][inner].
template <class T>
struct lines_of_array {
  using element_type = T;
  T const* data;
  T const* begin_of(index_t outer, transformed_lines const& l) const { return data + outer * l.n_in * l.inner; }
  /// Copies all lines of `count` outer indices, to an array of the same kind.
  template <class F, class B>
  void copy_outer(transformed_lines const& l, index_t outer, index_t count, F const& f, B* to) const {
    copy_lines(f, count, l.n_in, l.inner, begin_of(outer, l), l.inner, to, l.inner);
  }
  /// Copies `width` neighbouring lines of one outer index, to an array [n][width].
  template <class F, class B>
  void copy_columns(transformed_lines const& l, index_t outer, index_t column, index_t width, F const& f, B* to) const {
    copy_lines(f, 1, l.n_in, width, begin_of(outer, l) + column, l.inner, to, width);
  }
};

/// An operand of which ranks have parts of each line. `data[i]` is the array of parts[i].
template <class T>
struct lines_in_parts {
  using element_type = T;
  std::vector<part_of_lines> parts;
  std::vector<T const*> data;

  template <class F, class B>
  void copy_outer(transformed_lines const& l, index_t outer, index_t count, F const& f, B* to) const {
    if (l.inner == 1) return copy(outer, outer + count, f, to, 1, l.n_in);
    for (index_t i = 0; i < count; ++i, to += l.n_in * l.inner) copy_columns(l, outer + i, 0, l.inner, f, to);
  }
  template <class F, class B>
  void copy_columns(transformed_lines const& l, index_t outer, index_t column, index_t width, F const& f, B* to) const {
    index_t const line = outer * l.inner + column;
    copy(line, line + width, f, to, width, 1);
  }

 private:
  // Copies lines [begin, end). In the buffer elements are to_element apart, and lines to_line. One of these is 1.
  template <class F, class B>
  void copy(index_t begin, index_t end, F const& f, B* to, index_t to_element, index_t to_line) const {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      part_of_lines const& p = parts[i];
      index_t const row = p.across.row_stride(0), next_line = p.across.step(0);
      B* line = to + p.first * to_element;
      for_each_rectangle(p.across, begin, end, [&](index_t const(&offset)[1], index_t rows, index_t length) {
        T const* from = data[i] + offset[0];
        for (index_t r = 0; r < rows; ++r, from += row, line += length * to_line) {
          if (to_line == 1)
            copy_rows_of_lines(f, p, p.count, length, from, p.step, next_line, line, to_element, 1);
          else
            copy_rows_of_lines(f, p, length, p.count, from, next_line, p.step, line, to_line, 0);
        }
      });
    }
  }
  // Copies an array of rows. Element k of a line is in row k if along_rows is 1, otherwise in column k.
  template <class F, class B>
  static void copy_rows_of_lines(F const& f, part_of_lines const& p, index_t rows, index_t columns, T const* from,
                                 index_t from_row, index_t from_column, B* to, index_t to_row, int along_rows) {
    for (index_t r = 0; r < rows; ++r, from += from_row, to += to_row) {
      if (std::is_same_v<F, unchanged> && std::is_same_v<T, B> && from_column == 1) {
        std::copy_n(from, columns, to);
      } else {
        ASHLAR_INDEPENDENT for (index_t c = 0; c < columns; ++c) to[c] =
            f(from[c * from_column], p.first + (along_rows ? r : c));
      }
    }
  }
};

}  // namespace ashlar::kernels_detail
