// Discrete Fourier transforms of one rank's array, by FFTW.
#pragma once
#include "ashlar/kernels/fftw.hpp"
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/kernels/lines.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/fft.hpp"

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

/// Bytes of the lines that are transformed at a time, so that they stay in the cache.
inline constexpr index_t transformed_bytes = 1 << 16;

/// Neighbouring lines that are transformed at a time, if they are far apart in memory: at least a cache line of them.
constexpr index_t columns_at_a_time(index_t n, index_t bytes) {
  return std::clamp<index_t>(transformed_bytes / (n * bytes), 64 / bytes, 1024 / bytes);
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
  return const_cast<T*>(x);  // for FFTW, which preserves the operand
}

/// A change of the elements of lines, before or after the transform, that changes nothing.
struct unchanged {
  template <class T>
  T operator()(T const& x, index_t) const {
    return x;
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

/// A kind of transform; `real` is a fftw_r2r_kind.
struct transform_name {
  transform_kind kind;
  int real = 0;
};

/// The transform of lines by FFTW. Element k of an operand's line is before(x, k), of type B. Element k of a result's
/// line is after(y, k). Lines whose elements are near each other are transformed where they are.
/// Other lines go through buffers, some neighbouring lines at a time.
template <class B, class In, class Out, class Before, class After>
class line_transformer {
  using R = ops_detail::component_t<Out>;

 public:
  line_transformer(transform_name name, transformed_lines const& l, kernels::scratch_memory scratch, In const* in,
                   Out* out, Before const& before, After const& after)
      : name_(name), l_(l), scratch_(scratch), in_(in), out_(out), before_(before), after_(after) {}

  template <class Space>
  void operator()(Space const& space) const {
    if (l_.outer == 0 || l_.n == 0 || l_.inner == 0) return;
    constexpr auto bytes = static_cast<index_t>(std::max(sizeof(B), sizeof(Out)));
    index_t const columns = columns_at_a_time(l_.n, bytes), threads = space.concurrency();
    if (l_.inner <= columns) {
      index_t const groups =
          std::clamp<index_t>(transformed_bytes / (l_.n * l_.inner * bytes), 1, (l_.outer + threads - 1) / threads);
      for_ranges("ashlar::fft", space, (l_.outer + groups - 1) / groups, 1,
                 [&](index_t begin, index_t end) { near_lines(groups, begin, end); });
    } else {
      for_ranges("ashlar::fft", space, l_.outer * ((l_.inner + columns - 1) / columns), 1,
                 [&](index_t begin, index_t end) { distant_lines(columns, begin, end); });
    }
  }

 private:
  static constexpr bool reads_operand = std::is_same_v<B, In> && std::is_same_v<Before, unchanged>;
  static constexpr bool writes_result = std::is_same_v<After, unchanged>;

  // Tasks of `groups` outer indices each.
  void near_lines(index_t groups, index_t begin, index_t end) const {
    index_t const from = l_.n_in * l_.inner, to = l_.n_out * l_.inner;
    bool const copies = !reads_operand || name_.kind == transform_kind::complex_to_real;
    auto const buffer = scratch_.array<B>(copies ? groups * from : 0);
    typename transform_plans<R>::plan plan;
    for (index_t t = begin, planned = 0; t < end; ++t) {
      index_t const first = t * groups, count = std::min(groups, l_.outer - first);
      In const* const x = in_ + first * from;
      Out* const y = out_ + first * to;
      B* operand = buffer.data();
      if (copies)
        copy_lines(before_, count, l_.n_in, l_.inner, x, l_.inner, operand, l_.inner);
      else if constexpr (reads_operand)
        operand = without_const(x);
      bool const aligned = is_aligned(operand) && is_aligned(y);
      if (index_t const wanted = 2 * count + aligned; planned != wanted) {
        plan = find(operand, y, {name_.kind, name_.real, l_.n, l_.inner, count, from, to, l_.inner, aligned, {}});
        planned = wanted;
      }
      (*plan)(numbers_of(operand), numbers_of(y));
      if constexpr (!writes_result) copy_lines(after_, count, l_.n_out, l_.inner, y, l_.inner, y, l_.inner);
    }
  }
  // Tasks of `columns` inner indices of one outer index each.
  void distant_lines(index_t columns, index_t begin, index_t end) const {
    index_t const blocks = (l_.inner + columns - 1) / columns;
    auto const operand = scratch_.array<B>(columns * l_.n_in);
    auto const result = scratch_.array<Out>(columns * l_.n_out);
    bool const aligned = is_aligned(operand.data()) && is_aligned(result.data());
    typename transform_plans<R>::plan plan;
    for (index_t t = begin, planned = 0; t < end; ++t) {
      index_t const o = t / blocks, first = t % blocks * columns, width = std::min(columns, l_.inner - first);
      copy_lines(before_, 1, l_.n_in, width, in_ + o * l_.n_in * l_.inner + first, l_.inner, operand.data(), width);
      if (planned != width) {
        plan = find(operand.data(), result.data(), {name_.kind, name_.real, l_.n, width, 1, 0, 0, width, aligned, {}});
        planned = width;
      }
      (*plan)(numbers_of(operand.data()), numbers_of(result.data()));
      copy_lines(after_, 1, l_.n_out, width, result.data(), width, out_ + o * l_.n_out * l_.inner + first, l_.inner);
    }
  }
  template <class T>
  static bool is_aligned(T* x) {
    return fftw<R>::alignment(numbers_of(x)) == 0;
  }
  auto find(B* operand, Out* result, line_transform t) const {
    t.effort = effort_of_ffts();
    constexpr auto per_in = static_cast<index_t>(sizeof(B) / sizeof(R)),
                   per_out = static_cast<index_t>(sizeof(Out) / sizeof(R));
    index_t const lines = t.outer * t.inner;
    return transform_plans<R>::of_program().find(t, numbers_of(operand), numbers_of(result), lines * l_.n_in * per_in,
                                                 lines * l_.n_out * per_out);
  }

  transform_name name_;
  transformed_lines l_;
  kernels::scratch_memory scratch_;
  In const* in_;
  Out* out_;
  Before const& before_;
  After const& after_;
};

template <class Space>
struct transform_on_a_device {
  static constexpr bool value = !runs_in_caller<Space>;
};

/// Transforms lines. B is the type of the elements that the transform reads, which before(x, k) gives.
template <class B, class Space, class In, class Out, class Before, class After>
void transform_lines(Space const& space, kernels::scratch_memory scratch, transform_name name,
                     transformed_lines const& l, In const* in, Out* out, Before const& before, After const& after) {
  static_assert(!transform_on_a_device<Space>::value,
                "ashlar::fft: FFTW transforms arrays in host memory; make the tensors on a mesh of a host space");
  if constexpr (runs_in_caller<Space>)
    line_transformer<B, In, Out, Before, After>(name, l, scratch, in, out, before, after)(space);
}

/// True for the coefficients of n real numbers that are their own conjugates.
constexpr bool is_own_conjugate(index_t k, index_t n) { return k == 0 || 2 * k == n; }

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <int Dim, ops_detail::direction D, class S, class C, class T>
void run(ops_detail::fft_op<Dim, D> const&, S const& space, scratch_memory scratch, shard<C> const& y,
         shard<T const> const& x) {
  using namespace kernels_detail;
  using R = ops_detail::component_t<C>;
  auto const l = lines_along(Dim, x.local_extents(), y.local_extents());
  auto const transform = [&](transform_kind kind, auto const& after) {
    if constexpr (std::is_same_v<C, T>)
      transform_lines<C>(space, scratch, {kind}, l, x.data, y.data, unchanged{}, after);
    else
      transform_lines<C>(
          space, scratch, {kind}, l, x.data, y.data, [](T r, index_t) { return C(r, R(0)); }, after);
  };
  if constexpr (D == ops_detail::direction::forward)
    transform(transform_kind::forward, unchanged{});
  else
    transform(transform_kind::backward,
              [factor = R(1) / static_cast<R>(l.n)](C c, index_t) { return C(c.real() * factor, c.imag() * factor); });
}

template <int Dim, class S, class C, class T>
void run(ops_detail::rfft_op<Dim> const&, S const& space, scratch_memory scratch, shard<C> const& y,
         shard<T const> const& x) {
  using namespace kernels_detail;
  transform_lines<T>(space, scratch, {transform_kind::real_to_complex},
                     lines_along(Dim, x.local_extents(), y.local_extents()), x.data, y.data, unchanged{}, unchanged{});
}

template <int Dim, class S, class C, class T>
void run(ops_detail::inverse_rfft_transpose_op<Dim> const&, S const& space, scratch_memory scratch, shard<C> const& y,
         shard<T const> const& x) {
  using namespace kernels_detail;
  auto const l = lines_along(Dim, x.local_extents(), y.local_extents());
  transform_lines<T>(space, scratch, {transform_kind::real_to_complex}, l, x.data, y.data, unchanged{},
                     [n = l.n, once = T(1) / static_cast<T>(l.n)](C c, index_t k) {
                       T const factor = is_own_conjugate(k, n) ? once : 2 * once;
                       return C(c.real() * factor, -c.imag() * factor);
                     });
}

template <int Dim, class S, class T, class C>
void run(ops_detail::inverse_rfft_op<Dim> const&, S const& space, scratch_memory scratch, shard<T> const& y,
         shard<C const> const& x) {
  using namespace kernels_detail;
  auto const l = lines_along(Dim, x.local_extents(), y.local_extents());
  transform_lines<C>(space, scratch, {transform_kind::complex_to_real}, l, x.data, y.data, unchanged{},
                     [factor = T(1) / static_cast<T>(l.n)](T r, index_t) { return r * factor; });
}

template <int Dim, class S, class T, class C>
void run(ops_detail::rfft_transpose_op<Dim> const&, S const& space, scratch_memory scratch, shard<T> const& y,
         shard<C const> const& x) {
  using namespace kernels_detail;
  auto const l = lines_along(Dim, x.local_extents(), y.local_extents());
  transform_lines<C>(
      space, scratch, {transform_kind::complex_to_real}, l, x.data, y.data,
      [n = l.n](C c, index_t k) {
        T const factor = is_own_conjugate(k, n) ? T(1) : T(0.5);
        return C(c.real() * factor, -c.imag() * factor);
      },
      unchanged{});
}

}  // namespace ashlar::kernels
