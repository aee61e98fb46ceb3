// SPDX-License-Identifier: BSL-1.0
// Memory that the ranks of a node share, and the table of ranks and nodes.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "ashlar/comm/communicator.hpp"
#include "ashlar/comm/node/shared_segment.hpp"
#include "ashlar/comm/collectives/tuning.hpp"

namespace ashlar::comm_detail {

/// This process' segment. It holds the host's tensors, so that the other ranks of the node can read them.
class node_memory {
 public:
  // Never destroyed: tensors with static storage may outlive every other object.
  static node_memory& instance();
  /// Makes the segment, once. False if there is none: switched off, or refused by the system.
  /// `ranks`: at least the number of ranks that will ever share a node. All their segments have to fit into a process'
  /// address space.
  bool open(int ranks);
  /// Allocates memory of the segment. Null if there is no segment, or no room in it.
  void* allocate(std::size_t bytes);
  /// Gives a block of allocate() back. Pre: no rank reads it any more, and it is not quarantined.
  void free_block(void* block, std::size_t bytes);
  /// Returns a slot for a node group, or null. Reuses a slot if all members of its group have left the group.
  node_slot* take_slot();
  static void give_back(node_group::left_slot s);

  /// Quarantines memory. Late ranks or messages of a failed collective may still write to it, so it is never reused.
  void leave_to_others(void const* p);
  bool is_left_to_others(void const* begin, std::size_t bytes);

  bool contains(void const* p) const { return segment_ && segment_->contains(p); }
  std::uint64_t offset(void const* p) const { return contains(p) ? segment_->offset_of(p) : nowhere; }
  std::size_t size() const { return segment_ ? segment_->size() : 0; }
  std::size_t used() const { return segment_ ? segment_->used() : 0; }
  std::byte* base() const { return segment_->base(); }
  segment_address address() const { return segment_ ? segment_->address() : segment_address{}; }

  /// Returns the address at which another process' segment is mapped here. Maps it once. Null if it cannot be mapped.
  std::byte* map(segment_address const& a);

 private:
  std::mutex mutex_;
  bool tried_ = false;
  std::optional<shared_segment> segment_;
  std::map<std::string, mapping> mapped_;
  std::vector<node_group::left_slot> left_slots_;
  std::atomic<bool> leaves_memory_{false};
  std::vector<void const*> left_to_others_;
};

/// The nodes of a mesh's ranks.
class node_ranks {
 public:
  /// Finds out which ranks of `whole` share a node, and maps their segments.
  /// Post: `reason` is the same on all ranks. It is empty if all ranks of a node see each other's memory.
  /// Collective: over `whole`; blocks.
  explicit node_ranks(communicator const& whole);

  /// The reason why ranks of a node exchange MPI messages; empty if they do not.
  std::string_view reason() const;
  bool fell_back() const { return refused_ >= place::no_segment && refused_ <= place::no_addresses; }
  /// True if wrong_setting() reports an error on some rank.
  bool misread_settings() const { return refused_ == place::misread; }

  /// Makes the ranks of a part of the mesh a node group, if all of them share a node. If only some share a node, makes
  /// a table of nodes with a group per node.
  /// Collective: over `part`; blocks.
  void join(communicator const& part, communicator const& whole) const;

 private:
  struct place {
    enum why { none, switched_off, no_segment, not_mapped, no_addresses, misread };
    std::uint64_t node = own_node();
    int block = 0;
    why refused = none;
    segment_address segment{};
  };

  // `ranks[r]` is the number in `whole` of rank r of `part`.
  void join_nodes(communicator const& part, communicator const& whole, std::vector<int> const& ranks) const;

  // Lets MPI progress on messages of the program. Until then a rank that sends to this one may be stuck in MPI_Send.
  static void progress(void* monitor);
  static bool same_node(place const& a, place const& b) { return a.node == b.node && a.block == b.block; }

  std::vector<place> places_;
  std::vector<std::byte*> memory_;  // by rank: its segment as mapped here; null for ranks of other nodes
  int refused_ = place::none;
  node_group::waiting waiting_;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/node/impl/memory.ipp"
#endif
