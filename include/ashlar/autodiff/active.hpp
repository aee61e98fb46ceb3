// SPDX-License-Identifier: BSL-1.0
// Active tensors: tensors under differentiation.
#pragma once
#include "ashlar/autodiff/tape.hpp"
#include "ashlar/meta/product.hpp"
#include "ashlar/ops/async.hpp"
#include "ashlar/ops/bundle.hpp"
#include "ashlar/ops/products/chain.hpp"
#include "ashlar/ops/halo.hpp"

namespace ashlar {

namespace autodiff_detail {

/// The type that a mesh handle allocates for an element type and a layout.
template <class Handle, class T, class L>
using allocated_t = decltype(allocate<T, L>(std::declval<Handle const&>(), std::declval<shape const&>()));

template <class X, axis_mask Replicated>
struct dual_layout {
  using c = mesh_context<mesh_t<X>, layout_t<X>>;
  static constexpr layout_value value = dual(value_v<c, layout_t<X>>, Replicated);
  using type = layout_from_t<c, encode(value), encode_blocks(value), value.rank>;
};
template <axis_mask Replicated, class L>
struct replicated_edges {
  static constexpr bool ok = Replicated == 0 || !has_given_edge<L>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::value_and_grad: a tensor with a given boundary is replicated over an axis, so its cotangent would be partial, and given cells are no terms of a sum; write another boundary, or name no such axis, as in value_and_grad<none>(f)");
  }
};
// A filled halo and a halo of sums are duals. An unfilled halo is its own dual. The layout of the owned cells has its own.
template <class X, axis_mask Replicated>
  requires(layout_has_a_halo<layout_t<X>>::value)
struct dual_layout<X, Replicated> {
  using L = layout_t<X>;
  using filled = std::conditional_t<has_halo_sums<L>, fresh<L>, halo_sums<L>>;
  using same = std::conditional_t<is_in_state<L, halo_state::unfilled>, L, filled>;
  static auto chosen() {
    replicated_edges<Replicated, L>::say();
    if constexpr (Replicated != 0 || halo_is_partial<L>::value)
      return static_cast<
          typename with_owned_layout<same, typename dual_layout<ops_detail::owned_part<X>, Replicated>::type>::type*>(
          nullptr);
    else
      return static_cast<same*>(nullptr);
  }
  using type = std::remove_pointer_t<decltype(chosen())>;
};

template <class X>
inline constexpr bool is_filled = has_filled_halo<layout_t<X>>;

}  // namespace autodiff_detail

/// An active tensor: a tensor, and the slot that collects its cotangent. `Replicated` are the axes over which it is
/// replicated (R): its cotangent is partial. Over other axes that its layout does not name it is invariant (I): its
/// cotangent is invariant, too. Handles are cheap. They are valid while the value_and_grad that made them runs.
template <class X, axis_mask Replicated>
class active {
 public:
  using plain_type = X;
  using element_type = element_t<X>;
  using layout_type = layout_t<X>;
  using mesh_type = mesh_t<X>;
  using cotangent_type =
      autodiff_detail::allocated_t<std::remove_cvref_t<decltype(std::declval<X const&>().mesh())>, element_type,
                                   typename autodiff_detail::dual_layout<X, Replicated>::type>;
  static constexpr axis_mask replicated = Replicated;

  constexpr active(autodiff_detail::tape& t, X const& x) : x_(x), tape_(&t) {
    slot_ = new autodiff_detail::slot<cotangent_type>;
    t.push_node(slot_);
  }
  constexpr auto const& mesh() const { return x_.mesh(); }
  constexpr decltype(auto) extents() const { return x_.extents(); }
  constexpr index_t extent(int d) const { return x_.extents()[d]; }
  constexpr X const& value() const { return x_; }
  constexpr autodiff_detail::slot<cotangent_type>& cotangent() const { return *slot_; }
  constexpr autodiff_detail::tape& recording_tape() const { return *tape_; }
  /// The same active tensor with a lazy expression evaluated. It shares the cotangent.
  constexpr auto evaluate() const {
    using Y = std::remove_cvref_t<decltype(plan_detail::materialize(x_))>;
    return active<Y, Replicated>(plan_detail::materialize(x_), tape_, slot_);
  }

