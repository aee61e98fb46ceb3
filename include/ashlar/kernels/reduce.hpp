// SPDX-License-Identifier: BSL-1.0
// Reductions over any dimensions of a row-major array, and their transposes.
#pragma once
#include "ashlar/kernels/elementwise.hpp"
#include "ashlar/kernels/leaves.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/layout/op.hpp"
#include "ashlar/ops/reduce.hpp"
#include <memory>

namespace ashlar::kernels_detail {

/// The data of a reduction. In its nests array 0 is the result, whose stride is 0 along reduced dimensions.
template <class Op, class T, class F, class Leaves>
struct reduction {
  using nest_type = typename Leaves::nest_type;
  using value_type = T;
  using op = Op;
  static constexpr int arrays = Leaves::arrays;
  nest_type all, kept, reduced;  // loops over all, over kept and over reduced dimensions.
  T* out;
  F f;
  Leaves leaves;
  T identity = Op::template identity<T>();  // made here: devices cannot call numeric_limits

  reduction(shape const& extents, unsigned dims, T* result, F const& g, Leaves const& l)
      : out(result), f(g), leaves(l) {
    shape kept_extents = extents, reduced_extents = extents;
    for (int d = 0; d < extents.rank; ++d) (dims >> d & 1 ? kept_extents : reduced_extents)[d] = 1;
    row_major_strides strides(kept_extents);
    for (int d = 0; d < extents.rank; ++d)
      if (dims >> d & 1) strides.stride[d] = 0;
    all = leaves.nest(extents, strides.stride);
    kept = leaves.nest(kept_extents, strides.stride);
    reduced = leaves.nest(reduced_extents, strides.stride);
  }
};

// ---- host: pieces of rows, each combined into its place in the result

// The number of running totals: as many as fill a few vector registers.
template <class T>
inline constexpr int running_totals = sizeof(T) < 64 ? 128 / static_cast<int>(sizeof(T)) : 1;

// Called before a row is read from index `begin` on. Returns how far it can be read.
struct whole_rows {
  index_t length;
  index_t operator()(index_t, index_t) const { return length; }
};

// Combines the values of one row with a total, by several running totals if the row is long enough.
// Pre: `before` returns as many elements more as there are running totals, or the length.
template <class Op, class T, class Before, class F, class... Rows>
T reduce_row(T total, index_t r, index_t length, Before const& before, F const& f, Rows const&... value) {
  constexpr int lanes = running_totals<T>;
  index_t j = 0, end = before(r, 0);
  if (length >= lanes) {
    T lane[array_bound(lanes)];
    for (; j < lanes; ++j) lane[j] = static_cast<T>(f(value(r, j)...));
    for (;; end = before(r, end)) {
      for (; j + lanes <= end; j += lanes)
        for (int l = 0; l < lanes; ++l) lane[l] = Op::combine(lane[l], static_cast<T>(f(value(r, j + l)...)));
      if (end == length) break;
    }
    for (int width = lanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) lane[l] = Op::combine(lane[l], lane[l + width]);
    total = Op::combine(total, lane[0]);
  }
  for (; j < length; ++j) total = Op::combine(total, static_cast<T>(f(value(r, j)...)));
  return total;
}

// The same of several rows: the running totals go on from row to row.
template <class Op, class T, class Before, class F, class... Rows>
T reduce_rows(T total, index_t rows, index_t length, Before const& before, F const& f, Rows const&... value) {
  constexpr int lanes = running_totals<T>;
  if (rows == 1 || length < lanes) {
    for (index_t r = 0; r < rows; ++r) total = reduce_row<Op>(total, r, length, before, f, value...);
    return total;
  }
  T lane[array_bound(lanes)];
  for (index_t r = 0; r < rows; ++r) {
    index_t j = 0, end = before(r, 0);
    if (r == 0)
      for (; j < lanes; ++j) lane[j] = static_cast<T>(f(value(0, j)...));
    for (;; end = before(r, end)) {
      for (; j + lanes <= end; j += lanes)
        for (int l = 0; l < lanes; ++l) lane[l] = Op::combine(lane[l], static_cast<T>(f(value(r, j + l)...)));
      if (end == length) break;
    }
    for (; j < length; ++j) total = Op::combine(total, static_cast<T>(f(value(r, j)...)));
  }
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) lane[l] = Op::combine(lane[l], lane[l + width]);
  return Op::combine(total, lane[0]);
}

