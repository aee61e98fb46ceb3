// SPDX-License-Identifier: BSL-1.0
// Rolling on real ranks.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/ops/arrays/roll.hpp"
#include "ashlar/tensor/pending.hpp"
#include "ashlar/tensor/redistribute.hpp"

namespace ashlar::tensor_detail {

// The transfers of one rank when indices of a dimension roll. Elements that stay on the rank are in no message.
ASHLAR_INLINE step_transfers rolled_transfers(plan_step const& s, int dim, index_t by, layout_value const& layout,
                                              shape const& extents, mesh_shape const& mesh, int rank);

/// The transfers of a roll of x by `by` indices, remembered for the next call.
template <int Dim, class X>
std::shared_ptr<step_transfers const> roll_transfers_for(X const& x, plan_step const& step, index_t by) {
  auto const& m = x.mesh();
  return remembered({&x.layout, x.extents(), m.sizes(), m.rank(), {}, Dim, by},
                    [&] { return rolled_transfers(step, Dim, by, x.layout, x.extents(), m.sizes(), m.rank()); });
}

using rolling = step_type<step_kind::permute, void>;

/// Rolls this rank's shard by `by` indices along dimension Dim.
/// Collective: the ranks that split dimension Dim; blocks.
template <int Dim, class T, class L, class M, class Space>
sharded_tensor<T, L, M, Space> roll_shards(real_ranks, sharded_tensor<T, L, M, Space> const& x, plan_step const& step,
                                           index_t by, call_site const& w) {
  if (by == 0) return share<L>(x, x.extents());
  auto const& m = x.mesh();
  communicator const& ranks = m.communicator(step.axes);
  step_transfers const& transfers = *roll_transfers_for<Dim>(x, step, by);
  Space const space{};
  sharded_tensor<T, L, M, Space> y(m, x.extents());
  auto const* const source = static_cast<T const*>(cells_of(x));
  copy_loops const& stays = transfers.direct[static_cast<std::size_t>(ranks.rank())];
  if (ranks.size() == 1) {
    strided_copy(space, source, cells_of(y), stays);
    return y;
  }
  collective_scope const scope(m, step,
                               fingerprint_of(collective_of(step.what), transfers.fingerprint, element_code<T>),
                               transfers.received * sizeof(T), w);
  if (exchange_on_node<rolling>(space, transfers, ranks, source, cells_of(y))) return y;
  exchange<rolling::what>(space, transfers, ranks, source, cells_of(y));  // may use all of the destination
  strided_copy(space, source, cells_of(y), stays);
  return y;
}

/// A roll from its begin until it is complete.
template <class Y, class X>
class roll_in_flight final : public pending_work<Y> {
 public:
  using in_flight = step_in_flight<rolling, element_t<X>, typename X::execution_space>;
  roll_in_flight(X x, X y, plan_step const& kind, std::shared_ptr<step_transfers const> transfers, call_site const& w)
      : operand_(std::move(x)), result_(std::move(y)) {
    auto const& m = operand_->mesh();
    flight_ = std::make_shared<in_flight>(m, m.communicator(kind.axes), kind, std::move(transfers),
                                          static_cast<element_t<X> const*>(cells_of(*operand_)), cells_of(result_), w);
    block_of(*operand_)->expect_with_lender(flight_);
  }
  bool ready() override { return flight_->ready(); }
  Y wait() override {
    flight_->wait();
    flight_.reset();
    operand_.reset();
    return Y(std::move(result_));
  }

 private:
  std::optional<X> operand_;
  X result_;
  std::shared_ptr<in_flight> flight_;
};

/// Begins to roll this rank's shard.
/// Pre: the step lives as long as the program. Collective: as roll_shards; does not block.
template <class Y, int Dim, class T, class L, class M, class Space>
pending<Y> begin_roll(real_ranks runs, sharded_tensor<T, L, M, Space> const& x, plan_step const& kind, index_t by,
                      call_site const& w) {
  using X = sharded_tensor<T, L, M, Space>;
  if (by == 0 || x.mesh().communicator(kind.axes).size() == 1)
    return pending<Y>(new ready_value<Y>(Y(roll_shards<Dim>(runs, x, kind, by, w))));
  return pending<Y>(
      new roll_in_flight<Y, X>(x, X(x.mesh(), x.extents()), kind, roll_transfers_for<Dim>(x, kind, by), w));
}

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/arrays/impl/roll.ipp"
#endif
