// Memory that the ranks of a node share, and the table of ranks and nodes.
#pragma once
#include <algorithm>
#include <cstring>
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
  static node_memory& instance() {
    static node_memory* const m = new node_memory;
    return *m;
  }
  /// Makes the segment, once. False if there is none: switched off, or refused by the system.
  /// `ranks`: at least the number of ranks that will ever share a node. All their segments have to fit into a process'
  /// address space.
  bool open(int ranks) {
    std::lock_guard lock(mutex_);
    if (!tried_) {
      tried_ = true;
      constexpr std::size_t of_all_ranks = std::size_t(16) << 40;  // of 128 TiB that most processors offer
      std::size_t const size =
          std::min(comm::default_segment_size(), of_all_ranks / std::size_t(std::min(ranks, 1024)));
      if (size > 0) segment_ = comm::shared_segment::create(size);
    }
    return segment_.has_value();
  }
  /// Allocates memory of the segment. Null if there is no segment, or no room in it.
  void* allocate(std::size_t bytes) {
    std::lock_guard lock(mutex_);
    return segment_ ? segment_->allocate(bytes) : nullptr;
  }
  /// Gives a block of allocate() back. Pre: no rank reads it any more, and it is not quarantined.
  void free_block(void* block, std::size_t bytes) {
    std::lock_guard lock(mutex_);
    segment_->give_back(block, bytes);
  }
  /// Returns a slot for a node group, or null. Reuses a slot if all members of its group have left the group.
  node_slot* take_slot() {
    {
      std::lock_guard lock(mutex_);
      auto const found =
          std::find_if(left_slots_.begin(), left_slots_.end(), [](auto const& s) { return s.is_free(); });
      if (found != left_slots_.end()) {
        node_slot* const s = found->slot;
        left_slots_.erase(found);
        return s;
      }
    }
    void* const room = allocate(sizeof(node_slot));
    return room == nullptr ? nullptr : new (room) node_slot;
  }
  static void give_back(node_group::left_slot s) {
    node_memory& m = instance();
    std::lock_guard lock(m.mutex_);
    m.left_slots_.push_back(std::move(s));
  }

  /// Quarantines memory. Late ranks or messages of a failed collective may still write to it, so it is never reused.
  void leave_to_others(void const* p) {
    if (p == nullptr) return;
    std::lock_guard lock(mutex_);
    left_to_others_.push_back(p);
    leaves_memory_ = true;
  }
  bool is_left_to_others(void const* begin, std::size_t bytes) {
    if (!leaves_memory_.load(std::memory_order_relaxed)) return false;
    std::lock_guard lock(mutex_);
    auto const* const first = static_cast<std::byte const*>(begin);
    return std::any_of(left_to_others_.begin(), left_to_others_.end(),
                       [&](void const* p) { return !std::less<>{}(p, first) && std::less<>{}(p, first + bytes); });
  }

  bool contains(void const* p) const { return segment_ && segment_->contains(p); }
  std::uint64_t offset(void const* p) const { return contains(p) ? segment_->offset_of(p) : nowhere; }
  std::size_t size() const { return segment_ ? segment_->size() : 0; }
  std::size_t used() const { return segment_ ? segment_->used() : 0; }
  std::byte* base() const { return segment_->base(); }
  comm::segment_address address() const { return segment_ ? segment_->address() : comm::segment_address{}; }

  /// Returns the address at which another process' segment is mapped here. Maps it once. Null if it cannot be mapped.
  std::byte* map(comm::segment_address const& a) {
    std::lock_guard lock(mutex_);
    std::string const name(reinterpret_cast<char const*>(&a), sizeof a);
    auto found = mapped_.find(name);
    if (found == mapped_.end()) {
      auto opened = comm::mapped_segment::open(a);
      if (!opened) return nullptr;
      found = mapped_.emplace(name, std::move(*opened)).first;
    }
    return found->second.base();
  }

 private:
  std::mutex mutex_;
  bool tried_ = false;
  std::optional<comm::shared_segment> segment_;
  std::map<std::string, comm::mapped_segment> mapped_;
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
  explicit node_ranks(communicator const& whole) {
    place mine;
    int length = 0;
    comm::check(MPI_Get_processor_name(mine.node, &length), "MPI_Get_processor_name");
    mine.block = whole.rank() / ranks_per_node(whole.size());
    int all_processes = 0;
    comm::check(MPI_Comm_size(MPI_COMM_WORLD, &all_processes), "MPI_Comm_size");
    if (comm::wrong_setting()) {
      mine.refused = place::misread;
    } else if (!comm::tuned.shared_memory || !comm::shared_memory_setting().value.value_or(true)) {
      mine.refused = place::switched_off;
    } else if (!node_memory::instance().open(all_processes)) {
      mine.refused = place::no_segment;
    } else {
      mine.segment = node_memory::instance().address();
    }
    places_.resize(std::size_t(whole.size()), mine);
    gather(whole, &mine, places_.data(), sizeof mine);

    memory_.resize(places_.size(), nullptr);
    int worst = place::none;
    for (place const& p : places_) worst = std::max(worst, int(p.refused));
    for (std::size_t q = 0; q < places_.size(); ++q) {
      if (!same_node(places_[q], mine)) continue;
      if (worst != place::none) continue;
      memory_[q] =
          int(q) == whole.rank() ? node_memory::instance().base() : node_memory::instance().map(places_[q].segment);
      if (memory_[q] == nullptr) mine.refused = place::not_mapped;
    }
    worst = std::max(worst, int(mine.refused));
    MPI_Request request = MPI_REQUEST_NULL;
    comm::check(MPI_Iallreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, whole.get(), &request), "MPI_Iallreduce");
    poll({&request, 1});
    refused_ = worst;
    waiting_.set_oversubscribed(whole.state().oversubscribed);
    waiting_.meanwhile = progress;
    waiting_.deadline = comm::deadline();
  }

  /// The reason why ranks of a node exchange MPI messages; empty if they do not.
  std::string_view reason() const {
    switch (refused_) {
      case place::switched_off:
        return "the program or ASHLAR_TRANSPORT=mpi says so";
      case place::no_segment:
        return "the system refuses shared memory, or ASHLAR_SHARED_MEMORY is 0";
      case place::not_mapped:
        return "a rank cannot map another one's memory; are they in separate containers?";
      default:
        return {};
    }
  }
  bool fell_back() const { return refused_ == place::no_segment || refused_ == place::not_mapped; }
  /// True if comm::wrong_setting() reports an error on some rank.
  bool misread_settings() const { return refused_ == place::misread; }

  /// Makes the ranks of a part of the mesh a node group, if all of them share a node. If only some share a node, makes
  /// a table of nodes with a group per node.
  /// Collective: over `part`; blocks.
  void join(communicator const& part, communicator const& whole) const {
    if (refused_ != place::none || part.size() < 2) return;
    struct seat {
      int rank;
      std::uint64_t slot, round, groups_left;
    };
    node_slot* const slot = node_memory::instance().take_slot();
    seat const mine{whole.rank(), slot == nullptr ? nowhere : node_memory::instance().offset(slot),
                    slot == nullptr ? 0 : slot->round(), slot == nullptr ? 0 : slot->groups_left.load()};
    std::vector<seat> seats(std::size_t(part.size()), mine);
    gather(part, &mine, seats.data(), sizeof mine);
    std::vector<node_group::member> members;
    for (seat const& s : seats) {
      if (s.slot == nowhere || !same_node(places_[std::size_t(s.rank)], places_[std::size_t(whole.rank())])) {
        if (slot != nullptr) node_memory::give_back({slot, {}});
        std::vector<int> ranks;
        for (seat const& other : seats) ranks.push_back(other.rank);
        return join_nodes(part, whole, ranks);
      }
      std::byte* const memory = memory_[std::size_t(s.rank)];
      members.push_back({memory, reinterpret_cast<node_slot*>(memory + s.slot), s.round,
                         s.rank == whole.rank() ? known_process()
                                                : known_process(pid_t(places_[std::size_t(s.rank)].segment.process)),
                         s.groups_left, s.rank});
    }
    node_group::waiting how = waiting_;
    how.argument = part.state().monitor.get();  // lives as long as the group
    part.state().node = std::make_unique<node_group>(part.rank(), std::move(members), how, node_memory::give_back);
  }

 private:
  struct place {
    enum why { none, switched_off, no_segment, not_mapped, misread };
    char node[MPI_MAX_PROCESSOR_NAME] = {};
    int block = 0;
    why refused = none;
    comm::segment_address segment{};
  };

  // `ranks[r]` is the number in `whole` of rank r of `part`.
  void join_nodes(communicator const& part, communicator const& whole, std::vector<int> const& ranks) const {
    std::vector<std::vector<int>> nodes;  // their ranks in `part`
    int own_node = 0, own_local_rank = 0;
    for (int r = 0; r < part.size(); ++r) {
      auto const together = [&](std::vector<int> const& node) {
        return same_node(places_[std::size_t(ranks[std::size_t(node.front())])],
                         places_[std::size_t(ranks[std::size_t(r)])]);
      };
      auto const at = std::find_if(nodes.begin(), nodes.end(), together);
      auto& node = at == nodes.end() ? nodes.emplace_back() : *at;
      if (r == part.rank()) own_node = int(&node - nodes.data()), own_local_rank = int(node.size());
      node.push_back(r);
    }
    auto const [least, most] = std::minmax_element(nodes.begin(), nodes.end(),
                                                   [](auto const& a, auto const& b) { return a.size() < b.size(); });
    if (nodes.size() < 2 || most->size() < 2) return;
    auto const levels = std::make_shared<node_levels>();
    levels->local_ranks = int(least->size());
    levels->even = least->size() == most->size();
    levels->intra_node = part.split(own_node, own_local_rank);
    levels->inter_node =
        part.split(own_local_rank < levels->local_ranks ? own_local_rank : levels->local_ranks + part.rank(), own_node);
    for (auto const& node : nodes) levels->rank_at.insert(levels->rank_at.end(), node.begin(), node.end());
    join(levels->intra_node, whole);
    part.state().levels = levels;
  }

  // Lets MPI progress on messages of the program. Until then a rank that sends to this one may be stuck in MPI_Send.
  static void progress(void* monitor) {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    if (monitor != nullptr) static_cast<waiting_monitor*>(monitor)->poll_others();
  }
  // ASHLAR_RANKS_PER_NODE pretends smaller nodes.
  static int ranks_per_node(int all) { return comm::ranks_per_node_setting().value.value_or(all); }
  static bool same_node(place const& a, place const& b) {
    return std::strcmp(a.node, b.node) == 0 && a.block == b.block;
  }
  static void gather(communicator const& c, void const* mine, void* all, std::size_t bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    comm::check(MPI_Iallgather(mine, int(bytes), MPI_BYTE, all, int(bytes), MPI_BYTE, c.get(), &request),
                "MPI_Iallgather");
    poll({&request, 1});
  }

  std::vector<place> places_;
  std::vector<std::byte*> memory_;  // by rank: its segment as mapped here; null for ranks of other nodes
  int refused_ = place::none;
  node_group::waiting waiting_;
};

}  // namespace ashlar::comm_detail
