// SPDX-License-Identifier: BSL-1.0
// Column sums and maps of an array [rows][channels], for batch normalisation.
#pragma once
#include "ashlar/kernels/elementwise.hpp"
#include "ashlar/kernels/reduce.hpp"
#include <vector>
#include <type_traits>

namespace ashlar::kernels_detail {

/// x - k and its square: the terms of moments about k. If k is far from x, the squares use up T's digits. So a few rows
/// are summed about the first of them, b, and moved to k in double:
///   `sum (x - k)^2 = sum (x - b)^2 + 2 (b - k) sum (x - b) + n (b - k)^2`.
struct moment_terms {
  static constexpr bool about_a_row = true;
  template <class T>
  KOKKOS_FUNCTION static T first(T x, T, T k) {
    return x - k;
  }
  template <class T>
  KOKKOS_FUNCTION static T second(T x, T, T k) {
    return (x - k) * (x - k);
  }
};
/// ct (x - k) and ct: the terms of the coefficients' cotangents.
struct affine_terms {
  static constexpr bool about_a_row = false;
  template <class T>
  KOKKOS_FUNCTION static T first(T x, T ct, T k) {
    return ct * (x - k);
  }
  template <class T>
  KOKKOS_FUNCTION static T second(T, T ct, T) {
    return ct;
  }
};

// On devices each sum is a reduction of its own. Terms that the host sums about a row are computed in double there.
template <class Terms, class T>
using term_type = std::conditional_t<Terms::about_a_row, double, T>;
template <class Terms>
struct first_term {
  template <class T, class V = term_type<Terms, T>>
  KOKKOS_FUNCTION double operator()(T x, T ct, T k) const {
    return static_cast<double>(Terms::first(static_cast<V>(x), static_cast<V>(ct), static_cast<V>(k)));
  }
};
template <class Terms>
struct second_term {
  template <class T, class V = term_type<Terms, T>>
  KOKKOS_FUNCTION double operator()(T x, T ct, T k) const {
    return static_cast<double>(Terms::second(static_cast<V>(x), static_cast<V>(ct), static_cast<V>(k)));
  }
};

// Adds two sums per column over rows [begin, end): in T for a few rows at a time, in double beyond. x, ct and k have
// `width` columns.
template <class Terms, class T>
void sum_columns(T const* x, T const* ct, T const* k, index_t width, index_t begin, index_t end, T* few, double* sums) {
  constexpr index_t rows_at_once = 32;
  T* const a = few;
  T* const b = few + width;
  for (index_t r = begin; r < end;) {
    index_t const stop = (std::min)(r + rows_at_once, end);
    [[maybe_unused]] auto const n = static_cast<double>(stop - r);
    T const* const about = Terms::about_a_row ? x + r * width : k;
    std::fill_n(few, 2 * width, T(0));
    for (; r + 2 <= stop; r += 2) {
      T const *const x0 = x + r * width, *const x1 = x0 + width, *const c0 = ct + r * width, *const c1 = c0 + width;
      ASHLAR_INDEPENDENT
      for (index_t j = 0; j < width; ++j) {
        a[j] += Terms::first(x0[j], c0[j], about[j]) + Terms::first(x1[j], c1[j], about[j]);
        b[j] += Terms::second(x0[j], c0[j], about[j]) + Terms::second(x1[j], c1[j], about[j]);
      }
    }
    for (; r < stop; ++r)
      for (index_t j = 0; j < width; ++j) {
        a[j] += Terms::first(x[r * width + j], ct[r * width + j], about[j]);
        b[j] += Terms::second(x[r * width + j], ct[r * width + j], about[j]);
      }
    ASHLAR_INDEPENDENT
    for (index_t j = 0; j < width; ++j) {
      auto first = static_cast<double>(a[j]), second = static_cast<double>(b[j]);
      if constexpr (Terms::about_a_row) {
        double const by = static_cast<double>(about[j]) - static_cast<double>(k[j]);
        second += by * (2 * first + n * by);
        first += n * by;
      }
      sums[j] += first;
      sums[width + j] += second;
    }
  }
}

// Joins rows of few channels: loops over a dozen columns would be mostly overhead. The remaining rows are handled one
// by one.
struct joined_rows {
  index_t channels, times, width, rows, rest;  // rest: rows outside of joined ones
  joined_rows(index_t of_rows, index_t c)
      : channels(c),
        times(std::clamp<index_t>(128 / std::max<index_t>(c, 1), 1, std::max<index_t>(of_rows, 1))),
        width(c * times),
        rows(of_rows / times),
        rest(of_rows % times) {}
};

/// Repeats the numbers of the channels for each row of a joined one.
template <class T>
std::vector<T> repeated(joined_rows const& g, T const* k) {
  std::vector<T> r(static_cast<std::size_t>(g.width));
  for (index_t t = 0; t < g.times; ++t) std::copy_n(k, g.channels, r.data() + t * g.channels);
  return r;
}

template <class Terms, class Space, class T>
void channel_sums_on_host(Space const& space, T const* x, T const* ct, index_t rows, index_t channels, T const* k,
                          double* out) {
  joined_rows const g(rows, channels);
  auto const numbers = repeated(g, k);
  // The cuts depend on the sizes alone, so that every number of threads gives the same bits.
  index_t const slices = std::clamp<index_t>(rows * channels >> 15, 1, 64);
  std::vector<double> sums(static_cast<std::size_t>(slices * 2 * g.width));
  for_ranges("ashlar::channel_sums", space, slices, 1, [&](index_t from, index_t to) {
    std::vector<T> few(static_cast<std::size_t>(2 * g.width));
    for (index_t s = from; s < to; ++s)
      sum_columns<Terms>(x, ct, numbers.data(), g.width, g.rows * s / slices, g.rows * (s + 1) / slices, few.data(),
                         sums.data() + s * 2 * g.width);
  });
  std::fill_n(out, 2 * channels, 0.);
  for (index_t s = 0; s < slices; ++s)
    for (index_t kind = 0; kind < 2; ++kind)
      for (index_t j = 0; j < g.width; ++j)
        out[kind * channels + j % channels] += sums.data()[(s * 2 + kind) * g.width + j];
  if (g.rest) {
    std::vector<T> few(static_cast<std::size_t>(2 * channels));
    index_t const done = g.rows * g.width;
    sum_columns<Terms>(x + done, ct + done, k, channels, 0, g.rest, few.data(), out);
  }
}

/// out[0][c] and out[1][c] = the sums over rows of Terms::first and Terms::second of (x, ct, k[c]). Accumulates in
/// double.
template <class Terms, class Space, class T>
void channel_sums(Space const& space, T const* x, T const* ct, index_t rows, index_t channels, T const* k,
                  double* out) {
  if constexpr (runs_in_caller<Space>) {
    channel_sums_on_host<Terms>(space, x, ct, rows, channels, k, out);
  } else {
    shape const e = shape::of(rows, channels);
    kernels::map_reduce<op::sum>(space, e, 1u, out, first_term<Terms>{}, kernels::contiguous(x, e),
                                 kernels::contiguous(ct, e), kernels::strided<T>{k, {0, 1}});
    kernels::map_reduce<op::sum>(space, e, 1u, out + channels, second_term<Terms>{}, kernels::contiguous(x, e),
                                 kernels::contiguous(ct, e), kernels::strided<T>{k, {0, 1}});
  }
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// Maps the elements x of an array [rows][channels] by a function of x and numbers of its channel: y = f(x, k...). In
/// place is allowed.
template <class Space, class T, class F, class... K>
void map_channels(Space const& space, index_t rows, index_t channels, T* y, F const& f, T const* x, K const*... k) {
  if constexpr (kernels_detail::runs_in_caller<Space>) {
    kernels_detail::joined_rows const g(rows, channels);
    auto const done = g.rows * g.width;
    [&](auto const&... numbers) {
      shape const e = shape::of(g.rows, g.width);
      map(space, e, y, f, contiguous(x, e), strided<K>{numbers.data(), {0, 1}}...);
    }(kernels_detail::repeated(g, k)...);
    shape const rest = shape::of(g.rest, channels);
    map(space, rest, y + done, f, contiguous(x + done, rest), strided<K>{k, {0, 1}}...);
  } else {
    shape const e = shape::of(rows, channels);
    map(space, e, y, f, contiguous(x, e), strided<K>{k, {0, 1}}...);
  }
}

}  // namespace ashlar::kernels
