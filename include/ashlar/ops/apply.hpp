// SPDX-License-Identifier: BSL-1.0
// The application of operations to operands: one entry point for abstract, real and active tensors.
#pragma once
#include "ashlar/layout/einsum.hpp"
#include "ashlar/layout/halo.hpp"
#include "ashlar/meta/check.hpp"
#include "ashlar/plan/dry_run.hpp"

namespace ashlar {

// An operation is a small class with these members:
//   diagnostics                 its error sentences: a type with `report<fault, axis name, layouts...>()`.
//   rule(values...)             static constexpr: the layout of the result (layout/).
//   element<T...>               the element type of the result.
//   extents(out, shapes...)     the global extents of the result; throws ashlar::error if the shapes do not fit.
//   pullback<I>(ct, y, x...)    the cotangent of operand I, written with operations; absent if there is no derivative.
// Its kernel for real tensors is an overload of run(op, space, scratch, y, x...) on shards (kernels/<name>.hpp).

namespace ops_detail {

/// True if an operation, or an elementwise function, has a derivative with respect to operand I. (A concept of its own,
/// because nvcc 13 rejects this expression in a requires-clause.)
template <class F, int I, class Ct, class Y, class... X>
concept has_pullback = requires {
  std::declval<F const&>().template pullback<I>(std::declval<Ct const&>(), std::declval<Y const&>(),
                                                std::declval<X const&>()...);
};

/// True if an operation reads the halo cells of its operands. It has a member `reads_halo`, and a member template
/// result_layout<L> instead of the layout L of owned cells (ops/stencils/halo_windows.hpp).
template <class Op>
concept reads_halo_cells = requires { Op::reads_halo; };

template <int I>
constexpr auto const& operand_at(auto const& x, auto const&... rest) {
  if constexpr (I == 0)
    return x;
  else
    return operand_at<I - 1>(rest...);
}
template <int I, class First, class... Rest>
struct operand_type_of : operand_type_of<I - 1, Rest...> {};
template <class First, class... Rest>
struct operand_type_of<0, First, Rest...> {
  using type = First;
};
template <int I, class... X>
using operand_type = typename operand_type_of<I, X...>::type;
template <class... X>
using first_t = operand_type<0, X...>;

/// The base of operations whose result has the element type and the extents of operand I.
template <class Diagnostics, int I = 0>
struct like_operand {
  using diagnostics = Diagnostics;
  template <class... T>
  using element = operand_type<I, T...>;
  static constexpr shape extents(layout_value const&, auto const&... x) { return operand_at<I>(x...); }
};

/// The extents of the result of an equation, from its operands'. If a label has two extents, `rule` is the error.
constexpr shape extents_by_labels(einsum_equation const& e, shape const* const* in, char const* rule) {
  shape y;
  y.rank = e.out.rank;
  for (int o = 0; o < e.operands; ++o)
    for (int d = 0; d < e.in[o].rank; ++d) {
      char const label = e.in[o].label[d];
      for (int q = 0; q < o; ++q)
        if (int const f = e.in[q].find(label); f >= 0 && (*in[q])[f] != (*in[o])[d])
          plan_detail::fail_extents(rule, *in[q], *in[o]);
      if (int const kept = e.out.find(label); kept >= 0) y[kept] = (*in[o])[d];
    }
  return y;
}

template <class X, class... Other>
inline constexpr bool of_one_element_type = (std::is_same_v<element_t<X>, element_t<Other>> && ...);

template <class X, class... Other>
inline constexpr bool on_one_mesh = (std::is_same_v<mesh_t<X>, mesh_t<Other>> && ...);
template <class... X>
struct operands_share_a_mesh {
  static constexpr bool ok = on_one_mesh<X...>;
  static constexpr void say() {
    static_assert(ok,
                  "ashlar::apply: the operands live on different meshes; make all tensors of one program on one mesh");
  }
};

template <class X, class... Other>
constexpr void require_meshes_of_one_size(X const& x, Other const&... other) {
  // Compilers print the line on which a call begins.
  // clang-format off
  if (!((other.mesh().sizes() == x.mesh().sizes()) && ...))
    fail("ashlar::apply: the operands live on meshes of different sizes; make all tensors of one program on one mesh, or redistribute to it");
  if constexpr (requires { x.mesh().order_of_ranks(); })
    if (!((other.mesh().order_of_ranks() == x.mesh().order_of_ranks()) && ...))
      fail("ashlar::apply: the operands live on meshes of the same sizes with other ranks, or with ranks in another order; make all tensors of one program on one mesh, or redistribute to it");
  // clang-format on
}

/// False for tensors that the kernels of operations cannot read. Kernels run in the space of the results (tensor/).
template <class X>
inline constexpr bool in_reach_of_kernels = true;
template <class... X>
struct operands_in_reach {
  static constexpr bool ok = (in_reach_of_kernels<X> && ...);
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::apply: an operand is where kernels of the default execution space cannot read it; copy it to a tensor of that space first");
  }
};

/// The name of an axis of a mesh as a type, for error sentences; no_axis for axis -1.
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
};

template <class Op, class... X>
struct operands_fit {
  using result = result_of<Op, X...>;
  static constexpr bool mesh = on_one_mesh<X...>, reach = (in_reach_of_kernels<X> && ...),
                        ok = mesh && reach && result::r.why == fault::fits;
  static constexpr void say() {
    if constexpr (!mesh)
      operands_share_a_mesh<X...>::say();
    else if constexpr (!reach)
      operands_in_reach<X...>::say();
    else
      Op::diagnostics::template report<result::r.why, typename result::axis, layout_t<X>...>();
  }
};