template <class Op, class T, class F, class... Rows>
void combine_rows(T* __restrict out, index_t row_stride, index_t rows, index_t length, F f, Rows... value) {
  auto const at = [&](index_t r, index_t j) { return static_cast<T>(f(value(r, j)...)); };
  index_t r = 0;
  if (row_stride == 0)  // all rows go to one row: four at a time, in the same order
    for (; r + 4 <= rows; r += 4) {
      ASHLAR_INDEPENDENT
      for (index_t j = 0; j < length; ++j)
        out[j] = Op::combine(Op::combine(Op::combine(Op::combine(out[j], at(r, j)), at(r + 1, j)), at(r + 2, j)),
                             at(r + 3, j));
    }
  for (; r < rows; ++r) {
    T* const row = out + r * row_stride;
    ASHLAR_INDEPENDENT
    for (index_t j = 0; j < length; ++j) row[j] = Op::combine(row[j], at(r, j));
  }
}

template <class Op, class T, class F, class Leaves>
void reduce_pieces(reduction<Op, T, F, Leaves> const& k, typename Leaves::nest_type const& nest, T* out) {
  index_t const row_stride = nest.row_stride(0);
  if constexpr (requires { F::writes; })  // one result: see write_and_reduce.hpp
    k.leaves.for_each_piece(nest, 0, nest.size(), [&](index_t at, index_t rows, index_t length, auto const&... values) {
      out[at] = k.f.template reduce<Op>(out[at], rows, length, values...);
    });
  else
    k.leaves.for_each_piece(nest, 0, nest.size(), [&](index_t at, index_t rows, index_t length, auto const&... values) {
      if (nest.step(0) != 0) return combine_rows<Op>(out + at, row_stride, rows, length, k.f, values...);
      if (row_stride == 0) {
        out[at] = reduce_rows<Op>(out[at], rows, length, whole_rows{length}, k.f, values...);
        return;
      }
      for (index_t r = 0; r < rows; ++r) {
        T& total = out[at + r * row_stride];
        total = reduce_row<Op>(total, r, length, whole_rows{length}, k.f, values...);
      }
    });
}

// Threads share the longest kept dimension, or the slices below if no kept dimension is long. The longest reduced
// dimension is cut into slices, whose results are combined in pairs. So a running total takes few terms, and rounds
// only that often.
// The cuts depend on the sizes alone: every number of threads gives the same bits.
inline constexpr index_t long_extent = 32, elements_per_slice = 1 << 15, most_slices_for_threads = 64;
inline constexpr index_t terms_per_slice = 512, columns_per_strip = 4096;  // if an output has one running total

template <class Space, class Op, class T, class F, class Leaves>
void reduce_by_rows(Space const& space, reduction<Op, T, F, Leaves> const& r) {
  auto const& nest = r.all;
  index_t const size = nest.size(), outputs = r.kept.size();
  kernels::fill(space, r.out, outputs, r.identity);
  if (size == 0) return;
  int const last = nest.rank - 1;
  index_t const totals = nest.step(0) == 0 && nest.inner() >= running_totals<T> ? running_totals<T> : 1;
  auto const length = [&](int d) { return nest.extent[d] / (d == last ? totals : 1); };
  int longest[2] = {-1, -1};  // of the reduced and of the kept dimensions
  for (int d = 0; d < nest.rank; ++d)
    if (int& l = longest[nest.stride[0][d] != 0]; l < 0 || length(l) < length(d)) l = d;
  int const wide = longest[1];
  bool const is_wide = wide >= 0 && nest.extent[wide] >= long_extent;

  int deep = longest[0];
  index_t slices = 1;
  if (deep >= 0) {
    slices = size / outputs / (totals > 1 ? elements_per_slice : terms_per_slice);
    if (!is_wide) slices = (std::max)(slices, (std::min)(size / elements_per_slice, most_slices_for_threads));
    // Slices of the outermost dimension that has enough indices are nearest to contiguous.
    for (int d = deep; d-- > 0;)
      if (nest.stride[0][d] == 0 && length(d) >= (std::min)(slices, length(longest[0]))) deep = d;
    index_t const most = nest.extent[deep] / (deep == last ? piece_length : 1);  // rows are not cut into short pieces
    slices = std::max<index_t>((std::min)(slices, most), 1);
  }
  std::unique_ptr<T[]> results;  // [slices][outputs]
  if (slices > 1) {
    results = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(slices * outputs));
    kernels::fill(space, results.get(), slices * outputs, r.identity);
  }
  T* const out = slices > 1 ? results.get() : r.out;
  auto const reduce_slices = [&](auto const& part, index_t begin, index_t end) {
    if (slices == 1) return reduce_pieces(r, part, out);
    index_t const n = nest.extent[deep];
    for (index_t s = begin; s < end; ++s)
      reduce_pieces(r, part.part(deep, n * s / slices, n * (s + 1) / slices), out + s * outputs);
  };
  if (is_wide || (slices == 1 && wide >= 0)) {
    index_t const n = nest.extent[wide], strip = wide == last ? columns_per_strip : deep == last && slices > 1 ? 1 : n;
    for_ranges("ashlar::reduce", space, n, elements_per_thread / (size / n), [&](index_t begin, index_t end) {
      for (; begin < end; begin += strip)
        reduce_slices(nest.part(wide, begin, (std::min)(begin + strip, end)), 0, slices);
    });
  } else {
    for_ranges("ashlar::reduce", space, slices, 1,
               [&](index_t begin, index_t end) { reduce_slices(nest, begin, end); });
  }
  for (index_t step = 1; step < slices; step *= 2)
    for (index_t s = 0; s + step < slices; s += 2 * step) {
      T *const to = out + s * outputs, *const from = to + step * outputs;
      ASHLAR_INDEPENDENT
      for (index_t k = 0; k < outputs; ++k) to[k] = Op::combine(to[k], from[k]);
    }
  if (slices > 1) std::copy_n(out, outputs, r.out);
}

