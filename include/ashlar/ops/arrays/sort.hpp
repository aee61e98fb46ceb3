// SPDX-License-Identifier: BSL-1.0
// sort, argsort and top_k along a dimension.
#pragma once
#include "ashlar/layout/elementwise.hpp"
#include "ashlar/ops/arrays/compare.hpp"
#include "ashlar/ops/arrays/sort_parts.hpp"
#include "ashlar/ops/arrays/take_along.hpp"

namespace ashlar {

namespace ops_detail {

/// The indices of the first elements of each line in ascending or descending order, `first` of them, or all if it is
/// negative. NaN counts as the largest, and of equal elements the lower index comes first.
template <int Dim, bool Descending>
struct order_op {
  using diagnostics = sort_diagnostics;
  index_t first;
  template <class T>
  using element = index_t;
  static constexpr rule_result rule(layout_value const& x) {
    rule_result const r = parts_rule(Dim, x);
    return r.why == fault::fits ? whole_dimensions_rule(1u << Dim, x) : r;
  }
  constexpr shape extents(layout_value const&, shape const& x) const {
    shape y = x;
    if (first > x[Dim])
      plan_detail::fail_extents("ashlar::top_k: k is at most the extent of the dimension", shape::of(first), x);
    if (first >= 0) y[Dim] = first;
    return y;
  }
};

/// The indices of the first k elements of each line on each of `parts` parts of a dimension, as order_op has them; or of
/// all elements if k is negative.
/// Pre: each part has k elements or more.
template <int Dim, bool Descending>
struct order_of_parts_op {
  using diagnostics = sort_diagnostics;
  index_t k, parts;
  template <class T>
  using element = index_t;
  static constexpr rule_result rule(layout_value const& x) { return parts_rule(Dim, x); }
  constexpr shape extents(layout_value const&, shape const& x) const {
    shape y = x;
    if (k >= 0) y[Dim] = k * parts;
    return y;
  }
};

template <class X, int Dim>
struct sort_operand {
  static constexpr bool elements = is_ordered<element_t<X>>, dimension = are_dimensions<rank_v<X>, Dim>,
                        ok = elements && dimension;
  static constexpr void say() {
    static_assert(elements,
                  "ashlar::sort: elements of this type have no order; sort their absolute values or their parts");
    static_assert(!elements || dimension,
                  "ashlar::sort: the tensor has no such dimension; they count from 0, or from -1 at the end");
  }
};
template <int Dim, bool Descending, class X>
constexpr auto order_of(X const& x, index_t first) {
  return apply(order_op<Dim, Descending>{first}, stop_gradient(x));
}
// work(x) if elements along the dimension can be brought into an order, else otherwise(x).
template <int Dim, class Work, class Otherwise, class X>
constexpr auto when_sortable(Work const& work, Otherwise const& otherwise, X const& x) {
  return checked_or<sort_operand<X, Dim>, operands_fit<order_op<Dim, false>, plain_t<X>>>(work, otherwise, x);
}

/// The result of top_k.
template <class Values, class Indices>
struct largest_elements {
  Values values;
  Indices indices;
};

template <class Values, class Indices>
constexpr auto largest_of(Values const& values, Indices const& indices) {
  return largest_elements<Values, Indices>{values, indices};
}

// True if axes shard the dimension into parts of consecutive elements, and the tensor is not partial.
template <class X, int Dim>
inline constexpr bool has_parts_in_order = [] {
  if constexpr (sort_operand<X, Dim>::ok) {
    constexpr layout_value const& v = plan_detail::value_on<mesh_t<X>, layout_t<X>>;
    return v.dim[Dim].size != 0 && v.dim[Dim].block == 0 && v.levels == 0;
  }
  return false;
}();

template <int Dim, class X>
constexpr auto top_k_of_whole(X const& x, index_t k) {
  auto const order = order_of<Dim, true>(x, k);
  return largest_of(apply(take_along_op<Dim>{}, x, order), order);
}
// Gathers the largest elements of the parts, or all elements if these are fewer.
template <int Dim, class X>
constexpr auto top_k_of_parts(X const& x, index_t k, call_site const& w) {
  using Whole = typename whole_along<Dim, X>::type;
  using gathers = destination<Whole, gathered_between<mesh_t<X>, layout_t<X>, Whole>>;
  index_t const parts = parts_along<Dim>(x);
  auto const& t = plan_detail::materialize(x);
  if (k > x.extents()[Dim] / parts) return top_k_of_whole<Dim>(relayout(gathers{}, t, w), k);
  auto const own = apply(order_of_parts_op<Dim, true>{k, parts}, stop_gradient(t));
  auto const values = relayout(gathers{}, apply(take_along_op<Dim, true>{}, t, own), w);
  auto const indices = relayout(destination<Whole, 0u>{}, own, w);
  // Parts are in the order of their indices. So the lower index is first among equal candidates, too.
  auto const order = order_of<Dim, true>(values, k);
  return largest_of(apply(take_along_op<Dim>{}, values, order), apply(take_along_op<Dim>{}, indices, order));
}

// The elements of each part in order, and their indices.
template <int Dim, class X>
constexpr auto parts_in_order(X const& x) {
  auto const own = apply(order_of_parts_op<Dim, false>{-1, 1}, stop_gradient(x));
  return largest_of(apply(take_along_op<Dim, true>{}, x, own), own);
}
// Gathers all elements, and leaves each rank its part of the result.
template <int Dim, class X, class F>
constexpr auto in_order_when_gathered(X const& x, call_site const& w, F const& f) {
  using Whole = typename whole_along<Dim, X>::type;
  auto const whole = relayout(destination<Whole, gathered_between<mesh_t<X>, layout_t<X>, Whole>>{}, x, w);
  return relayout(destination<layout_t<X>, 0u>{}, plan_detail::materialize(f(whole)), w);
}
// True if the parts are too short for samples.
template <int Dim, class X>
constexpr bool is_gathered_to_sort(X const& x) {
  index_t const parts = parts_along<Dim>(x);
  return parts == 1 || x.extents()[Dim] / parts < samples_of_part(parts);
}
template <int Dim, class X>
constexpr auto order_of_sharded(X const& x, call_site const& w) {
  auto const& t = plan_detail::materialize(x);
  if (is_gathered_to_sort<Dim>(t))
    return in_order_when_gathered<Dim>(t, w, [](auto const& whole) { return order_of<Dim, false>(whole, -1); });
  auto const own = parts_in_order<Dim>(t);
  auto const merged = merge_and_route<Dim, true>(own.values, w);
  return follow_route<Dim>(backend_of<X>{}, merged.route, own.indices, merging_step<Dim>(own.indices, w), w);
}
template <int Dim, class X>
constexpr auto sort_of_whole(X const& x) {
  return apply(take_along_op<Dim>{}, x, order_of<Dim, false>(x, -1));
}
template <int Dim, class X>
constexpr auto sort_of_sharded(X const& x, call_site const& w) {
  auto const& t = plan_detail::materialize(x);
  if (is_gathered_to_sort<Dim>(t))
    return in_order_when_gathered<Dim>(t, w, [](auto const& whole) { return sort_of_whole<Dim>(whole); });
  return merge_parts(merged_along<Dim>{}, parts_in_order<Dim>(t).values, w);
}

}  // namespace ops_detail

/// The indices that sort a dimension in ascending order. It is stable: of equal elements the lower index comes first.
/// NaN is the largest, as in NumPy.
/// Shape: as x, in the layout of x.
/// Collective: if axes shard the dimension, every rank of the mesh calls it, and it blocks.
/// Cost: if axes shard the dimension into p parts: an all_gather of 4 p elements of each part. An all_to_all of two
///   numbers per line and pair of ranks. Two exchanges, of the elements and of their indices. The bytes of the
///   exchanges depend on the values. The ledger has an upper bound: 1.5 times the bytes of a part, or less. If a part
///   has fewer than 4 p elements: one all_gather of x. If no axis shards the dimension: no communication.
/// Error: a block-cyclic dimension, a partial tensor and elements without an order do not compile.
/// Example: argsort<1>(x) is NumPy's argsort(x, axis=1, kind="stable")
/// Source: H. Shi and J. Schaeffer, Parallel sorting by regular sampling, J. Parallel Distrib. Comput. 14 (1992).
template <int Dim, tensor X>
constexpr auto argsort(X const& x, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  constexpr int dim = plan_detail::dimension_of<X, Dim>;
  if constexpr (ops_detail::has_parts_in_order<X, dim>)
    return ops_detail::order_of_sharded<dim>(stop_gradient(x), w);
  else
    return ops_detail::when_sortable<dim>([](auto const& t) { return ops_detail::order_of<dim, false>(t, -1); },
                                          [](auto const& t) { return stop_gradient(t); }, x);
}
/// The elements of a dimension in ascending order, else as argsort.
/// Shape: as x, in the layout of x.
/// Collective: if axes shard the dimension, every rank of the mesh calls it, and it blocks.
/// Cost: as argsort, without the exchange of indices. The derivative gives each element the cotangent of its place in
///   the result. If axes shard the dimension, it has one exchange, or the transpose of the all_gather.
/// Error: as argsort.
/// Example: sort<1>(x) is NumPy's sort(x, axis=1)
template <int Dim, tensor X>
constexpr auto sort(X const& x, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  constexpr int dim = plan_detail::dimension_of<X, Dim>;
  if constexpr (ops_detail::has_parts_in_order<X, dim>)
    return ops_detail::sort_of_sharded<dim>(x, w);
  else
    return ops_detail::when_sortable<dim>([](auto const& t) { return ops_detail::sort_of_whole<dim>(t); },
                                          [](auto const& t) { return t; }, x);
}
/// The k largest elements of a dimension, the largest first, and their indices. NaN is the largest, and of equal
/// elements the lower index comes first.
/// Shape: as x, with extent k in dimension Dim, which is whole in the result. Pre: k is 0 to the extent.
/// Collective: if axes shard the dimension, every rank of the mesh calls it, and it blocks.
/// Cost: if axes shard the dimension into p parts, two all_gathers of the k largest elements of each part, values and
///   indices; or if k p is more than its extent, one all_gather of x. Else no communication. The derivative gives the cotangent to the
///   chosen elements, and 0 to others. It has the transpose of the all_gather of values.
/// Error: as argsort; a k that is larger than the extent throws ashlar::error.
/// Example: auto const [values, indices] = top_k<1>(logits, 5)
template <int Dim, tensor X>
constexpr auto top_k(X const& x, ops_detail::index_argument k, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  constexpr int dim = plan_detail::dimension_of<X, Dim>;
  if (k < 0) meta_detail::fail("ashlar::top_k: k is 0 or more");
  if constexpr (ops_detail::has_parts_in_order<X, dim>)
    return ops_detail::top_k_of_parts<dim>(x, k, w);
  else
    return ops_detail::when_sortable<dim>([&](auto const& t) { return ops_detail::top_k_of_whole<dim>(t, k); },
                                          [](auto const& t) { return ops_detail::largest_of(t, t); }, x);
}

}  // namespace ashlar
