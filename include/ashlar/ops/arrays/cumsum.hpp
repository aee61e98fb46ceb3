// SPDX-License-Identifier: BSL-1.0
// cumsum: sums along a dimension up to each element.
#pragma once
#include "ashlar/ops/collectives.hpp"

namespace ashlar {

namespace ops_detail {

struct cumsum_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::block_cyclic_dimension, Axis, L...>::value,
        "ashlar::cumsum: the dimension is block-cyclic over the axis, so a rank's elements do not follow each other; redistribute it to an even split first");
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::cumsum: the tensor is partial over the axis by another reduction than the sum; all_reduce it first");
  }
};

constexpr rule_result cumsum_rule(int dim, layout_value const& x) {
  if (x.dim[dim].block) return rule_result::wrong(fault::block_cyclic_dimension, x.dim[dim][0]);
  return elementwise_rule(linearity::linear, x);
}

/// The sum of each part of a dimension: one element per rank that shards it.
template <int Dim>
struct part_sums_op {
  using diagnostics = cumsum_diagnostics;
  index_t parts;
  template <class T>
  using element = sum_of_elements_t<T>;
  static constexpr rule_result rule(layout_value const& x) { return cumsum_rule(Dim, x); }
  constexpr shape extents(layout_value const&, shape const& x) const {
    shape y = x;
    y[Dim] = parts;
    return y;
  }
};

/// The sums of each element and those before it, or after it. `sums` are the sums of the parts, `own` is the same
/// tensor before it was gathered.
template <int Dim, bool Reversed>
struct cumsum_op {
  using diagnostics = cumsum_diagnostics;
  template <class T, class...>
  using element = sum_of_elements_t<T>;
  static constexpr rule_result rule(layout_value const& x, auto const&...) { return cumsum_rule(Dim, x); }
  static constexpr shape extents(layout_value const&, shape const& x, auto const&...) { return x; }
};

// A tag, so that argument-dependent lookup finds the overload for active tensors.
template <int Dim, bool Reversed>
struct sums_along {};

template <int Dim, class X>
inline constexpr bool is_whole_or_faulty = [] {
  constexpr layout_value v = plan_detail::value_on<mesh_t<X>, layout_t<X>>;
  return v.dim[Dim].size == 0 || cumsum_rule(Dim, v).why != fault::fits;
}();

// The layout with dimension Dim whole.
template <int Dim, class X>
struct whole_along {
  using c = mesh_context<mesh_t<X>, layout_t<X>>;
  static constexpr layout_value value = [] {
    layout_value v = value_v<c, layout_t<X>>;
    v.dim[Dim] = {};
    return v;
  }();
  using type = layout_from_t<c, encode(value), encode_blocks(value), value.rank>;
};

template <int Dim, bool Reversed, plain_tensor X>
constexpr auto sum_along(sums_along<Dim, Reversed>, X const& x, call_site const& w) {
  if constexpr (is_whole_or_faulty<Dim, X>) {
    return apply(cumsum_op<Dim, Reversed>{}, x);
  } else {
    constexpr axis_list axes = plan_detail::value_on<mesh_t<X>, layout_t<X>>.dim[Dim];
    auto const& t = materialize(x);  // both operations read it
    auto const own = apply(part_sums_op<Dim>{parts(axes, x.mesh().sizes())}, t);
    auto const sums = relayout(destination<typename whole_along<Dim, X>::type, 0u>{}, own, w);
    return apply(cumsum_op<Dim, Reversed>{}, t, sums, own);
  }
}

template <class X, int Dim>
struct cumsum_operand {
  static constexpr bool elements = reduces_elements<op::sum, sum_of_elements_t<element_t<X>>>::value,
                        dimension = are_dimensions<rank_v<X>, Dim>, ok = elements && dimension;
  static constexpr void say() {
    static_assert(elements, "ashlar::cumsum: elements of this type have no sum; give the type an operator +");
    static_assert(!elements || dimension,
                  "ashlar::cumsum: the tensor has no such dimension; they count from 0, or from -1 at the end");
  }
};

}  // namespace ops_detail

/// The sum of each element and all before it along a dimension. Its element type is that of a sum.
/// Shape: as x. Post: element i of the result is the sum of the elements 0 to i of x. A partial sum stays partial.
/// Collective: if axes shard the dimension, every rank of the mesh calls it, and it blocks.
/// Cost: if axes shard the dimension, an all_gather of one number per line and rank along them: the sums of the parts.
///   Else no communication. The derivative is the same from the other end, at the same cost.
/// Error: a block-cyclic dimension does not compile, nor does a partial tensor by another reduction than the sum.
/// Example: cumsum<0>(x<layout<"x", none>>) -> layout<"x", none>
template <int Dim, tensor X>
[[nodiscard]] constexpr auto cumsum(X const& x, call_site w = call_site::current()) {
  return meta_detail::checked<ops_detail::cumsum_operand<X, Dim>>(
      [&](auto const& y) {
        return sum_along(ops_detail::sums_along<plan_detail::dimension_of<X, Dim>, false>{}, y, w);
      },
      x);
}

}  // namespace ashlar
