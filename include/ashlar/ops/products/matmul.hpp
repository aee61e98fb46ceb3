// SPDX-License-Identifier: BSL-1.0
// Products of tensors in any layouts, with the layout of the result as an argument.
#pragma once
#include "ashlar/ops/products/einsum.hpp"
#include "ashlar/ops/products/product_plan.hpp"

namespace ashlar {

namespace ops_detail {

// The destination of a product. The class is a tag in this namespace, so that argument-dependent lookup finds the
// overload for active tensors.
template <equation E, class To>
struct product_into {};

template <equation E, class A, class B>
struct static_product {
  static constexpr shape value = einsum_op<E>::extents({}, static_extents_v<A>, static_extents_v<B>);
};

// Extents that do not fit throw before anything is communicated. Real ranks choose among layouts that are values. A dry
// run makes types of the candidates.
template <equation E, class To, plain_tensor A, plain_tensor B>
constexpr auto multiply(product_into<E, To>, A const& a, B const& b, call_site const& w) {
  using plans = product_plans<E, To, A, B>;
  static_assert(!operands_on_different_meshes<A, B>::value,
                "ashlar::apply: the operands live on different meshes; make all tensors of one program on one mesh");
  require_meshes_of_one_size(a, b);
  shape const product = einsum_op<E>::extents({}, a.extents(), b.extents());
  using backend = backend_of<A>;
  if constexpr (backend::template multiplies<E, To, A, B>) {
    auto const y = backend::template multiply<E, product_layout<plans>>(plans::problem, a, b, product, w);
    if constexpr (static_shape<A> && static_shape<B>)
      return plan_detail::fix<static_product<E, A, B>>(y);
    else
      return y;
  } else {
    return with_least_product<plans>(a.extents(), b.extents(), a.mesh().sizes(), [&]<class P>(P) {
      auto const x = redistribute<typename P::a>(a, w);  // before b, whatever the compiler evaluates first
      return redistribute<To>(einsum<E>(x, redistribute<typename P::b>(b, w)), w);
    });
  }
}

// The equation of one operand that sums over the labels that it alone has, and the equation of the sum.
constexpr equation sum_alone(equation const& e, int operand) {
  einsum_equation const q = parse(e);
  unsigned const alone = dims_summed_alone(e, operand);
  equation r(0, 0, 0, 0, 0, 0, 0, 0, 0);
  r.append(q.in[operand].label, static_cast<std::size_t>(q.in[operand].rank));
  r.append("->", 2);
  for (int d = 0; d < q.in[operand].rank; ++d)
    if (!(alone >> d & 1u)) r.append(&q.in[operand].label[d], 1);
  return r;
}
constexpr equation after_sums_alone(equation const& e) {
  einsum_equation const q = parse(e);
  equation r(0, 0, 0, 0, 0, 0, 0, 0, 0);
  for (int o = 0; o < 2; ++o) {
    if (o == 1) r.append(",", 1);
    unsigned const alone = dims_summed_alone(e, o);
    for (int d = 0; d < q.in[o].rank; ++d)
      if (!(alone >> d & 1u)) r.append(&q.in[o].label[d], 1);
  }
  r.append("->", 2);
  r.append(q.out.label, static_cast<std::size_t>(q.out.rank));
  return r;
}
template <equation E, int Operand, class X>
constexpr auto summed_alone(X const& x) {
  if constexpr (dims_summed_alone_of<E, Operand> == 0) {
    return x;
  } else {
    constexpr equation q = sum_alone(E, Operand);
    return einsum<q>(x);
  }
}

template <equation E, class To>
struct result_has_other_rank {
  static constexpr bool value = parse(E).out.rank != To::rank;
};
template <class To, class X>
struct result_names_an_unknown_axis {
  static constexpr bool value = axes_missing_from_mesh<mesh_t<X>, To>::value;
};

// A product without the layout of its result: the arguments show the layouts of its operands.
template <class A, class B>
struct product_lacks_its_layout {
  static constexpr bool value = true;
};

// The equation of matmul for operands of these ranks. A vector has no rows, as `a`, or no columns, as `b`.
template <int RankA, int RankB>
struct no_matrix_product {
  static constexpr int batches = (RankA > RankB ? RankA : RankB) - 2;
  static constexpr bool value =
      RankA < 1 || RankB < 1 || (RankA > 2 && RankB > 2 && RankA != RankB) || (RankB > 2 && RankA < 2) || batches > 5;
};
template <int RankA, int RankB>
constexpr equation matmul_equation() {
  constexpr char batch[] = "abcdef";
  auto const count = [](int rank) { return rank < 2 ? std::size_t{0} : static_cast<std::size_t>(rank - 2); };
  equation r(0, 0, 0, 0, 0, 0, 0, 0, 0);
  auto put = [&](int batches_of, char const* rows, char const* columns) {
    r.append(batch, count(batches_of));
    r.append(rows, *rows ? 1 : 0);
    r.append(columns, *columns ? 1 : 0);
  };
  put(RankA, RankA == 1 ? "" : "m", "k");
  r.append(",", 1);
  put(RankB, "k", RankB == 1 ? "" : "n");
  r.append("->", 2);
  put(RankA > RankB ? RankA : RankB, RankA == 1 ? "" : "m", RankB == 1 ? "" : "n");
  return r;
}
template <int RankA, int RankB>
inline constexpr equation matmul_equation_of = matmul_equation<RankA, RankB>();

}  // namespace ops_detail

/// einsum of two tensors in any layouts, with the result in layout To. The operands may be sharded in several dimensions,
/// block-cyclic, in unequal parts, and partial. The call is a composition: redistribute the operands, einsum,
/// redistribute the result. einsum_plan chooses the layouts between, by the least cost of work and communication.
/// Shape: by the equation's labels, as for einsum.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: einsum_plan's, of the candidates that the layouts leave; the ledger counts each collective. Memory for the
/// operands and the result in the layouts between. Matrices, and batches of them, are not gathered along the summed
/// label. Within a node BLAS reads the other ranks' blocks in place. Between nodes a rank holds two panels of each
/// operand. Backward two more products: the cotangent of an operand is einsum_to into the dual of its layout. An active
/// result is invariant over the axes that To does not name. A real operand beside a complex one is copied to complex
/// numbers in one pass, and moves as such.
/// Error: as einsum, except for the layouts of the operands; To needs a spec for each dimension of the result.
/// Example: einsum_to<"mk,nk->mn", layout<"p", "q">>(a<layout<"p", "q">>, b<layout<"p", "q">>) -> layout<"p", "q">
template <equation E, class To, tensor A, tensor B>
[[nodiscard]] constexpr auto einsum_to(A const& a, B const& b, call_site w = call_site::current()) {
  if constexpr (layout_detail::equation_has_another_syntax<E>::value) {
    layout_detail::require_syntax<E>();
    return a;
  } else if constexpr (ops_detail::equation_has_other_ranks<E, layout_t<A>, layout_t<B>>::value) {
    static_assert(
        !ops_detail::equation_has_other_ranks<E, layout_t<A>, layout_t<B>>::value,
        "ashlar::einsum_to: the equation names another number of dimensions than the operands have; one letter per dimension");
    return a;
  } else if constexpr (ops_detail::operands_have_different_element_types<element_t<A>, element_t<B>>::value) {
    return ops_detail::with_one_element_type([&](auto const& x, auto const& y) { return einsum_to<E, To>(x, y, w); }, a,
                                             b);
  } else {
    static_assert(
        !ops_detail::result_has_other_rank<E, To>::value,
        "ashlar::einsum_to: the layout has another number of dimensions than the result; write one spec for each dimension of the result");
    static_assert(
        !ops_detail::result_names_an_unknown_axis<To, A>::value,
        "ashlar::einsum_to: the layout names an axis that the mesh does not have; use one of the mesh's axes");
    if constexpr (ops_detail::result_has_other_rank<E, To>::value ||
                  ops_detail::result_names_an_unknown_axis<To, A>::value) {
      return a;
    } else {
      plan_detail::call_in_errors const call(w);
      constexpr equation q = ops_detail::after_sums_alone(E);
      return multiply(ops_detail::product_into<q, To>{}, ops_detail::summed_alone<E, 0>(a),
                      ops_detail::summed_alone<E, 1>(b), w);
    }
  }
}

/// The matrix product of two tensors in any layouts, with the result in layout To: einsum_to<"mk,kn->mn", To>(a, b).
/// Leading dimensions are batches, as in NumPy: both operands have them, or one operand is a matrix for all batches. A
/// vector `a` is a row, a vector `b` is a column. Products of integers stay in their type.
/// Collective, Cost, Error: as einsum_to.
/// Example: matmul<layout<"p", "q">>(a<layout<"p", "q">>, b<layout<cyclic("p", 64), cyclic("q", 64)>>) ->
///   layout<"p", "q">
/// Source: van de Geijn and Watts, SUMMA, 1997; Solomonik and Demmel, 2.5D algorithms, 2011.
template <class To, tensor A, tensor B>
[[nodiscard]] constexpr auto matmul(A const& a, B const& b, call_site w = call_site::current()) {
  constexpr bool wrong = ops_detail::no_matrix_product<rank_v<A>, rank_v<B>>::value;
  static_assert(
      !ops_detail::no_matrix_product<rank_v<A>, rank_v<B>>::value,
      "ashlar::matmul: the operands have other numbers of dimensions than two matrices, or batches of them, or a matrix and a vector; write the product as einsum_to<E, To>(a, b)");
  if constexpr (wrong)
    return a;
  else
    return einsum_to<ops_detail::matmul_equation_of<rank_v<A>, rank_v<B>>, To>(a, b, w);
}
template <tensor A, tensor B>
[[nodiscard]] constexpr auto matmul(A const& a, B const&) {
  static_assert(!ops_detail::product_lacks_its_layout<A, B>::value,
                "ashlar::matmul: name the layout of the result; write matmul<layout<...>>(a, b)");
  return a;
}

}  // namespace ashlar
