// How an operation meets its operands: one entry for abstract, real and active ones.
#pragma once
#include "ashlar/layout/einsum.hpp"
#include "ashlar/plan/abstract_tensor.hpp"

namespace ashlar {

// An operation is a small class:
//   words                       what its errors call it, a type with `report<fault, axis name, layouts...>()`
//   rule(values...)             static constexpr, the layout of the result (layout/)
//   element<T...>               element type of the result (default_element: that of the first operand)
//   extents(out, shapes...)     global extents of the result; throws ashlar::error where they do not fit
//   pullback<I>(ct, y, x...)    the cotangent of operand I, written with operations; absent where it has no derivative
// and, for real tensors, an overload of run(op, space, scratch, y, x...) on shards, its kernel (kernels/<name>.hpp).

namespace ops_detail {

template <class... T>
struct first_of;
template <class T, class... Rest>
struct first_of<T, Rest...> {
  using type = T;
};
template <class... T>
using first_t = typename first_of<T...>::type;

/// Has an operation, or an elementwise function, a derivative with respect to operand I? (A concept of its own: in a
/// requires-clause nvcc 13 takes this expression for ill-formed.)
template <class F, int I, class Ct, class Y, class... X>
concept has_pullback = requires {
  std::declval<F const&>().template pullback<I>(std::declval<Ct const&>(), std::declval<Y const&>(), std::declval<X const&>()...);
};

constexpr auto const& first_operand(auto const& x, auto const&...) { return x; }

template <class... X>
struct operands_on_different_meshes {
  static constexpr bool value = !(std::is_same_v<mesh_t<first_t<X...>>, mesh_t<X>> && ...);
};

template <class X, class... Other>
constexpr void require_meshes_of_one_size(X const& x, Other const&... other) {
  if (!((other.mesh().sizes() == x.mesh().sizes()) && ...))
    fail("ashlar::apply: the operands live on meshes of different sizes; make all tensors of one program on one mesh, or redistribute to it");
}

/// False for tensors that the kernels of operations cannot read, since they run where results are allocated (tensor/).
template <class X>
inline constexpr bool in_reach_of_kernels = true;
template <class... X>
struct operands_out_of_reach {
  static constexpr bool value = !(in_reach_of_kernels<X> && ...);
};

/// Name of an axis of a mesh as a type, for messages; axis -1 has none.
struct no_axis {};
template <class Names, int Axis>
struct axis_for_message {
  using type = name_at_t<Names, Axis>;
};
template <class Names>
struct axis_for_message<Names, -1> {
  using type = no_axis;
};

template <class Op, class... X>
struct result_of {
  using mesh = mesh_t<first_t<X...>>;
  using c = mesh_context<mesh, layout_t<X>...>;
  static constexpr rule_result r = Op::rule(value_v<c, layout_t<X>>...);
  using axis = typename axis_for_message<typename mesh::names, r.axis>::type;
  using layout = layout_from_t<c, encode(r.out), encode_blocks(r.out), r.out.rank>;
  using element = typename Op::template element<element_t<X>...>;

  template <class Handle>
  static constexpr auto make(Op const& op, Handle const& m, shape const& extents, X const&... x) {
    return backend<Handle>::template make_result<element, layout>(op, m, extents, x...);
  }
};

}  // namespace ops_detail

/// Applies an operation to tensors: layouts by its rule, at compile time; elements by its kernel.
/// Collective: no communication.
/// Error: ashlar::error where the operands' meshes, of one type, differ in size; what else does not fit does not compile.
template <class Op, plain_tensor... X>
constexpr auto apply(Op const& op, X const&... x) {
  static_assert(!ops_detail::operands_on_different_meshes<X...>::value,
                "ashlar::apply: the operands live on different meshes; make all tensors of one program on one mesh");
  static_assert(!ops_detail::operands_out_of_reach<X...>::value,
                "ashlar::apply: an operand lies where kernels of the default execution space cannot read it; copy it to a tensor of that space first");
  using R = ops_detail::result_of<Op, X...>;
  if constexpr (R::r.why == fault::fits) {
    auto const& mesh = ops_detail::first_operand(x...).mesh();
    ops_detail::require_meshes_of_one_size(x...);
    if constexpr (plan_detail::has_static_result<Op, X...>) {
      using E = plan_detail::static_result<Op, R, X...>;
      return plan_detail::fix<E>(R::make(op, mesh, E::value, x...));
    } else {
      return R::make(op, mesh, op.extents(R::r.out, x.extents()...), x...);
    }
  } else {
    Op::diagnostics::template report<R::r.why, typename R::axis, layout_t<X>...>();
    return ops_detail::first_operand(x...);  // so that the sentence is the only error
  }
}

namespace ops_detail {
/// True, and in its arguments the axis and the layouts that an error is about.
template <class Axis, class... Layouts>
struct over {
  static constexpr bool value = true;
};
}  // namespace ops_detail

/// Is the fault Why the one that a sentence is about? What `words` of operations assert.
template <fault Why, fault This, class Axis, class... L>
struct breaks {
  static constexpr bool value = Why == This && ops_detail::over<Axis, L...>::value;
};

}  // namespace ashlar
