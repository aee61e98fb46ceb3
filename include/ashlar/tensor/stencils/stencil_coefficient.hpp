// SPDX-License-Identifier: BSL-1.0
// Coefficients of stencils on real ranks.
#pragma once
#include "ashlar/tensor/stencils/add_halo.hpp"
#include "ashlar/tensor/haloed_tensor.hpp"

namespace ashlar::tensor_detail {

/// The tensor x with more dimensions, whose strides are 0. Its layout is To. It keeps the memory of x alive.
template <class To, class X>
auto repeat_components(real_ranks, X const& x, shape const& extents) {
  using Y = sharded_tensor<element_t<X>, To, mesh_t<X>, typename X::execution_space>;
  row_major_strides strides(x.local_region().extents());
  if constexpr (layout_has_a_halo<layout_t<X>>::value) strides = x.stored_strides();
  std::shared_ptr<index_t[]> const with_repetitions(new index_t[static_cast<std::size_t>(Y::rank)]{});
  for (int d = 0; d < X::rank; ++d) with_repetitions[d] = strides.stride[d];
  // The block lends the memory of x. Nothing asks for its size.
  auto const block = memory_of_user<typename Y::memory_space>(block_of(x), cells_of(x), 0);
  block->strides = with_repetitions;
  return Y(x.mesh(), extents, block, 0);
}

/// The sum of all components of x, or component 0. If the halo holds sums, all stored cells have one. Pre: Y has the layout of
/// x without the dimensions of components, and these have no room.
template <class Y, class X>
Y join_components(real_ranks, X const& x, shape const& extents, bool all) {
  using space = typename X::execution_space;
  Y y(x.mesh(), extents);
  auto from = owned_cells_of(x);
  auto to = owned_cells_of(y);
  shape cells = to.own;
  index_t components = from.own.size() == 0 ? 0 : 1;
  if constexpr (layout_has_a_halo<layout_t<Y>>::value) {
    kernels::fill(space{}, all_cells_of(y), y.stored_extents().size(), element_t<Y>{});
    if (has_halo_sums<layout_t<Y>>) {
      from.first = cells_of(x);
      to.first = cells_of(y);
      cells = to.stored;
    }
  } else {
    kernels::fill(space{}, cells_of(y), to.own.size(), element_t<Y>{});
  }
  nest_builder<2> loops;
  for (int d = 0; d < Y::rank; ++d) loops.add(cells[d], {to.stride[d], from.stride[d]});
  for (int d = Y::rank; d < X::rank; ++d) components *= all ? from.own[d] : 1;
  for (index_t c = 0; c < components; ++c) {
    index_t at = 0, rest = c;
    for (int d = X::rank - 1; d >= Y::rank; --d) {
      at += rest % from.own[d] * from.stride[d];
      rest /= from.own[d];
    }
    add_cells(space{}, from.first + at, to.first, loops.nest());
  }
  return y;
}

}  // namespace ashlar::tensor_detail
