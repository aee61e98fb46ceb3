// SPDX-License-Identifier: BSL-1.0
// Transforms of lines in host memory, by FFTW.
#pragma once
#include "ashlar/kernels/fft/fft_lines.hpp"
#include "ashlar/kernels/fft/fftw.hpp"
#include "ashlar/kernels/scratch.hpp"
#if __has_include(<fftw3.h>)

namespace ashlar::kernels_detail {

/// Bytes of the lines that are transformed at a time, so that they stay in the cache.
inline constexpr index_t transformed_bytes = 1 << 16;

/// How many of `lines` neighbouring lines are transformed at a time, if they are far apart in memory: at least a cache line
/// of them. Groups are of nearly one size, since a last group of 1 line (n / 2 + 1 coefficients) takes as long as a whole
/// one.
constexpr index_t columns_at_a_time(index_t n, index_t lines, index_t bytes) {
  index_t const most = std::clamp<index_t>(transformed_bytes / (n * bytes), 64 / bytes, 1024 / bytes);
  index_t const groups = std::max<index_t>((lines + most / 2) / most, 1);
  return (lines + groups - 1) / groups;
}

/// The transform of lines by FFTW. Element k of an operand's line is before(x, k), of type B. Element k of a result's
/// line is after(y, k). Lines whose elements are near each other are transformed where they are.
/// Other lines go through buffers, some neighbouring lines at a time.
template <class B, class Lines, class Out, class Before, class After>
class line_transformer {
  using R = ops_detail::component_t<Out>;
  using In = typename Lines::element_type;

 public:
  line_transformer(transform_name name, transformed_lines const& l, kernels::scratch_memory scratch, Lines const& in,
                   Out* out, Before const& before, After const& after)
      : name_(name), l_(l), scratch_(scratch), in_(in), out_(out), before_(before), after_(after) {}

  template <class Space>
  void operator()(Space const& space) const {
    if (l_.outer == 0 || l_.n == 0 || l_.inner == 0) return;
    constexpr auto bytes = static_cast<index_t>((std::max)(sizeof(B), sizeof(Out)));
    index_t const columns = columns_at_a_time(l_.n, l_.inner, bytes), threads = space.concurrency();
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
  static constexpr bool reads_operand = std::is_same_v<Lines, lines_of_array<B>> && std::is_same_v<Before, unchanged>;
  static constexpr bool writes_result = std::is_same_v<After, unchanged>;

  // Tasks of `groups` outer indices each.
  void near_lines(index_t groups, index_t begin, index_t end) const {
    index_t const from = l_.n_in * l_.inner, to = l_.n_out * l_.inner;
    bool const copies = !reads_operand || name_.kind == transform_kind::complex_to_real;
    auto const buffer = scratch_.array<B>(copies ? groups * from : 0);
    typename transform_plans<R>::plan plan;
    for (index_t t = begin, planned = 0; t < end; ++t) {
      index_t const first = t * groups, count = (std::min)(groups, l_.outer - first);
      Out* const y = out_ + first * to;
      B* operand = buffer.data();
      if (copies)
        in_.copy_outer(l_, first, count, before_, operand);
      else if constexpr (reads_operand)
        operand = without_const(in_.begin_of(first, l_));
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
      index_t const o = t / blocks, first = t % blocks * columns, width = (std::min)(columns, l_.inner - first);
      in_.copy_columns(l_, o, first, width, before_, operand.data());
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
  Lines const& in_;
  Out* out_;
  Before const& before_;
  After const& after_;
};

}  // namespace ashlar::kernels_detail
#endif
