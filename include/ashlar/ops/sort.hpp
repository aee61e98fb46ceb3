// sort, argsort and top_k along a dimension, and take_along: elements by an index for each line.
#pragma once
#include "ashlar/layout/elementwise.hpp"
#include "ashlar/ops/compare.hpp"
#include "ashlar/ops/cumsum.hpp"

namespace ashlar {

namespace ops_detail {

struct sort_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::sort: the axis shards the dimension that is sorted; all_gather it, or all_to_all the axis to another dimension");
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::sort: the tensor is partial over the axis, so no rank knows an element; all_reduce or reduce_scatter it first");
  }
};
struct take_along_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::take_along: the axis shards the dimension along which elements are taken; all_gather it, or all_to_all the axis to another dimension");
    static_assert(!breaks<F, fault::one_sided, Axis, L...>::value,
                  "ashlar::take_along: the axis shards the index otherwise than the tensor; redistribute one of them");
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::take_along: the index is partial, or the tensor by another reduction than the sum; all_reduce it first");
  }
};

/// The indices of the first elements of each line in ascending or descending order, `first` of them, or all if it is
/// negative. NaN counts as the largest, and of equal elements the lower index comes first.
template <int Dim, bool Descending>
struct order_op {
  using diagnostics = sort_diagnostics;
  index_t first;
  template <class T>
  using element = index_t;
  static constexpr rule_result rule(layout_value const& x) { return whole_dimensions_rule(1u << Dim, x); }
  constexpr shape extents(layout_value const&, shape const& x) const {
    shape y = x;
    if (first > x[Dim])
      plan_detail::fail_extents("ashlar::top_k: k is at most the extent of the dimension", shape::of(first), x);
    if (first >= 0) y[Dim] = first;
    return y;
  }
};

/// The indices of the k largest elements of each line on each of so many parts of a dimension, as order_op has them.
/// Pre: each part has k elements or more.
template <int Dim>
struct order_of_parts_op {
  using diagnostics = sort_diagnostics;
  index_t k, parts;
  template <class T>
  using element = index_t;
  static constexpr rule_result rule(layout_value const& x) {
    if (x.dim[Dim].block != 0) return rule_result::wrong(fault::sharded_dimension, x.dim[Dim][0]);
    return elementwise_rule(linearity::nonlinear, x);
  }
  constexpr shape extents(layout_value const&, shape const& x) const {
    shape y = x;
    y[Dim] = k * parts;
    return y;
  }
};

// The layout of elements of x by an index, or of their sums at an index.
constexpr rule_result along_rule(int dim, bool own, layout_value const& x, layout_value const& index) {
  for (int d = 0; d < x.rank; ++d)
    if (x.dim[d] != index.dim[d])
      return rule_result::wrong(
          fault::one_sided,
          first_axis(x.dim[d].mask() == index.dim[d].mask() ? x.dim[d].mask() : x.dim[d].mask() ^ index.dim[d].mask()));
  if (!own && x.dim[dim].size) return rule_result::wrong(fault::sharded_dimension, x.dim[dim][0]);
  if (index.levels) return rule_result::wrong(fault::not_linear, first_axis(index.partial()));
  return elementwise_rule(linearity::linear, x);
}
// Extents that differ in dimension `dim` alone, in which the second list decides.
constexpr shape along_extents(int dim, shape const& x, shape const& index) {
  shape y = x;
  y[dim] = index[dim];
  if (!(y == index))
    plan_detail::fail_extents("ashlar::take_along: the index has the extents of the tensor in the other dimensions", x,
                              index);
  return y;
}

template <int Dim, bool Own = false>
struct take_along_op;