// ---- devices: a thread or a team for each output

template <class Reduction>
struct reduce_output {
  using value_type = typename Reduction::value_type;
  using op = typename Reduction::op;
  Reduction r;

  // Combines the n-th element of an output with a total.
  KOKKOS_FUNCTION void combine(index_t output, index_t n, value_type& total) const {
    index_t at[Reduction::arrays], offset[Reduction::arrays];
    r.kept.locate(output, at);
    r.reduced.locate(n, offset);
    for (int a = 0; a < Reduction::arrays; ++a) offset[a] += at[a];
    total = op::combine(total, static_cast<value_type>(r.leaves.evaluate(r.f, offset)));
  }
  KOKKOS_FUNCTION void operator()(index_t output) const {
    value_type total = r.identity;
    for (index_t n = 0; n < r.reduced.size(); ++n) combine(output, n, total);
    r.out[output] = total;
  }
};

template <class Op, class T>
struct monoid_reducer {
  using reducer = monoid_reducer;
  using value_type = T;
  using result_view_type = Kokkos::View<T, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  T* result;
  T identity;

  KOKKOS_FUNCTION void join(T& a, T const& b) const { a = Op::combine(a, b); }
  KOKKOS_FUNCTION void init(T& a) const { a = identity; }
  KOKKOS_FUNCTION T& reference() const { return *result; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(result); }
  KOKKOS_FUNCTION static constexpr bool references_scalar() { return true; }
};

template <class Space, class Reduction>
struct reduce_team {
  using value_type = typename Reduction::value_type;
  struct element {
    reduce_output<Reduction> const* output;
    index_t number;
    KOKKOS_FUNCTION void operator()(index_t n, value_type& total) const { output->combine(number, n, total); }
  };
  reduce_output<Reduction> output;
  index_t slices;
  value_type* results;  // [slices][outputs]

  KOKKOS_FUNCTION void operator()(
      typename Kokkos::TeamPolicy<typename Space::execution_space>::member_type const& team) const {
    index_t const outputs = output.r.kept.size(), n = output.r.reduced.size();
    index_t const s = team.league_rank() / outputs, number = team.league_rank() % outputs;
    value_type total;
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, n * s / slices, n * (s + 1) / slices),
                            element{&output, number},
                            monoid_reducer<typename Reduction::op, value_type>{&total, output.r.identity});
    if (team.team_rank() == 0) results[s * outputs + number] = total;
  }
};

template <class Space, class Reduction>
void reduce_by_teams(Space const& space, Reduction const& r, index_t slices, typename Reduction::value_type* results) {
  if (r.kept.size() == 0) return;
  Kokkos::parallel_for("ashlar::reduce", teams(space, slices * r.kept.size()),
                       reduce_team<Space, Reduction>{{r}, slices, results});
}

