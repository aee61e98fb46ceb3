// SPDX-License-Identifier: BSL-1.0
// User-defined operations: an equation, the labels that no axis may shard, and a function of one row.
#pragma once
#include "ashlar/layout/elementwise.hpp"
#include "ashlar/ops/functions.hpp"

namespace ashlar {

namespace ops_detail {

/// The layout of an operation that an equation defines. No axis may shard the `whole` labels. All other labels occur in
/// the result, and operands that have one of them must shard it alike. `kind` says which operands may be partial.
/// Example: "bsd->bsd" with whole "d" keeps layout<"data", "seq", none> and refuses layout<none, none, "model">
constexpr rule_result user_rule(einsum_equation const& e, einsum_equation::labels const& whole, linearity kind,
                                layout_value const* const* x) {
  for (int o = 0; o < e.operands; ++o) {
    if (x[o]->rank != e.in[o].rank)
      throw "ashlar::user_operation: an operand has another number of dimensions than the equation gives it; one letter per dimension";
    for (int d = 0; d < e.in[o].rank; ++d)
      if (whole.find(e.in[o].label[d]) >= 0 && x[o]->dim[d].size)
        return rule_result::wrong(fault::sharded_dimension, x[o]->dim[d][0]);
  }
  axis_mask summed = 0;  // stays 0: no axis shards the labels that the result lacks
  rule_result const r = layout_detail::labels_rule(e, x, summed);
  if (r.why != fault::fits) return r;
  return layout_detail::partial_rule(kind, r, x, e.operands);
}

constexpr einsum_equation::labels whole_labels(einsum_equation const& e, text_literal const& text) {
  einsum_equation::labels whole;
  for (unsigned i = 0; i < text.size; ++i) {
    bool known = false;
    for (einsum_equation::labels const& operand : e.in) known = known || operand.find(text[i]) >= 0;
    if (!known)
      throw "ashlar::user_operation: a label that is to be whole is in no operand; name labels of the equation";
    whole.label[whole.rank++] = text[i];
  }
  for (einsum_equation::labels const& operand : e.in)
    for (int d = 0; d < operand.rank; ++d)
      if (e.out.find(operand.label[d]) < 0 && whole.find(operand.label[d]) < 0)
        throw "ashlar::user_operation: the result lacks a label that is not whole; list it among the whole ones, or keep it and sum the result";
  return whole;
}

}  // namespace ops_detail

/// The error sentences of user-defined operations. An operation with better sentences derives its diagnostics from this
/// class, asserts its own by `breaks<F, fault::..., Axis, L...>`, and leaves the rest to this class.
struct user_operation_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::user_operation: the axis shards a label that the operation needs whole; all_gather it first");
    static_assert(
        !breaks<F, fault::one_sided, Axis, L...>::value,
        "ashlar::user_operation: a label is sharded over the axis in one operand and not in another; redistribute one of them so that both are sharded alike");
    static_assert(
        !breaks<F, fault::conflict, Axis, L...>::value,
        "ashlar::user_operation: the axis shards two labels, or one label in another order or in other blocks; redistribute one operand");
    static_assert(
        !breaks<F, fault::two_partials, Axis, L...>::value,
        "ashlar::user_operation: a product of two partial sums is no partial sum; all_reduce or reduce_scatter one of them first");
    static_assert(
        !breaks<F, fault::partial_and_shard, Axis, L...>::value,
        "ashlar::user_operation: one operand is partial over an axis that shards another; all_reduce or reduce_scatter the first");
    static_assert(
        !breaks<F, fault::partial_and_whole, Axis, L...>::value,
        "ashlar::user_operation: only some operands are partial over the axis; all_reduce them, or write as_partial<axis> of the others");
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::user_operation: the operation is not linear in an operand that is partial over the axis; all_reduce or reduce_scatter it first");
  }
};

/// The base of user-defined operations. `apply(op, x...)` accepts abstract, real and active tensors. It accepts every
/// layout that shards none of the labels `Whole`. `Kind` says which operands may be partial. The derived class has
/// these members:
///   forward(at, y, x...)        ASHLAR_FUNCTION, const: makes one row of the result from rows of the operands. A row
///                               is indexed by the labels `Whole`, in the order of its own tensor: y(i), or y() if it
///                               has none. y.extent(k) is the number of indices. at[d] is the row's global index along
///                               dimension d of the result.
///   pullback<I>(ct, y, x...)    the cotangent of operand I, written with operations; absent if there is no derivative.
/// It may also replace the defaults of element<T...> (the first operand's) and diagnostics
/// (user_operation_diagnostics). An overload run(op, space, scratch, y, x...) in the namespace of the class replaces
/// forward: it gets whole shards.
/// Cost: no communication; one kernel, with one thread per row.
/// Error: see user_operation_diagnostics; extents of a label that differ throw ashlar::error.
/// Example: struct rotary : user_operation<"bsd->bsd", "d", linearity::linear> { ... };
template <equation E, meta_detail::text_literal Whole = "", linearity Kind = linearity::nonlinear>
struct user_operation {
  using diagnostics = user_operation_diagnostics;
  static constexpr layout_detail::einsum_equation eq = layout_detail::parse(E, layout_detail::max_operands);
  static constexpr layout_detail::einsum_equation::labels whole = ops_detail::whole_labels(eq, Whole);
  template <class T, class...>
  using element = T;

  template <class... V>
  static constexpr rule_result rule(V const&... x) {
    if (sizeof...(V) != eq.operands)
      throw "ashlar::user_operation: the equation names another number of operands than are given; separate them by commas";
    layout_value const* const operands[]{&x...};
    return ops_detail::user_rule(eq, whole, Kind, operands);
  }
  template <class... S>
  static constexpr shape extents(layout_value const&, S const&... x) {
    shape const* const in[]{&x...};
    return ops_detail::extents_by_labels(eq, in, "ashlar::user_operation: a label has one extent in all operands");
  }
};

}  // namespace ashlar
