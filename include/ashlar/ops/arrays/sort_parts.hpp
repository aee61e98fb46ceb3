// SPDX-License-Identifier: BSL-1.0
// The order of a dimension that axes shard, by a sample sort: each part is in order, and the parts are merged.
#pragma once
#include "ashlar/layout/elementwise.hpp"
#include "ashlar/ops/arrays/cumsum.hpp"

namespace ashlar {

namespace ops_detail {

struct sort_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::block_cyclic_dimension, Axis, L...>::value,
        "ashlar::sort: the dimension is block-cyclic over the axis, so a rank's elements do not follow each other; redistribute it to an even split first");
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::sort: the tensor is partial over the axis, so no rank knows an element; all_reduce or reduce_scatter it first");
  }
};

// The operations on the parts of a dimension, each of which one rank holds.
constexpr rule_result parts_rule(int dim, layout_value const& x) {
  if (x.dim[dim].block != 0) return rule_result::wrong(fault::block_cyclic_dimension, x.dim[dim][0]);
  return elementwise_rule(linearity::nonlinear, x);
}

/// The samples that each part gives. They bound the elements that a rank receives and does not keep: to half a part.
constexpr index_t samples_of_part(index_t parts) { return 4 * parts; }
/// The position of sample j in a part of n elements. Sample 0 is the first element; sample `samples` would be at n.
ASHLAR_FUNCTION constexpr index_t position_of_sample(index_t j, index_t samples, index_t n) { return j * n / samples; }

/// Elements of each part, whose positions have equal distances.
template <int Dim>
struct samples_op {
  using diagnostics = sort_diagnostics;
  index_t samples, parts;
  template <class T>
  using element = T;
  static constexpr rule_result rule(layout_value const& x) { return parts_rule(Dim, x); }
  constexpr shape extents(layout_value const&, shape const& x) const {
    shape y = x;
    y[Dim] = samples * parts;
    return y;
  }
};

// The most elements of a line that a rank receives when the parts are merged. At either end of the rank's own range,
// each of the p parts can add the elements between two samples.
constexpr index_t most_merged(index_t n, index_t parts) {
  index_t const part = (n + parts - 1) / parts, samples = samples_of_part(parts);
  index_t const most = part + 2 * parts * ((part + samples - 1) / samples - 1);
  return most < n ? most : n;
}
// The parts of dimension Dim, each of which one rank holds.
template <int Dim, class X>
constexpr index_t parts_along(X const& x) {
  return layout_detail::parts(plan_detail::value_on<mesh_t<X>, layout_t<X>>.dim[Dim], x.mesh().sizes());
}
// Notes a step in which a rank receives at most `bytes_of_line` bytes for each of its lines.
template <int Dim, step_kind What, class X>
constexpr plan_step const& noted_step(X const& x, index_t bytes_of_line, call_site const& w) {
  constexpr plan_step const& s = step_along<mesh_t<X>, layout_t<X>, Dim, What>;
  if (x.mesh().recorder()) {
    shape lines = x.extents();
    lines[Dim] = 1;
    note(x.mesh(), s,
         bytes_of_line *
             layout_detail::largest_shard(lines, plan_detail::value_on<mesh_t<X>, layout_t<X>>, x.mesh().sizes()),
         w);
  }
  return s;
}
// The exchange of the elements that a sort moves, of which the ledger has an upper bound.
template <int Dim, class X>
constexpr plan_step const& merging_step(X const& x, call_site const& w) {
  return noted_step<Dim, step_kind::exchange>(
      x, most_merged(x.extents()[Dim], parts_along<Dim>(x)) * static_cast<index_t>(sizeof(element_t<X>)), w);
}
// The exchange of numbers: where each rank's elements begin in a line of another rank, and how many there are.
template <int Dim, class X>
constexpr plan_step const& counting_step(X const& x, call_site const& w) {
  return noted_step<Dim, step_kind::all_to_all>(
      x, (parts_along<Dim>(x) - 1) * 2 * static_cast<index_t>(sizeof(index_t)), w);
}

/// The elements of each line in order, from parts that are in order: the values, and the route that they took if Remember.
template <int Dim, bool Remember, class X, class Samples>
constexpr auto merge_shards(no_ranks, X const& x, Samples const&, plan_step const&, plan_step const&,
                            call_site const&) {
  struct merged {
    X values;
    int route;
  };
  return merged{abstract_result<layout_t<X>>(x), 0};
}
/// x with each element where a route took the one of its place.
template <int Dim, class X>
constexpr auto follow_route(no_ranks, int, X const& x, plan_step const&, call_site const&) {
  return abstract_result<layout_t<X>>(x);
}
/// The transpose of follow_route.
template <int Dim, class X>
constexpr auto return_route(no_ranks, int, X const& x, plan_step const&, call_site const&) {
  return abstract_result<layout_t<X>>(x);
}

// A tag, so that argument-dependent lookup finds the overload for active tensors.
template <int Dim>
struct merged_along {};

template <int Dim, bool Remember, plain_tensor X>
constexpr auto merge_and_route(X const& x, call_site const& w) {
  index_t const parts = parts_along<Dim>(x);
  auto const samples = relayout(destination<typename whole_along<Dim, X>::type, 0u>{},
                                apply(samples_op<Dim>{samples_of_part(parts), parts}, x), w);
  plan_step const& counts = counting_step<Dim>(x, w);
  plan_step const& moves = merging_step<Dim>(x, w);
  return merge_shards<Dim, Remember>(backend_of<X>{}, x, samples, counts, moves, w);
}

/// The elements of each line in order, from parts that are in order.
template <int Dim, plain_tensor X>
constexpr auto merge_parts(merged_along<Dim>, X const& x, call_site const& w) {
  return merge_and_route<Dim, false>(x, w).values;
}

}  // namespace ops_detail

}  // namespace ashlar
