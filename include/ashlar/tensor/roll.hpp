// Rolling on real ranks.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/ops/roll.hpp"
#include "ashlar/tensor/redistribute.hpp"

namespace ashlar::tensor_detail {

// Loops between `count` indices of one dimension in two arrays. Their extents differ only in that dimension.
ASHLAR_INLINE loop_nest<2> slabs_between(int dim, index_t count, shape const& source, index_t from,
                                         shape const& destination, index_t to);

// The transfers of one rank when indices of a dimension roll. Elements that stay on the rank are in no message.
ASHLAR_INLINE step_transfers rolled_transfers(plan_step const& s, int dim, index_t by, layout_value const& layout,
                                              shape const& extents, mesh_shape const& mesh, int rank);

/// Rolls this rank's shard by `by` indices along dimension Dim.
/// Collective: the ranks that split dimension Dim; blocks.
template <int Dim, class T, class L, class M, class Space>
sharded_tensor<T, L, M, Space> roll_shard(sharded_tensor<T, L, M, Space> const& x, plan_step const& step, index_t by,
                                          call_site const& w) {
  if (by == 0) return share<L>(x, x.extents());
  auto const& m = x.mesh();
  communicator const& ranks = m.communicator(step.axes);
  step_transfers const& transfers = *remembered({&x.layout, x.extents(), m.sizes(), m.rank(), {}, Dim, by}, [&] {
    return rolled_transfers(step, Dim, by, x.layout, x.extents(), m.sizes(), m.rank());
  });
  Space const space{};
  sharded_tensor<T, L, M, Space> y(m, x.extents());
  auto const* const source = static_cast<T const*>(x.data());
  copy_loops const& stays = transfers.direct[static_cast<std::size_t>(ranks.rank())];
  if (ranks.size() == 1) {
    strided_copy(space, source, y.data(), stays);
    return y;
  }
  collective_scope const scope(m, step,
                               fingerprint_of(collective_of(step.what), transfers.fingerprint, element_code<T>),
                               transfers.received * sizeof(T), w);
  if (exchange_on_node(space, step, transfers, ranks, source, y.data())) return y;
  exchange(space, step, transfers, ranks, source, y.data());  // may use all of the destination
  strided_copy(space, source, y.data(), stays);
  return y;
}

}  // namespace ashlar::tensor_detail

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/tensor/compiled/roll.hpp"
#endif