// Uses a thread per output if rows are short or if neighbouring threads read neighbours. Otherwise uses a team per
// output, or several teams if outputs are few.
template <class Space, class Op, class T, class F, class Leaves>
void reduce_by_elements(Space const& space, reduction<Op, T, F, Leaves> const& r) {
  index_t const outputs = r.kept.size(), inputs = r.reduced.size();
  if (inputs <= 64 || (outputs >= 4096 && r.all.step(0) != 0))
    return for_elements("ashlar::reduce", space, outputs, reduce_output<reduction<Op, T, F, Leaves>>{r});
  index_t const wanted = (std::min)(inputs / 4096, 1024 / std::max<index_t>(outputs, 1));
  index_t const slices = std::clamp<index_t>(wanted, 1, 256);
  if (slices == 1) return reduce_by_teams(space, r, 1, r.out);
  Kokkos::View<T*, typename Space::memory_space> const results(
      Kokkos::view_alloc(instance_of(space), Kokkos::WithoutInitializing, "ashlar::reduce"),
      static_cast<std::size_t>(slices * outputs));
  reduce_by_teams(space, r, slices, results.data());
  using combination = reduction<Op, T, same_value, leaves<kernels::strided<T>>>;
  shape const extents = shape::of(slices, outputs);
  leaves<kernels::strided<T>> const read(kernels::contiguous<T>(results.data(), extents));
  for_elements("ashlar::reduce", space, outputs,
               reduce_output<combination>{combination(extents, 1u, r.out, same_value{}, read)});
  space.fence("ashlar::reduce: scratch");
}

template <class Space, class Reduction>
void run_reduction(Space const& space, Reduction const& r) {
  if constexpr (runs_in_caller<Space>)
    reduce_by_rows(space, r);
  else
    reduce_by_elements(space, r);
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// Reduces the values f(leaf...) of an expression over the dimensions whose bits are set in `dims`. Does not store the
/// values.
/// Shape: out is row-major over the other dimensions.
/// Pre: out overlaps nothing that is read.
/// Post: out[k] == op over the reduced indices of f(leaf...), or op's identity if there are none. The order of
///   combination depends on the shape alone, not on the number of threads.
/// Example: map_reduce<op::sum>(space, shape::of(128, 10), 0b10, squares, square, contiguous(x, shape::of(128, 10)))
template <class Op, class Space, class T, class F, class... Leaf>
void map_reduce(Space const& space, shape const& extents, unsigned dims, T* out, F const& f, Leaf const&... leaf) {
  using leaves = kernels_detail::leaves<Leaf...>;
  kernels_detail::reduction<Op, T, F, leaves> const r(extents, dims, out, f, leaves(leaf...));
  kernels_detail::run_reduction(space, r);
}

/// True if map_reduce combines these values in the order in which it combines an array `result` of them. The leaves must
/// be read in the same loops. A leaf that is broadcast along a dimension is not.
template <class Op, class T, class F, class... Leaf>
bool reduces_as_stored(shape const& extents, unsigned dims, strided<T> const& result, F const& f, Leaf const&... leaf) {
  using stored_leaves = kernels_detail::leaves<strided<T>>;
  T* const none_written = nullptr;
  kernels_detail::reduction<Op, T, F, kernels_detail::leaves<Leaf...>> const r(
      extents, dims, none_written, f, kernels_detail::leaves<Leaf...>(leaf...));
  kernels_detail::reduction<Op, T, kernels_detail::same_value, stored_leaves> const stored(
      extents, dims, none_written, kernels_detail::same_value{}, stored_leaves(result));
  return r.all.rank == stored.all.rank && std::equal(r.all.extent, r.all.extent + r.all.rank, stored.all.extent);
}

/// Reduces a row-major array over the dimensions whose bits are set in `dims`; see map_reduce. Elements become of
/// type R first.
/// Example: reduce<op::sum>(space, x, shape::of(128, 10), 0b01, column_sums)
template <class Op, class Space, class T, class R>
void reduce(Space const& space, T const* in, shape const& extents, unsigned dims, R* out) {
  map_reduce<Op>(space, extents, dims, out, kernels_detail::same_value{}, contiguous(in, extents));
}

template <class Op, unsigned Dims, class S, class R, class T>
void run(ops_detail::reduce_op<Op, Dims> const&, S const& space, scratch_memory, shard<R> const& y,
         shard<T const> const& x) {
  reduce<Op>(space, x.data, x.local_extents(), Dims, y.data);
}
template <int Rank, class S, class T>
void run(ops_detail::sum_to_op<Rank> const& op, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x) {
  reduce<op::sum>(space, x.data, x.local_extents(), op.dims(x.global), y.data);
}

}  // namespace ashlar::kernels