/// Sums elements at an index in each line, whose extent is n: the transpose of take_along. If Own, each index is one of
/// the rank's own part of the dimension.
template <int Dim, bool Own = false>
struct add_along_op {
  using diagnostics = take_along_diagnostics;
  index_t n;
  template <class T, class>
  using element = T;
  static constexpr rule_result rule(layout_value const& x, layout_value const& index) {
    return along_rule(Dim, Own, x, index);
  }
  constexpr shape extents(layout_value const&, shape const& x, shape const&) const {
    shape y = x;
    y[Dim] = n;
    return y;
  }
  template <int I, class Ct, class Y, class X, class Index>
    requires(I == 0)
  static constexpr auto pullback(Ct const& ct, Y const&, X const&, Index const& index) {
    return apply(take_along_op<Dim, Own>{}, ct, index);
  }
};
template <int Dim, bool Own>
struct take_along_op {
  using diagnostics = take_along_diagnostics;
  template <class T, class>
  using element = T;
  static constexpr rule_result rule(layout_value const& x, layout_value const& index) {
    return along_rule(Dim, Own, x, index);
  }
  static constexpr shape extents(layout_value const&, shape const& x, shape const& index) {
    return along_extents(Dim, x, index);
  }
  template <int I, class Ct, class Y, class X, class Index>
    requires(I == 0)
  static constexpr auto pullback(Ct const& ct, Y const&, X const& x, Index const& index) {
    return apply(add_along_op<Dim, Own>{x.extents()[Dim]}, ct, index);
  }
};

template <class Index>
struct index_is_no_integer {
  static constexpr bool value = !std::is_integral_v<element_t<Index>> || std::is_same_v<element_t<Index>, bool>;
};

template <int Dim, bool Descending, class X>
constexpr auto order_of(X const& x, index_t first) {
  using no_order = elements_have_no_order<element_t<X>>;
  using missing = no_such_dimension<rank_v<X>, Dim>;
  static_assert(!no_order::value,
                "ashlar::sort: elements of this type have no order; sort their absolute values or their parts");
  static_assert(no_order::value || !missing::value,
                "ashlar::sort: the tensor has no such dimension; they count from 0");
  if constexpr (no_order::value || missing::value)
    return stop_gradient(x);
  else
    return apply(order_op<Dim, Descending>{first}, stop_gradient(x));
}
template <class X, int Dim>
inline constexpr bool may_be_ordered =
    !elements_have_no_order<element_t<X>>::value && !no_such_dimension<rank_v<X>, Dim>::value;
