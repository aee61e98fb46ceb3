// SPDX-License-Identifier: BSL-1.0
// The layouts of matrices that ScaLAPACK reads, and the matrices that it takes.
#pragma once
#include "ashlar/ops/collectives.hpp"
#include "ashlar/ops/complex.hpp"
#include <climits>
#include <functional>

namespace ashlar::linalg_detail {

using layout_detail::basic_layout;
using layout_detail::basic_partial;
using layout_detail::cyclic_split;
using layout_detail::name_list;
using layout_detail::split;
using layout_detail::whole;

inline constexpr int usual_block = 64;
using on_all = basic_layout<whole, whole>;

template <class D>
inline constexpr int block_of = 0;
template <int Block, int Count, class... A>
inline constexpr int block_of<cyclic_split<Block, Count, A...>> = Block;

template <int Block, class Names>
struct cyclic_over;
template <int Block>
struct cyclic_over<Block, name_list<>> {
  using type = whole;
};
template <int Block, class... A>
struct cyclic_over<Block, name_list<A...>> {
  using type = cyclic_split<Block, sizeof...(A), A...>;
};
template <int Block, class D>
using cyclic_over_axes_of = typename cyclic_over<Block, typename layout_detail::names_of<D>::type>::type;

template <class L>
struct nearest;
template <class D0, class D1>
struct nearest<basic_layout<D0, D1>> {
  static constexpr int block = block_of<D0> != 0 ? block_of<D0> : block_of<D1> != 0 ? block_of<D1> : usual_block;
  using type = basic_layout<cyclic_over_axes_of<block, D0>, cyclic_over_axes_of<block, D1>>;
};
template <class L, class Op, class... A>
struct nearest<basic_partial<L, Op, A...>> : nearest<L> {};

template <class D>
inline constexpr bool all_axes_are_cyclic = false;
template <>
inline constexpr bool all_axes_are_cyclic<whole> = true;
template <int Block, class... A>
inline constexpr bool all_axes_are_cyclic<cyclic_split<Block, sizeof...(A), A...>> = true;
template <class L>
inline constexpr bool is_block_cyclic = false;
template <class D0, class D1>
inline constexpr bool is_block_cyclic<basic_layout<D0, D1>> = all_axes_are_cyclic<D0> && all_axes_are_cyclic<D1>;

template <class X>
struct matrix_without_derivative {
  static constexpr bool ok = plain_tensor<X>;
  static constexpr void say() {
    static_assert(ok, "ashlar::linalg: solvers have no derivative; give the plain tensor, by stop_gradient(x)");
  }
};
template <class X>
struct matrix_rank {
  static constexpr bool ok = rank_v<X> == 2;
  static constexpr void say() {
    static_assert(
        ok, "ashlar::linalg: the operand is no matrix; give a tensor of two dimensions, one of a batch at a time");
  }
};
template <class X>
struct matrix_elements {
  using R = ops_detail::component_t<element_t<X>>;
  static constexpr bool ok = std::is_same_v<R, float> || std::is_same_v<R, double>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::linalg: elements are float, double or complex numbers of these; convert the operand by cast<double>(x)");
  }
};

/// work(a) if `a` is a matrix that solvers take and the other conditions hold, otherwise(a) if not.
template <class... Others, class X, class Work, class Otherwise = std::identity>
constexpr auto with_matrix(X const& a, call_site const& w, Work const& work, Otherwise const& otherwise = {}) {
  plan_detail::call_in_errors const call(w);
  return meta_detail::checked_or<matrix_without_derivative<X>, matrix_rank<X>, matrix_elements<X>, Others...>(
      work, otherwise, a);
}

/// Throws if a library of 32-bit numbers cannot count the rows and columns of a matrix or the elements of a shard. All
/// ranks throw.
constexpr void check_counts(shape const& extents, layout_value const& layout, mesh_shape const& mesh) {
  for (int d = 0; d < extents.rank; ++d)
    if (extents[d] > INT_MAX) {
      plan_detail::error_text m;
      m << "ashlar::linalg: ScaLAPACK counts rows and columns up to 2^31 - 1; found extents " << extents;
      plan_detail::fail_with(m);
    }
  if (layout_detail::largest_shard(extents, layout, mesh) > INT_MAX) {
    plan_detail::error_text m;
    m << "ashlar::linalg: ScaLAPACK counts the elements of a shard up to 2^31 - 1; found "
      << layout_detail::largest_shard(extents, layout, mesh) << ", use more ranks";
    plan_detail::fail_with(m);
  }
}

constexpr void require_square(shape const& extents) {
  if (extents[0] != extents[1])
    plan_detail::fail_other_extents("ashlar::linalg: the matrix is square", shape::of(extents[0], extents[0]), extents);
}

}  // namespace ashlar::linalg_detail

namespace ashlar::linalg {

/// The block-cyclic layout nearest to a layout of matrices: each dimension keeps its axes, in blocks of one size. That is
/// the block of the first block-cyclic dimension, or 64. A partial layout is reduced.
/// Example: block_cyclic_t<layout<"p", cyclic("q", 32)>> is layout<cyclic("p", 32), cyclic("q", 32)>
template <class Layout>
using block_cyclic_t = typename linalg_detail::nearest<Layout>::type;

}  // namespace ashlar::linalg
