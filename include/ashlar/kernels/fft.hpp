// Discrete Fourier transforms of one rank's array, by FFTW.
#pragma once
#include "ashlar/kernels/fftw.hpp"
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/fft.hpp"

namespace ashlar::kernels_detail {

/// Lines of n elements along a dimension of row-major arrays [outer][n][inner]. The operand has n_in elements per line,
/// the result n_out.
struct transformed_lines {
  index_t outer, n, n_in, n_out, inner;
};
inline transformed_lines lines_along(int dim, shape const& in, shape const& out) {
  transformed_lines l{1, std::max(in[dim], out[dim]), in[dim], out[dim], in.stride(dim)};
  for (int d = 0; d < dim; ++d) l.outer *= in[d];
  return l;
}

/// Bytes of the lines that are transformed at a time, so that work on the result finds them in the cache.
inline constexpr index_t transformed_bytes = 1 << 18;

/// A division of lines into equal tasks: so many outer and inner indices each, except the last.
struct line_tasks {
  index_t outer, inner, outer_tasks, inner_tasks;
  line_tasks(transformed_lines const& l, index_t bytes, index_t threads) : outer(1), inner(l.inner) {
    index_t const group = std::max<index_t>(l.n * bytes * l.inner, 1), most = transformed_bytes;
    if (group <= most)
      outer = std::max<index_t>(std::min(most / group, (l.outer + threads - 1) / threads), 1);
    else
      inner = std::clamp<index_t>(most / (l.n * bytes), std::min<index_t>(16, l.inner), l.inner);
    outer_tasks = (l.outer + outer - 1) / outer;
    inner_tasks = (l.inner + inner - 1) / inner;
  }
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
inline constexpr index_t numbers_per_element = static_cast<index_t>(sizeof(T) / sizeof(ops_detail::component_t<T>));

/// Transforms lines by FFTW. Calls after(y, outer, inner) for the lines of each task: elements of outer groups of n_out
/// rows of `inner` elements, of which y is the first.
/// Pre: runs_in_caller<Space>. A transform from complex to real numbers destroys `in`.
template <class Space, class In, class Out, class After>
void transform_lines(Space const& space, transform_kind kind, int real_kind, transformed_lines const& l, In* in,
                     Out* out, After const& after) {
  using R = ops_detail::component_t<Out>;
  static_assert(std::is_same_v<R, ops_detail::component_t<In>>);
  if (l.outer == 0 || l.n == 0 || l.inner == 0) return;
  constexpr index_t per_in = numbers_per_element<In>, per_out = numbers_per_element<Out>;
  R* const x = numbers_of(in);
  R* const y = numbers_of(out);
  line_tasks const cut(l, static_cast<index_t>(sizeof(Out)), space.concurrency());
  auto const at_aligned = [](R* start, index_t outer_step, index_t inner_step) {
    auto const is = [](R* p) { return fftw<R>::alignment(p) == 0; };
    return is(start) && is(start + outer_step) && is(start + inner_step);
  };
  index_t const in_outer = cut.outer * l.n_in * l.inner, out_outer = cut.outer * l.n_out * l.inner;
  bool const aligned =
      at_aligned(x, cut.outer_tasks > 1 ? in_outer * per_in : 0, cut.inner_tasks > 1 ? cut.inner * per_in : 0) &&
      at_aligned(y, cut.outer_tasks > 1 ? out_outer * per_out : 0, cut.inner_tasks > 1 ? cut.inner * per_out : 0);
  using plans = transform_plans<R>;
  typename plans::plan plan[2][2];  // whole tasks, and the last ones
  index_t const last_outer = l.outer - (cut.outer_tasks - 1) * cut.outer;
  index_t const last_inner = l.inner - (cut.inner_tasks - 1) * cut.inner;
  auto const find = [&](index_t outer, index_t inner) {
    line_transform const t{kind,  real_kind, l.n,     l.inner,         outer, l.n_in * l.inner, l.n_out * l.inner,
                           inner, x == y,    aligned, effort_of_ffts()};
    auto const size = [&](index_t n, index_t per) { return ((outer * n - 1) * l.inner + inner) * per; };
    return plans::of_program().find(t, x, y, size(l.n_in, per_in), size(l.n_out, per_out));
  };
  for (int o = 0; o < 2; ++o)
    for (int i = 0; i < 2; ++i)
      if ((o == 1 || cut.outer_tasks > 1) && (i == 1 || cut.inner_tasks > 1))
        plan[o][i] = find(o ? last_outer : cut.outer, i ? last_inner : cut.inner);
  for_ranges("ashlar::fft", space, cut.outer_tasks * cut.inner_tasks, 1, [&](index_t begin, index_t end) {
    for (index_t t = begin; t < end; ++t) {
      index_t const o = t / cut.inner_tasks, i = t % cut.inner_tasks;
      bool const o_last = o + 1 == cut.outer_tasks, i_last = i + 1 == cut.inner_tasks;
      index_t const from = o * in_outer + i * cut.inner, to = o * out_outer + i * cut.inner;
      (*plan[o_last][i_last])(x + from * per_in, y + to * per_out);
      after(out + to, o_last ? last_outer : cut.outer, i_last ? last_inner : cut.inner);
    }
  });
}

struct nothing_after_transform {
  template <class T>
  void operator()(T*, index_t, index_t) const {}
};

/// Calls f(element, position on its line) for lines of n elements in `outer` groups of `inner` lines.
template <class T, class F>
void for_elements_of_lines(T* y, index_t outer, index_t n, index_t step, index_t inner, F const& f) {
  if (inner == step) {  // neighbouring rows
    for (index_t row = 0; row < outer * n; ++row, y += step) {
      ASHLAR_INDEPENDENT for (index_t i = 0; i < inner; ++i) f(y[i], row % n);
    }
  } else {
    for (index_t row = 0; row < outer * n; ++row) {
      T* const start = y + row * step;
      ASHLAR_INDEPENDENT for (index_t i = 0; i < inner; ++i) f(start[i], row % n);
    }
  }
}

/// Calls f(y, x, position) for each element of an array [outer][n][inner] and the same of another.
template <class Space, class T, class U, class F>
void for_pairs_on_lines(Space const& space, index_t rows, index_t n, index_t inner, T* y, U const* x, F const& f) {
  index_t const grain = std::max<index_t>(elements_per_thread / std::max<index_t>(inner, 1), 1);
  for_ranges("ashlar::fft", space, rows, grain, [&](index_t begin, index_t end) {
    for (index_t row = begin; row < end; ++row)
      ASHLAR_INDEPENDENT for (index_t i = row * inner; i < (row + 1) * inner; ++i) f(y[i], x[i], row % n);
  });
}

/// True for the coefficients of n real numbers that are their own conjugates.
constexpr bool is_own_conjugate(index_t k, index_t n) { return k == 0 || 2 * k == n; }

template <class Space>
struct transform_on_a_device {
  static constexpr bool value = !runs_in_caller<Space>;
};

template <class Space>
constexpr void require_host() {
  static_assert(!transform_on_a_device<Space>::value,
                "ashlar::fft: FFTW transforms arrays in host memory; make the tensors on a mesh of a host space");
}

template <class R>
Kokkos::complex<R>* without_const(Kokkos::complex<R> const* x) {
  return const_cast<Kokkos::complex<R>*>(x);  // FFTW preserves this operand
}
template <class R>
R* without_const(R const* x) {
  return const_cast<R*>(x);
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <int Dim, ops_detail::direction D, class S, class C, class T>
void run(ops_detail::fft_op<Dim, D> const&, S const& space, scratch_memory, shard<C> const& y,
         shard<T const> const& x) {
  using namespace kernels_detail;
  require_host<S>();
  if constexpr (runs_in_caller<S>) {
    using R = ops_detail::component_t<C>;
    constexpr bool forward = D == ops_detail::direction::forward;
    constexpr auto kind = forward ? transform_kind::forward : transform_kind::backward;
    auto const l = lines_along(Dim, x.local_extents(), y.local_extents());
    C* in = y.data;
    if constexpr (std::is_same_v<C, T>)
      in = without_const(x.data);
    else
      for_pairs_on_lines(space, l.outer * l.n, l.n, l.inner, y.data, x.data,
                         [](C& c, T r, index_t) { c = C(r, R(0)); });
    if constexpr (forward) {
      transform_lines(space, kind, 0, l, in, y.data, nothing_after_transform{});
    } else {
      R const factor = R(1) / static_cast<R>(l.n);
      transform_lines(space, kind, 0, l, in, y.data, [&](C* first, index_t outer, index_t inner) {
        for_elements_of_lines(first, outer, l.n_out, l.inner, inner, [factor](C& c, index_t) { c *= factor; });
      });
    }
  }
}

template <int Dim, class S, class C, class T>
void run(ops_detail::rfft_op<Dim> const&, S const& space, scratch_memory, shard<C> const& y, shard<T const> const& x) {
  using namespace kernels_detail;
  require_host<S>();
  if constexpr (runs_in_caller<S>)
    transform_lines(space, transform_kind::real_to_complex, 0, lines_along(Dim, x.local_extents(), y.local_extents()),
                    without_const(x.data), y.data, nothing_after_transform{});
}

template <int Dim, class S, class C, class T>
void run(ops_detail::inverse_rfft_transpose_op<Dim> const&, S const& space, scratch_memory, shard<C> const& y,
         shard<T const> const& x) {
  using namespace kernels_detail;
  require_host<S>();
  if constexpr (runs_in_caller<S>) {
    auto const l = lines_along(Dim, x.local_extents(), y.local_extents());
    T const once = T(1) / static_cast<T>(l.n);
    transform_lines(space, transform_kind::real_to_complex, 0, l, without_const(x.data), y.data,
                    [&](C* first, index_t outer, index_t inner) {
                      for_elements_of_lines(first, outer, l.n_out, l.inner, inner, [&l, once](C& c, index_t k) {
                        T const factor = is_own_conjugate(k, l.n) ? once : 2 * once;
                        c = C(c.real() * factor, -c.imag() * factor);
                      });
                    });
  }
}

template <int Dim, class S, class T, class C>
void run(ops_detail::inverse_rfft_op<Dim> const&, S const& space, scratch_memory scratch, shard<T> const& y,
         shard<C const> const& x) {
  using namespace kernels_detail;
  require_host<S>();
  if constexpr (runs_in_caller<S>) {
    auto const l = lines_along(Dim, x.local_extents(), y.local_extents());
    auto const coefficients = scratch.array<C>(x.local_size());
    for_pairs_on_lines(space, l.outer * l.n_in, l.n_in, l.inner, coefficients.data(), x.data,
                       [](C& c, C const& given, index_t) { c = given; });
    T const factor = T(1) / static_cast<T>(l.n);
    transform_lines(space, transform_kind::complex_to_real, 0, l, coefficients.data(), y.data,
                    [&](T* first, index_t outer, index_t inner) {
                      for_elements_of_lines(first, outer, l.n_out, l.inner, inner,
                                            [factor](T& r, index_t) { r *= factor; });
                    });
  }
}

template <int Dim, class S, class T, class C>
void run(ops_detail::rfft_transpose_op<Dim> const&, S const& space, scratch_memory scratch, shard<T> const& y,
         shard<C const> const& x) {
  using namespace kernels_detail;
  require_host<S>();
  if constexpr (runs_in_caller<S>) {
    auto const l = lines_along(Dim, x.local_extents(), y.local_extents());
    auto const coefficients = scratch.array<C>(x.local_size());
    for_pairs_on_lines(space, l.outer * l.n_in, l.n_in, l.inner, coefficients.data(), x.data,
                       [n = y.local_extents()[Dim]](C& c, C const& given, index_t k) {
                         T const factor = is_own_conjugate(k, n) ? T(1) : T(0.5);
                         c = C(given.real() * factor, -given.imag() * factor);
                       });
    transform_lines(space, transform_kind::complex_to_real, 0, l, coefficients.data(), y.data,
                    nothing_after_transform{});
  }
}

}  // namespace ashlar::kernels