// False if a rule has reported that it cannot be.
template <class X, int Dim>
constexpr bool is_ordered() {
  if constexpr (may_be_ordered<X, Dim>)
    return whole_dimensions_rule(1u << Dim, value_v<mesh_context<mesh_t<X>, layout_t<X>>, layout_t<X>>).why ==
           fault::fits;
  return false;
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

// True if top_k of a dimension is a choice among the largest elements of its parts.
template <class X, int Dim>
inline constexpr bool has_parts_in_order = [] {
  if constexpr (may_be_ordered<X, Dim>) {
    constexpr layout_value const& v = value_v<mesh_context<mesh_t<X>, layout_t<X>>, layout_t<X>>;
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
  constexpr layout_value const& v = value_v<mesh_context<mesh_t<X>, layout_t<X>>, layout_t<X>>;
  using Whole = typename whole_along<Dim, X>::type;
  using gathers = destination<Whole, gathered_between<mesh_t<X>, layout_t<X>, Whole>>;
  index_t const parts = layout_detail::parts(v.dim[Dim], x.mesh().sizes());
  auto const& t = plan_detail::materialize(x);
  if (k > x.extents()[Dim] / parts) return top_k_of_whole<Dim>(relayout(gathers{}, t, w), k);
  auto const own = apply(order_of_parts_op<Dim>{k, parts}, stop_gradient(t));
  auto const values = relayout(gathers{}, apply(take_along_op<Dim, true>{}, t, own), w);
  auto const indices = relayout(destination<Whole, 0u>{}, own, w);
  // Parts are in the order of their indices. So the lower index is first among equal candidates, too.
  auto const order = order_of<Dim, true>(values, k);
  return largest_of(apply(take_along_op<Dim>{}, values, order), apply(take_along_op<Dim>{}, indices, order));
}

}  // namespace ops_detail

/// The elements at an index along a dimension: NumPy's take_along_axis.
/// Shape: the extents of the index, which has the extents and the layout of x in all other dimensions. A partial sum
///   stays partial.
/// Pre: 0 <= index < extent of dimension Dim, which no axis shards; an index outside gives 0.
/// Cost: no communication. The derivative adds the cotangent at the index, so that equal indices sum up.
/// Error: layouts that do not fit do not compile; extents that do not fit throw ashlar::error.
/// Example: take_along<1>(x, argsort<1>(x)) is sort<1>(x)
template <int Dim, tensor X, tensor Index>
constexpr auto take_along(X const& x, Index const& index, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  using missing = ops_detail::no_such_dimension<rank_v<X>, Dim>;
  constexpr bool rank = !missing::value && rank_v<X> != rank_v<Index>;
  using no_integer = ops_detail::index_is_no_integer<Index>;
  static_assert(!missing::value, "ashlar::take_along: the tensor has no such dimension; they count from 0");
  static_assert(!rank || !plan_detail::rank_differs<layout_t<Index>, rank_v<X>>::value,
                "ashlar::take_along: the index has another number of dimensions than the tensor; expand it");
  static_assert(missing::value || rank || !no_integer::value,
                "ashlar::take_along: the elements of the index are no integers; write cast<int>(index)");
  if constexpr (missing::value || rank || no_integer::value)
    return x;
  else
    return apply(ops_detail::take_along_op<Dim>{}, x, stop_gradient(index));
}

/// The indices that sort a dimension in ascending order. It is stable: of equal elements the lower index comes first.
/// NaN is the largest, as in NumPy.
/// Shape: as x. Pre: no axis shards the dimension. Cost: no communication.
/// Error: a sharded dimension, a partial tensor and elements without an order do not compile.
/// Example: argsort<1>(x) is NumPy's argsort(x, axis=1, kind="stable")
template <int Dim, tensor X>
constexpr auto argsort(X const& x) {
  return ops_detail::order_of<Dim, false>(x, -1);
}
/// The elements of a dimension in ascending order, else as argsort. The derivative gives each element the cotangent of
/// its place in the result.
/// Example: sort<1>(x) is NumPy's sort(x, axis=1)
template <int Dim, tensor X>
constexpr auto sort(X const& x) {
  auto const order = argsort<Dim>(x);
  if constexpr (ops_detail::is_ordered<X, Dim>())
    return take_along<Dim>(x, order);
  else
    return x;
}
/// The k largest elements of a dimension, the largest first, and their indices. NaN is the largest, and of equal
/// elements the lower index comes first.
/// Shape: as x, with extent k in dimension Dim, which is whole in the result. Pre: k is 0 to the extent.
/// Collective: if axes shard the dimension, every rank of the mesh calls it, and it blocks.
/// Cost: if axes shard the dimension into p parts, two all_gathers of the k largest elements of each part, values and
///   indices; or if k p is more than its extent, one all_gather of x. Else no communication. The derivative gives the cotangent to the
///   chosen elements, and 0 to others. It has the transpose of the all_gather of values.
/// Error: as argsort, but of sharded dimensions only a block-cyclic one does not compile; a k that is larger than the
///   extent throws ashlar::error.
/// Example: auto const [values, indices] = top_k<1>(logits, 5)
template <int Dim, tensor X>
constexpr auto top_k(X const& x, index_t k, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  if (k < 0) meta_detail::fail("ashlar::top_k: k is 0 or more");
  if constexpr (ops_detail::has_parts_in_order<X, Dim>) {
    return ops_detail::top_k_of_parts<Dim>(x, k, w);
  } else {
    auto const order = ops_detail::order_of<Dim, true>(x, k);
    if constexpr (ops_detail::is_ordered<X, Dim>())
      return ops_detail::largest_of(take_along<Dim>(x, order), order);
    else
      return ops_detail::largest_elements<X, X>{x, x};
  }
}

}  // namespace ashlar