 private:
  template <class, axis_mask>
  friend class active;
  constexpr active(X const& x, autodiff_detail::tape* t, autodiff_detail::slot<cotangent_type>* s)
      : x_(x), tape_(t), slot_(s) {}

  X x_;
  autodiff_detail::tape* tape_;
  autodiff_detail::slot<cotangent_type>* slot_;
};

namespace autodiff_detail {

template <class X>
inline constexpr bool is_active_v = false;

template <class X, axis_mask R>
inline constexpr bool is_active_v<active<X, R>> = true;

}  // namespace autodiff_detail
/// A tensor under differentiation, which records on a tape: the operands of a function that value_and_grad calls.
template <class X>
concept active_value = autodiff_detail::is_active_v<std::remove_cvref_t<X>>;

namespace autodiff_detail {

template <class X>
using tensor_of = std::remove_cvref_t<decltype(stop_gradient(std::declval<X const&>()))>;

template <class X>
inline constexpr axis_mask replicated_of = 0;
template <class X, axis_mask R>
inline constexpr axis_mask replicated_of<active<X, R>> = R;

template <class X>
inline constexpr axis_mask named_of =
    value_v<mesh_context<mesh_t<X>, layout_t<X>>, owned_layout_t<layout_t<X>>>.named();

// Axes over which an active operand is invariant while another operand is sharded, partial or replicated: an error.
template <class... X>
inline constexpr axis_mask invariant_meets_other = [] {
  constexpr axis_mask named = (0u | ... | named_of<X>), replicated = (0u | ... | replicated_of<X>);
  axis_mask bad = 0;
  ((bad |= is_active_v<X> ? (named | replicated) & ~named_of<X> & ~replicated_of<X> : 0u), ...);
  return bad;
}();

template <class Axis, class... X>
inline constexpr bool invariant_value_meets_varying = !std::is_same_v<Axis, no_axis>;

template <class... X>
constexpr void require_all_to_vary() {
  constexpr axis_mask bad = invariant_meets_other<X...>;
  using axis = typename ops_detail::axis_for_message<typename mesh_t<ops_detail::first_t<X...>>::names,
                                                     layout_detail::first_axis(bad)>::type;
  static_assert(
      !invariant_value_meets_varying<axis, X...>,
      "ashlar::value_and_grad: an operand under differentiation is invariant over an axis on which another varies; write as_replicated<axis>(operand), an all-reduce in the backward pass, or value_and_grad<axis>(f) if the loss is a sum over it");
}

/// Axes over which the result of an operation on X... is replicated, given the axes that its layout names.
template <axis_mask Named, class... X>
inline constexpr axis_mask replicated_after = (0u | ... | replicated_of<X>)&~Named;

template <class Op, int I, class Ct, class Y, class... X>
inline constexpr bool no_derivative = !has_pullback<Op, I, Ct, Y, X...>;

template <int I, class Op, class Ct, class Y, class Operand, class... X>
constexpr void pull_back(Op const& op, Ct const& ct, Y const& y, Operand const& operand, X const&... x) {
  if constexpr (active_value<Operand>) {
    if constexpr (no_derivative<Op, I, Ct, Y, tensor_of<X>...>) {
      static_assert(
          !no_derivative<Op, I, Ct, Y, tensor_of<X>...>,
          "ashlar::value_and_grad: the operation has no derivative with respect to this operand; pass stop_gradient(operand), or write a pullback");
    } else {
      auto g = op.template pullback<I>(ct, y, stop_gradient(x)...);
      using C = typename Operand::cotangent_type;
      constexpr bool fits =
          std::is_same_v<layout_t<decltype(g)>, layout_t<decltype(as_terms(std::declval<C const&>()))>>;
      static_assert(
          fits,
          "ashlar::value_and_grad: the pullback gives a cotangent of another layout than the operand's dual; see docs/explanation/rules.md");
      if constexpr (!fits)
        return;
      else if constexpr (std::is_same_v<element_t<decltype(g)>, element_t<C>>)
        operand.cotangent().add(from_terms<C>(materialize(g)));
      else  // integers, on the way to the operation that gave them, which has no derivative
        operand.cotangent().add(from_terms<C>(materialize(cast<element_t<C>>(g))));
    }
  }
}

// The pullback of an operation to all its operands. (A lambda that captures a pack would crash nvcc 13.)
template <class Op, class... X>
struct pullback_of_operation {
  Op op;
  product<X...> operands;

