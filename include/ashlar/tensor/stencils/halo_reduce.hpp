// SPDX-License-Identifier: BSL-1.0
// Partial sums of tensors with halos on real ranks.
#pragma once
#include "ashlar/ops/stencils/halo_reduce.hpp"
#include "ashlar/tensor/stencils/halo.hpp"
#include "ashlar/tensor/redistribute.hpp"

namespace ashlar::tensor_detail {

/// The sum of all stored cells over the axes of s. Ranks that differ along these store equally many.
/// Collective: the ranks that differ along the axes; blocks.
template <class To, class T, class L, class M, class Space>
sharded_tensor<T, To, M, Space> all_reduce_cells(real_ranks runs, plan_step const& s,
                                                 sharded_tensor<T, L, M, Space> const& x, call_site const& w) {
  device_mesh<M> const& m = x.mesh();
  communicator const& ranks = m.communicator(s.axes);
  if (ranks.size() == 1) return same_cells<To>(runs, x);
  auto const row_major = row_major_cells(x);
  sharded_tensor<T, To, M, Space> y(m, x.extents());
  using context = plan_detail::mesh_context<M, L>;
  using Op = typename op_at<typename context::ops, value_v<context, owned_layout_t<L>>.reductions[0].op>::type;
  auto const n = static_cast<std::size_t>(x.stored_extents().size()), q = static_cast<std::size_t>(ranks.size());
  std::uint64_t fingerprint = fingerprint_of(collective::all_reduce, s.axes, encode(s.from), encode_blocks(s.from));
  for (int d = 0; d < x.rank; ++d)
    fingerprint = fingerprint_of(collective::all_reduce, fingerprint, x.widths.dim[d].lower, x.widths.dim[d].upper);
  fingerprint = fingerprint_of_extents(collective::all_reduce, fingerprint, x.extents());
  collective_scope const scope(m, s, fingerprint_of(collective::all_reduce, fingerprint, element_code<T>),
                               2 * (n - n / q) * sizeof(T), w);
  reduce_shards<Op>(Space{}, n, ranks, cells_of(row_major), all_cells_of(y));
  return y;
}

template <class To, class T, class L, class M, class Space>
sharded_tensor<T, To, M, Space> as_partial_cells(real_ranks runs, axis_mask axes,
                                                 sharded_tensor<T, L, M, Space> const& x) {
  if (x.mesh().sizes().position(x.mesh().rank(), axes) == 0) return same_cells<To>(runs, x);
  sharded_tensor<T, To, M, Space> y(x.mesh(), x.extents());
  kernels::fill(Space{}, all_cells_of(y), y.stored_extents().size(), T{});
  return y;
}

}  // namespace ashlar::tensor_detail