// The operation as a program writes it, if it has a symbol.
template <class Op>
inline constexpr char const* symbol_of = nullptr;
template <class Op>
  requires requires { Op::function::symbol; }
inline constexpr char const* symbol_of<Op> = Op::function::symbol;
// The operands of an operation, for errors about their extents. Context: of their mesh and layouts. Pre: they outlive the
// result.
template <class Mesh, class Context, class... X>
constexpr named_operands name_operands(char const* symbol, X const&... x) {
  return {symbol,
          meta_detail::names_of_list<typename Mesh::names>::text,
          static_cast<int>(sizeof...(X)),
          {&value_v<Context, owned_layout_t<layout_t<X>>>...},
          {&x.extents()...}};
}

/// Refuses extents that differ by one, counted from the last dimension, as fields of a staggered grid have.
constexpr void refuse_staggered_fields(shape const& a, shape const& b) {
  for (int i = a.rank - 1, j = b.rank - 1; i >= 0 && j >= 0; --i, --j)
    if (a[i] > 1 && b[j] > 1 && (a[i] - b[j] == 1 || b[j] - a[i] == 1))
      plan_detail::fail_extents(
          "ashlar::elementwise: fields have the same extents; make all fields of a staggered grid with the larger ones",
          a, b);
}
/// Does so if some field has a halo.
template <class First, class... X>
constexpr void refuse_staggered_halos(First const& first, X const&... x) {
  if constexpr (layout_detail::layout_has_a_halo<layout_t<First>>::value ||
                (layout_detail::layout_has_a_halo<layout_t<X>>::value || ...))
    (refuse_staggered_fields(first.extents(), x.extents()), ...);
}

// The extents of the result. Errors name the operands.
template <class R, class Op, class... X>
constexpr shape extents_of_result(Op const& op, X const&... x) {
  plan_detail::named_operands const operands = name_operands<typename R::mesh, typename R::c>(symbol_of<Op>, x...);
  plan_detail::operands_in_error const here(operands);
  if constexpr (requires { typename Op::function; }) refuse_staggered_halos(x...);  // element by element
  return op.extents(R::r.out, x.extents()...);
}

}  // namespace ops_detail

/// Applies an operation to tensors. The layout comes from its rule, at compile time; the elements come from its kernel.
/// Collective: no communication.
/// Error: layouts that do not fit do not compile. ashlar::error if the operands' meshes, of one type, differ in size,
/// or if run-time extents do not fit.
/// Example: apply(rotary{}, x) runs the operation `rotary` of a program
template <class Op, plain_tensor... X>
constexpr auto apply(Op const& op, X const&... x) {
  using fits = ops_detail::operands_fit<Op, X...>;
  if constexpr (fits::ok) {
    using R = typename fits::result;
    auto const& mesh = meta_detail::first_operand(x...).mesh();
    if constexpr (sizeof...(X) > 1) ops_detail::require_meshes_of_one_size(x...);
    constexpr plan_detail::backend_of<ops_detail::first_t<X...>> runs{};
    using T = plan_detail::checked_element_t<typename R::element>;
    using L = typename R::layout;
    if constexpr (plan_detail::has_static_result<Op, X...>) {
      using E = plan_detail::static_result<Op, R, X...>;
      return plan_detail::fix<E>(compute<T, L>(runs, op, mesh, E::value, x...));
    } else {
      return compute<T, L>(runs, op, mesh, ops_detail::extents_of_result<R>(op, x...), x...);
    }
  } else {
    fits::say();
    return meta_detail::first_operand(x...);  // so that the sentence is the only error
  }
}

namespace ops_detail {

template <class Op, class X>
constexpr auto apply_to_one(Op const& op, X const& x) {
  return ashlar::apply<Op, X>(op, x);  // a qualified name, so no function below
}

template <class Op, class X>
concept may_find_std_apply = requires { typename element_t<X>::value_type; } ||
                             requires { typename std::remove_cvref_t<Op>::function::complex_result; };

/// Always true. Its arguments show the axis and the layouts of a fault in the compiler's output.
template <class Axis, class... Layouts>
struct over {
  static constexpr bool value = true;
};

}  // namespace ops_detail

// Argument-dependent lookup finds std::apply too if elements, or the results of an elementwise function, are of std::complex.
// It would fit an operation and one tensor better than the function above. These overloads fit better still, and call that
// function.
template <class Op, plain_tensor X>
  requires(ops_detail::may_find_std_apply<Op, X> && !std::is_const_v<std::remove_reference_t<Op>>)
constexpr auto apply(Op&& op, X const& x) {
  return ops_detail::apply_to_one(op, x);
}
template <class Op, plain_tensor X>
  requires ops_detail::may_find_std_apply<Op, X>
constexpr auto apply(Op const& op, X const& x) {
  return ops_detail::apply_to_one(op, x);
}

/// True if the fault `Why` is the fault `This` of an error sentence. The diagnostics of operations assert the contrary.
template <fault Why, fault This, class Axis, class... L>
struct breaks {
  static constexpr bool value = Why == This && ops_detail::over<Axis, L...>::value;
};

}  // namespace ashlar
