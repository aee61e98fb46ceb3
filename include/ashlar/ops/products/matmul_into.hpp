// SPDX-License-Identifier: BSL-1.0
// Products that are added to a tensor in place.
#pragma once
#include "ashlar/ops/assign.hpp"
#include "ashlar/ops/products/matmul.hpp"

namespace ashlar {

namespace ops_detail {

// Real operands beside a complex tensor become complex.
template <class C, class A, class B>
inline constexpr bool product_becomes_complex = mixes_complex_and_real<C, A, B> && is_complex_v<element_t<C>>;

template <class C, class A, class B>
struct matmul_into_operands {
  static constexpr bool mesh = operands_share_a_mesh<C, A, B>::ok, matrices = are_matrices<A, B>,
                        elements = of_one_element_type<C, A, B> || product_becomes_complex<C, A, B>,
                        ok = mesh && matrices && elements;
  static constexpr void say() {
    static_assert(
        mesh,
        "ashlar::matmul_into: the operands live on different meshes; make all tensors of one program on one mesh");
    static_assert(
        !mesh || matrices,
        "ashlar::matmul_into: the operands have other numbers of dimensions than two matrices, or batches of them, or a matrix and a vector; write c += alpha * einsum<E>(a, b, to_layout<L>)");
    static_assert(!mesh || !matrices || elements,
                  "ashlar::matmul_into: an operand has another element type than the tensor; write cast<T>(x) for it");
  }
};
template <class C, class A, class B>
struct matmul_into_rank {
  static constexpr bool ok = parse(matmul_equation_of<rank_v<A>, rank_v<B>>).out.rank == rank_v<C>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::matmul_into: the product has another number of dimensions than the tensor; make the tensor with the extents of the product");
  }
};

template <class C, class A, class B>
constexpr void add_product(C& c, element_t<C> const& alpha, A const& a, B const& b, call_site const& w) {
  constexpr equation q = matmul_equation_of<rank_v<A>, rank_v<B>>;
  using plans = product_plans<q, layout_t<C>, A, B>;
  require_meshes_of_one_size(c, a, b);
  shape const product = einsum_op<q>::extents({}, a.extents(), b.extents());
  if (!(product == c.extents()))
    plan_detail::fail_other_extents("ashlar::matmul_into: the product has the extents of the tensor", c.extents(),
                                    product);
  constexpr backend_of<C> runs{};
  if constexpr (multiplies<q, layout_t<C>, A, B>(runs))
    multiply_shards_into<q>(runs, plans::problem, c, alpha, a, b, w);
  else
    with_least_product<plans>(a, b, [&]<class P>(P) {
      auto const x = redistribute<typename P::a>(a, w);
      auto const p = redistribute<layout_t<C>>(einsum<q>(x, redistribute<typename P::b>(b, w)), w);
      update(c, [&](auto const& old) { return old + alpha * p; });
    });
}

}  // namespace ops_detail

/// Adds alpha * matmul(a, b) to a tensor in place: c += alpha a b. The operands have any layouts, and c keeps its own.
/// BLAS adds to the memory of c, without a temporary, in this case: the local products have the layout of c, and no other
/// tensor shares its memory. Otherwise c += alpha * p is computed for the redistributed product p. If a collective
/// fails, the elements of c are unspecified.
/// Shape: c has the extents of matmul(a, b).
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: as matmul(a, b, to_layout<layout_t<C>>). If c is complex, a real operand is copied to complex numbers, and moves as such.
/// Error: a c or an operand under differentiation does not compile, nor does an expression as c. Extents that differ
///   throw ashlar::error.
/// Example: matmul_into(c, -1., a, b)
template <tensor C, tensor A, tensor B>
constexpr void matmul_into(C& c, ops_detail::number_for<element_t<C>> alpha, A const& a, B const& b,
                           call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  if constexpr (meta_detail::hold<ops_detail::assign_target<C, A, B>, ops_detail::matmul_into_operands<C, A, B>,
                                  ops_detail::matmul_into_rank<C, A, B>>())
    ops_detail::add_product(c, alpha.element(), ops_detail::as_complex_operand<element_t<C>>(a),
                            ops_detail::as_complex_operand<element_t<C>>(b), w);
}

}  // namespace ashlar