  constexpr void operator()(auto const& result) const {
    to_operands(result, std::make_integer_sequence<int, static_cast<int>(sizeof...(X))>{});
  }
  template <int... I>
  constexpr void to_operands(auto const& result, std::integer_sequence<int, I...> all) const {
    (to_operand<I>(result, all), ...);
  }
  template <int I, int... J>
  constexpr void to_operand(auto const& result, std::integer_sequence<int, J...>) const {
    pull_back<I>(op, as_terms(result.cotangent().value()), result.value(), get<I>(operands), get<J>(operands)...);
  }
};

constexpr tape& tape_of(auto const& x, auto const&... rest) {
  if constexpr (active_value<decltype(x)>)
    return x.recording_tape();
  else
    return tape_of(rest...);
}

// The backward pass of one operation. It has nothing to do if no cotangent of the result has come.
template <class Result, class Pullback>
struct recorded_pullback {
  Result result;
  Pullback pullback;
  constexpr void operator()() const {
    if (result.cotangent().is_set()) pullback(result);
  }
};

/// The active result y of an operation on x..., some of which are active. pullback(result) reads the result's cotangent
/// and adds to the operands'. The tape calls it if there is a cotangent. A linear map of one operand is `linear`.
template <axis_mask Replicated, class Y, class Pullback, class... X>
constexpr auto record(Y const& y, Pullback const& pullback, X const&... x) {
  active<Y, Replicated> result(tape_of(x...), y);
  result.recording_tape().push(recorded_pullback<active<Y, Replicated>, Pullback>{result, pullback});
  return result;
}

// An operation reads the owned cells of a filled halo: with_unfilled_halo says so to its derivative.
template <class X>
constexpr decltype(auto) without_filled_halo(X const& x) {
  if constexpr (is_active_v<X> && is_filled<X>)
    return with_unfilled_halo(ops_detail::destination<layout_detail::unfilled<layout_t<X>>, 0u>{}, x);
  else
    return (x);
}
}  // namespace autodiff_detail

/// Applies an operation to operands, some of which are active, and writes its pullback on the tape.
/// Error: as apply of plain tensors.
/// Example: apply(rotary{}, x), in a function that value_and_grad differentiates
template <class Op, tensor... X>
  requires(active_value<X> || ...)
constexpr auto apply(Op const& op, X const&... x) {
  if constexpr (!ops_detail::reads_halo_cells<Op> &&
                ((autodiff_detail::is_active_v<X> && autodiff_detail::is_filled<X>) || ...))
    return apply(op, autodiff_detail::without_filled_halo(x)...);
  else {
    autodiff_detail::require_all_to_vary<X...>();
    auto y = apply(op, stop_gradient(x)...);
    using Y = decltype(y);
    constexpr axis_mask r = autodiff_detail::replicated_after<autodiff_detail::named_of<Y>, X...>;
    // Operands that do not fit are an error already. The derivative would repeat it.
    if constexpr (ops_detail::result_of<Op, autodiff_detail::tensor_of<X>...>::r.why == fault::fits &&
                  autodiff_detail::invariant_meets_other<X...> == 0)
      return autodiff_detail::record<r>(
          y, autodiff_detail::pullback_of_operation<Op, X...>{op, meta_detail::product<X...>(x...)}, x...);
    else
      return active<Y, r>(autodiff_detail::tape_of(x...), y);
  }
}

namespace autodiff_detail {
template <class Op, class X>
constexpr auto apply_to_one_active(Op const& op, X const& x) {
  return ashlar::apply<Op, X>(op, x);  // a qualified name, so no function below
}
}  // namespace autodiff_detail

// These fit better than std::apply, as for plain tensors (ops/apply.hpp).
template <class Op, active_value X>
  requires(ops_detail::may_find_std_apply<Op, X> && !std::is_const_v<std::remove_reference_t<Op>>)
constexpr auto apply(Op&& op, X const& x) {
  return autodiff_detail::apply_to_one_active(op, x);
}
template <class Op, active_value X>
  requires ops_detail::may_find_std_apply<Op, X>
constexpr auto apply(Op const& op, X const& x) {
  return autodiff_detail::apply_to_one_active(op, x);
}

}  // namespace ashlar
