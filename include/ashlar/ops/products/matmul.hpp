// SPDX-License-Identifier: BSL-1.0
// Products of tensors in any layouts, with the layout of the result as an argument.
#pragma once
#include "ashlar/ops/products/einsum.hpp"
#include "ashlar/ops/products/product_plan.hpp"

namespace ashlar {

namespace ops_detail {

// The destination of a product. The class is a tag in this namespace, so that argument-dependent lookup finds the
// overload for active tensors.
template <equation E, class To, bool ByTypes = false>
struct product_into {};

template <equation E, class A, class B>
struct static_product {
  static constexpr shape value = einsum_op<E>::extents({}, static_extents_v<A>, static_extents_v<B>);
};

/// True if the backend has these functions for operands like A and B, which may wait to be evaluated:
///   multiply_shards<E, To>(backend, p, a, b, extents, w)        einsum<E> in layout To, by the candidates of the problem p
///   multiply_shards_into<E>(backend, p, c, alpha, a, b, w)      adds alpha times that product to c, which has the layout To
template <equation E, class To, class A, class B>
constexpr bool multiplies(...) {
  return false;
}

// Extents that do not fit throw before anything is communicated. Real ranks choose among layouts that are values. A dry
// run makes types of the candidates.
template <equation E, class To, bool ByTypes, plain_tensor A, plain_tensor B>
constexpr auto multiply(product_into<E, To, ByTypes>, A const& a, B const& b, call_site const& w) {
  using plans = product_plans<E, To, A, B, ByTypes>;
  require_meshes_of_one_size(a, b);
  shape const product = einsum_op<E>::extents({}, a.extents(), b.extents());
  if constexpr (multiplies<E, To, A, B>(backend_of<A>{})) {
    auto const y = multiply_shards<E, product_layout<plans>>(backend_of<A>{}, plans::problem, a, b, product, w);
    if constexpr (static_shape<A> && static_shape<B>)
      return plan_detail::fix<static_product<E, A, B>>(y);
    else
      return y;
  } else {
    auto const into = [&]<class L>(std::type_identity<L>, auto const& x, shape const& typical) {
      if constexpr (plans::by_types)
        return relayout_as(after_redistribute<L, std::remove_cvref_t<decltype(x)>>(), typical_extents{typical}, x, w);
      else
        return redistribute<L>(x, w);
    };
    constexpr product_problem const& p = plans::problem;
    return with_least_product<plans>(a, b, [&]<class P>(P) {
      // a before b, whatever the compiler evaluates first
      auto const x = into(std::type_identity<typename P::a>{}, a, p.a);
      auto const product_of = einsum<E>(x, into(std::type_identity<typename P::b>{}, b, p.b));
      return into(std::type_identity<To>{}, product_of,
                  plans::by_types ? einsum_op<E>::extents({}, p.a, p.b) : product);
    });
  }
}

// The equation of one operand that sums over the labels that it alone has, and the equation of the sum.
constexpr equation sum_alone(equation const& e, int operand) {
  return text_of({1, {parse(e).in[operand]}, labels_not_alone(e, operand)});
}
constexpr equation after_sums_alone(equation const& e) {
  return text_of({2, {labels_not_alone(e, 0), labels_not_alone(e, 1)}, parse(e).out});
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

template <equation E, class To, bool ByTypes, class A, class B>
constexpr auto multiply_sums(A const& a, B const& b, call_site const& w) {
  return multiply(product_into<after_sums_alone(E), To, ByTypes>{}, summed_alone<E, 0>(a), summed_alone<E, 1>(b), w);
}

// Requires a layout To for the result of an equation.
template <equation E, class To, class A>
struct einsum_target {
  static constexpr bool rank = parse(E, max_operands).out.rank == To::rank,
                        axes = !axes_missing_from_mesh<mesh_t<A>, To>::value, ok = rank && axes;
  static constexpr void say() {
    static_assert(
        rank,
        "ashlar::einsum: the layout has another number of dimensions than the result; write one spec for each dimension of the result");
    static_assert(!rank || axes,
                  "ashlar::einsum: the layout names an axis that the mesh does not have; use one of the mesh's axes");
  }
};
// `work` of the operands of einsum<E> with the result in layout To.
template <equation E, class To, class Work, class... X>
constexpr auto with_operands_into(Work const& work, X const&... x) {
  return with_one_element_type<is_an_equation<E>, einsum_labels<E, X...>, einsum_target<E, To, first_t<X...>>,
                               operands_share_a_mesh<X...>>(work, x...);
}

// Always false. Its arguments are the operands.
template <class...>
inline constexpr bool to_layout_fits_several = false;

// A product without the layout of its result: the arguments show the layouts of its operands.
template <class A, class B>
struct matmul_layout {
  static constexpr bool ok = !tensor<A>;
  static constexpr void say() {
    static_assert(ok, "ashlar::matmul: name the layout of the result; write matmul(a, b, to_layout<layout<...>>)");
  }
};

template <class A, class B>
inline constexpr bool are_matrices = [] {
  int const a = rank_v<A>, b = rank_v<B>;
  return a >= 1 && b >= 1 && (a <= 2 || b <= 2 || a == b) && (b <= 2 || a >= 2) && a <= 7 && b <= 7;
}();
template <class A, class B>
struct matmul_ranks {
  static constexpr bool ok = are_matrices<A, B>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::matmul: the operands have other numbers of dimensions than two matrices, or batches of them, or a matrix and a vector; write the product as einsum<E>(a, b, to_layout<L>)");
  }
};

// The equation of matmul for operands of these ranks. A vector has no rows, as `a`, or no columns, as `b`.
template <int RankA, int RankB>
constexpr equation matmul_equation() {
  constexpr char batch[] = "abcdef";
  auto const count = [](int rank) { return rank < 2 ? std::size_t{0} : static_cast<std::size_t>(rank - 2); };
  equation r("");
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
/// operand. Backward two more products: the cotangent of an operand is a product into the dual of its layout. An active
/// result is invariant over the axes that To does not name. A real operand beside a complex one is copied to complex
/// numbers in one pass, and moves as such.
/// With to_layout<L>.by_types() a dry run with any extents shows the collectives of all. If extents differ by a factor of 4 it
/// takes up to 1.7 times the bytes of the plan that extents choose, for a thin operand 22 times.
/// Error: as einsum, except for the layouts of the operands; To needs a spec for each dimension of the result.
/// Example: einsum<"mk,nk->mn">(a<layout<"p", "q">>, b<layout<"p", "q">>, to_layout<layout<"p", "q">>) -> layout<"p", "q">
template <equation E, tensor A, tensor B, class To, bool ByTypes>
[[nodiscard]] constexpr auto einsum(A const& a, B const& b, ops_detail::into_layout<To, ByTypes>,
                                    call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return ops_detail::with_operands_into<E, To>(
      [&](auto const& x, auto const& y) { return ops_detail::multiply_sums<E, To, ByTypes>(x, y, w); }, a, b);
}

/// redistribute<To>(einsum<E>(x)).
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: as redistribute of the result.
/// Error: as einsum and redistribute.
/// Example: einsum<"ij->j">(x<layout<"p", none>>, to_layout<layout<"p">>) -> layout<"p">
template <equation E, tensor X, class To>
[[nodiscard]] constexpr auto einsum(X const& x, ops_detail::into_layout<To>, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return ops_detail::with_operands_into<E, To>([&](auto const& y) { return redistribute<To>(einsum<E>(y), w); }, x);
}
template <equation E, tensor A, tensor B, tensor C, class... More>
  requires(ops_detail::is_result_layout<More> || ...)
constexpr A einsum(A const& a, B const&, C const&, More const&...) {
  static_assert(
      ops_detail::to_layout_fits_several<A, B, C, More...>,
      "ashlar::einsum: to_layout is for one and two operands; multiply three pair by pair, or write redistribute<L>(einsum<E>(a, b, c))");
  return a;
}

/// The matrix product of two tensors in any layouts: einsum<"mk,kn->mn">(a, b, into). `into` is to_layout<L>,
/// to_layout<L>.by_types() or to_layout<L>.in_chunks(n). Leading dimensions are batches, as in NumPy: both operands have them, or one operand is a
/// matrix for all batches. A vector `a` is a row, a vector `b` is a column. Products of integers stay in their type.
/// Collective, Cost, Error: as einsum with to_layout.
/// Example: matmul(a<layout<"p", "q">>, b<layout<cyclic("p", 64), cyclic("q", 64)>>, to_layout<layout<"p", "q">>) ->
///   layout<"p", "q">
/// Source: van de Geijn and Watts, SUMMA, 1997; Solomonik and Demmel, 2.5D algorithms, 2011.
template <tensor A, tensor B, class Into>
  requires(ops_detail::is_result_layout<Into>)
[[nodiscard]] constexpr auto matmul(A const& a, B const& b, Into into, call_site w = call_site::current()) {
  return meta_detail::checked<ops_detail::matmul_ranks<A, B>>(
      [&](auto const& x, auto const& y) {
        return einsum<ops_detail::matmul_equation_of<rank_v<decltype(x)>, rank_v<decltype(y)>>>(x, y, into, w);
      },
      a, b);
}
template <tensor A, tensor B>
[[nodiscard]] constexpr auto matmul(A const& a, B const& b) {
  return meta_detail::checked<ops_detail::matmul_layout<A, B>>([](auto const& x, auto const&) { return x; }, a, b);
}

}  // namespace ashlar
