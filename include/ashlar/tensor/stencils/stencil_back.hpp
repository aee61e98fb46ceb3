// SPDX-License-Identifier: BSL-1.0
// The derivative of a stencil with respect to an operand with a halo, on real ranks.
#pragma once
#include "ashlar/kernels/stencils/stencil_back.hpp"
#include "ashlar/tensor/stencils/add_halo.hpp"
#include "ashlar/tensor/stencils/stencil.hpp"

namespace ashlar::tensor_detail {

/// The cotangent of operand I of a stencil: the terms of all stored cells, which add_halo brings to the cells' owners.
/// Outside the box the stencil's result is this operand.
template <int I, class Y, class F, class Ct, class X, class... V>
Y stencil_back(real_ranks, F const& f, stencil_box const& box, Ct const& ct, X const& x, V const&... v) {
  constexpr int rank = rank_v<X>;
  using space = typename Y::execution_space;
  using R = element_t<Y>;
  using kernel = stencil_back_kernel<I, F, R, element_t<Ct>, rank, element_t<X>, element_t<V>...>;
  Y y(x.mesh(), x.extents());
  shape const stored = y.stored_extents();
  if (stored.size() == 0) return y;
  region const own = x.local_region();
  kernels::box const all = box_of(own.extents());
  kernels::box const computed = cells_within<F>(box, x, own);
  row_major_strides const strides(stored);
  auto const from = owned_cells_of(ct);
  kernel k{f, all_cells_of(y), {}, {}, {}, {}, from.first, {}, {}, {}, {}};
  index_t corner[array_bound(rank)];  // stored position 0, as a position in the owned cells
  for (int d = 0; d < rank; ++d) {
    index_t const room = Y::widths.dim[d].lower;
    corner[d] = -room;
    k.stored[d] = stored[d];
    k.stride[d] = strides.stride[d];
    k.begin[d] = room + computed.lower[d];
    k.end[d] = k.begin[d] + computed.extent[d];
    k.ct_stride[d] = from.stride[d];
    k.ct -= room * from.stride[d];
    k.first.of[d] = own.dim[d].begin - room;
  }
  k.around.apply_to([&](auto& first, auto&... u) {
    set_neighbours(first, owned_cells_of(x), corner);
    (set_neighbours(u, owned_cells_of(v), corner), ...);
  });
  if constexpr (kernel::constant)
    for (int i = 0; i < kernel::offsets; ++i)
      for (int p = 0; p < kernel::pairs; ++p) {
        int const read = p / kernel::results, returned = p % kernel::results;
        auto const slope = ops_detail::slope_at<I, rank>(f, k.offset(i, read), cell_index<rank>{},
                                                         typename kernel::template around_cell<element_t<X>>{},
                                                         typename kernel::template around_cell<element_t<V>>{}...);
        k.slope[i * kernel::pairs + p] = static_cast<R>(ops_detail::result_component(slope, returned));
      }
  run_stencil_back_kernel(space{}, k);
  if constexpr (std::is_same_v<element_t<Ct>, R>)
    if (box.distance > 0)  // the other cells are copies of the operand's
      for (kernels::box const& cells : boxes_around(all, computed, rank)) {
        auto const to = owned_cells_of(y);
        add_cells(space{}, from.first, to.first, loops_over(to, from, cells));
      }
  return y;
}

}  // namespace ashlar::tensor_detail
