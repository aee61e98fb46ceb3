// SPDX-License-Identifier: BSL-1.0
// The transfers of a step of a plan on one rank, for elements of any type.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/comm/node/round.hpp"
#include "ashlar/tensor/message_counts.hpp"
#include <memory>
#include <vector>

namespace ashlar::tensor_detail {

/// The transfers of a step on one rank of a mesh, for tensors of one shape.
struct step_transfers {
  shape source, destination;  // extents of this rank's shards.
  bool even = false;          // every rank has shards of these extents.
  dimension_order order;      // of the source's array.
  // Blocks sent and received. A reduce_scatter sends each rank the part that it keeps; an all_gather sends one block to
  // all.
  message_blocks out, in;
  // If several ranks are sent the same block: the blocks to send, each once, and the begin of each rank's block. Else
  // empty.
  message_blocks once;
  std::vector<std::size_t> at;
  bool keeps = false;              // slice and pad: elements stay.
  bool all_stays = false;          // all elements stay in place.
  copy_loops kept;                 // from shard to shard; for a reduce_scatter, this rank's part of each operand.
  std::vector<copy_loops> direct;  // from each rank's shard to this rank's, in shared memory.
  std::size_t received = 0;        // elements that come from other ranks.
  std::uint64_t fingerprint = 0;
  std::vector<region> asked;  // regions asked for so far; empty after finish()

  // Adds a message, in the order of the ranks. send: from this rank's source `own` to their destination `theirs`.
  // receive: from their source `theirs` to this rank's destination `own`. The message is empty if not `serves`.
  void send(region const& own, region const& theirs, bool serves);
  void receive(region const& own, region const& theirs, bool serves);
  // Call it after all ranks; `self` is this rank's number among them.
  void finish(region const& own_source, region const& own_destination, int self);
};

// Extends a fingerprint by the extents.
ASHLAR_INLINE std::uint64_t fingerprint_of_extents(collective what, std::uint64_t fingerprint, shape const& extents);

/// The transfers of a step on a tensor of these extents, whose shards have their dimensions in this order.
/// Pre: the default order for an all_reduce.
ASHLAR_INLINE step_transfers transfers_of(plan_step const& s, shape const& extents, mesh_shape const& mesh, int rank,
                                          dimension_order const& order = {});

/// The data that transfers depend on.
struct transfers_key {
  void const* of = nullptr;  // a step or a layout that lives as long as the program.
  shape extents;
  mesh_shape mesh;
  int rank = 0;
  dimension_order order{};
  int rolled = -1;  // the dimension along which elements roll, by `by` indices; -1: none.
  index_t by = 0;
  mesh_shape other{};  // the mesh to which a tensor is redistributed
  int variant = 0;     // of the transfers, if there are several of one step

  std::size_t hash() const;
  bool operator==(transfers_key const&) const = default;
};

/// Remembers the transfers used last: a program takes the same steps again and again.
template <class Transfers, class Key = transfers_key>
class transfers_memo {
 public:
  transfers_memo() = default;
  transfers_memo(transfers_memo const&) = delete;
  transfers_memo& operator=(transfers_memo const&) = delete;
  ~transfers_memo() { delete[] slots_; }

  /// Returns transfers(), or its result for the same key before. Without a copy of the pointer, it lives until the next
  /// call.
  template <class F>
  std::shared_ptr<Transfers const> const& operator()(Key const& key, F const& transfers) {
    if (slots_ == nullptr) slots_ = new entry[count]();
    entry& slot = slots_[key.hash() % count];
    if (!slot.transfers || slot.key != key) slot = {key, std::make_shared<Transfers const>(transfers())};
    return slot.transfers;
  }

 private:
  struct entry {
    Key key{};
    std::shared_ptr<Transfers const> transfers;
  };
  static constexpr std::size_t count = 256;
  // Null until the first call: most threads and programs use few memos. A std::unique_ptr would instantiate 90 templates
  // for each memo in each program.
  entry* slots_ = nullptr;
};
inline thread_local transfers_memo<step_transfers> remembered;

/// The transfers of a step that lives as long as the program. Without a copy of the pointer, they live until the next
/// call.
ASHLAR_INLINE std::shared_ptr<step_transfers const> const& remembered_transfers(plan_step const& s,
                                                                                shape const& extents,
                                                                                mesh_shape const& mesh, int rank,
                                                                                dimension_order const& order = {});

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/impl/transfers.ipp"
#endif
