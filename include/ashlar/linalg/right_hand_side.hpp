// SPDX-License-Identifier: BSL-1.0
// Right-hand sides of linear systems: vectors and matrices in any layout.
#pragma once
#include "ashlar/kernels/products/einsum.hpp"
#include "ashlar/linalg/solver_call.hpp"
#include "ashlar/ops/products/transpose.hpp"
#include "ashlar/ops/view.hpp"

namespace ashlar::linalg {

/// The form of the matrix of a system: the matrix, its transpose, or its conjugate transpose.
enum class form { plain, transpose, adjoint };

}  // namespace ashlar::linalg

namespace ashlar::linalg_detail {

using linalg::form;

/// The layout without its reductions.
template <class L>
struct reduced {
  using type = L;
};
template <class L, class Op, class... A>
struct reduced<basic_partial<L, Op, A...>> : reduced<L> {};
template <class L>
using reduced_t = typename reduced<L>::type;

template <class B>
struct right_hand_side_without_derivative {
  static constexpr bool ok = plain_tensor<B>;
  static constexpr void say() {
    static_assert(ok,
                  "ashlar::linalg: solvers have no derivative; give the plain right-hand side, by stop_gradient(x)");
  }
};
template <class A, class B>
struct right_hand_side_of {
  static constexpr bool rank = rank_v<B> == 1 || rank_v<B> == 2, elements = std::is_same_v<element_t<A>, element_t<B>>,
                        mesh = std::is_same_v<mesh_t<A>, mesh_t<B>>, ok = rank && elements && mesh;
  static constexpr void say() {
    static_assert(rank,
                  "ashlar::linalg: a right-hand side is a vector or a matrix; give a tensor of one or two dimensions");
    static_assert(
        !rank || elements,
        "ashlar::linalg: the matrix and the right-hand side have different element types; convert one by cast");
    static_assert(
        !rank || !elements || mesh,
        "ashlar::linalg: the matrix and the right-hand side are on different meshes; move one by copy_to_mesh");
  }
};

/// work(a, b) if b can be the right-hand side of a system with the matrix a, b if not.
template <class A, class B, class Work>
constexpr auto with_system(A const& a, B const& b, call_site const& w, Work const& work) {
  return with_matrix<right_hand_side_without_derivative<B>, right_hand_side_of<A, B>>(
      a, w, [&](auto const& matrix) { return work(matrix, b); }, [&](auto const&) { return b; });
}

constexpr void require_rows(index_t rows, shape const& b) {
  if (b[0] == rows) return;
  shape expected = b;
  expected[0] = rows;
  plan_detail::fail_other_extents("ashlar::linalg: the right-hand side has as many rows as the system has equations",
                                  expected, b);
}

/// A vector as a matrix of one column, and a matrix as it is.
template <class B>
constexpr auto as_columns(B const& b) {
  if constexpr (rank_v<B> == 1)
    return apply(ops_detail::keep_dims_op<2u>{}, b);
  else
    return plan_detail::evaluated(b);
}
/// A solution of the form and layout of the right-hand side B.
template <class B, class X>
constexpr auto as_given(X const& x, call_site const& w) {
  if constexpr (rank_v<B> == 1)
    return apply(ops_detail::drop_dims_op<2u>{},
                 redistribute<reduced_t<layout_t<decltype(as_columns(std::declval<B const&>()))>>>(x, w));
  else
    return redistribute<reduced_t<layout_t<B>>>(x, w);
}

}  // namespace ashlar::linalg_detail
