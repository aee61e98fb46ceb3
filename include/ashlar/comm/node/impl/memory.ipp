// SPDX-License-Identifier: BSL-1.0
// The functions of comm/node/memory.hpp.
#include <algorithm>
#include <cerrno>

namespace ashlar::comm_detail {

ASHLAR_INLINE node_memory& node_memory::instance() {
  static node_memory* const m = new node_memory;
  return *m;
}

ASHLAR_INLINE bool node_memory::open(int ranks) {
  std::lock_guard lock(mutex_);
  if (!tried_) {
    tried_ = true;
    constexpr std::size_t of_all_ranks = std::size_t(16) << 40;  // of 128 TiB that most processors offer
    std::size_t const size = (std::min)(default_segment_size(), of_all_ranks / std::size_t((std::min)(ranks, 1024)));
    if (size > 0) segment_ = shared_segment::create(size);
  }
  return segment_.has_value();
}

ASHLAR_INLINE void* node_memory::allocate(std::size_t bytes) {
  std::lock_guard lock(mutex_);
  return segment_ ? segment_->allocate(bytes) : nullptr;
}

ASHLAR_INLINE void node_memory::free_block(void* block, std::size_t bytes) {
  std::lock_guard lock(mutex_);
  segment_->give_back(block, bytes);
}

ASHLAR_INLINE node_slot* node_memory::take_slot() {
  {
    std::lock_guard lock(mutex_);
    auto const found = std::find_if(left_slots_.begin(), left_slots_.end(), [](auto const& s) { return s.is_free(); });
    if (found != left_slots_.end()) {
      node_slot* const s = found->slot;
      left_slots_.erase(found);
      return s;
    }
  }
  void* const room = allocate(sizeof(node_slot));
  return room == nullptr ? nullptr : new (room) node_slot;
}

ASHLAR_INLINE void node_memory::give_back(node_group::left_slot s) {
  node_memory& m = instance();
  std::lock_guard lock(m.mutex_);
  m.left_slots_.push_back(std::move(s));
}

ASHLAR_INLINE void node_memory::leave_to_others(void const* p) {
  if (p == nullptr) return;
  std::lock_guard lock(mutex_);
  left_to_others_.push_back(p);
  leaves_memory_ = true;
}

ASHLAR_INLINE bool node_memory::is_left_to_others(void const* begin, std::size_t bytes) {
  if (!leaves_memory_.load(std::memory_order_relaxed)) return false;
  std::lock_guard lock(mutex_);
  auto const* const first = static_cast<std::byte const*>(begin);
  return std::any_of(left_to_others_.begin(), left_to_others_.end(),
                     [&](void const* p) { return !std::less<>{}(p, first) && std::less<>{}(p, first + bytes); });
}

ASHLAR_INLINE std::byte* node_memory::map(segment_address const& a) {
  std::lock_guard lock(mutex_);
  std::string const name(reinterpret_cast<char const*>(&a), sizeof a);
  auto found = mapped_.find(name);
  if (found == mapped_.end()) {
    mapping opened = map_segment(a);
    if (!opened) return nullptr;
    found = mapped_.emplace(name, std::move(opened)).first;
  }
  return found->second.get();
}

ASHLAR_INLINE node_ranks::node_ranks(communicator const& whole) {
  place mine;
  // ASHLAR_RANKS_PER_NODE pretends smaller nodes.
  mine.block = whole.rank() / ranks_per_node_setting().value.value_or(whole.size());
  int all_processes = 0;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &all_processes), "MPI_Comm_size");
  if (wrong_setting()) {
    mine.refused = place::misread;
  } else if (!comm::tuned.shared_memory || !shared_memory_setting().value.value_or(true)) {
    mine.refused = place::switched_off;
  } else if (!node_memory::instance().open(all_processes)) {
    mine.refused = place::no_segment;
  } else {
    mine.segment = node_memory::instance().address();
  }
  places_ = gather_with_polls(whole.get(), mine);

  memory_.resize(places_.size(), nullptr);
  int worst = place::none;
  for (place const& p : places_) worst = (std::max)(worst, int(p.refused));
  for (std::size_t q = 0; q < places_.size() && worst == place::none; ++q) {
    if (!same_node(places_[q], mine)) continue;
    errno = 0;
    memory_[q] =
        int(q) == whole.rank() ? node_memory::instance().base() : node_memory::instance().map(places_[q].segment);
    if (memory_[q] == nullptr) mine.refused = errno == ENOMEM ? place::no_addresses : place::not_mapped;
  }
  refused_ = largest_with_polls(whole.get(), (std::max)(worst, int(mine.refused)));
  waiting_.set_oversubscribed(whole.state().oversubscribed);
  waiting_.meanwhile = progress;
  waiting_.deadline = deadline();
}

ASHLAR_INLINE std::string_view node_ranks::reason() const {
  switch (refused_) {
    case place::switched_off:
      return "the program or ASHLAR_TRANSPORT=mpi says so";
    case place::no_segment:
      return "the system refuses shared memory, or ASHLAR_SHARED_MEMORY is 0";
    case place::not_mapped:
      return "a rank cannot map another one's memory; are they in separate containers?";
    case place::no_addresses:
      return "the limit of address space (ulimit -v) leaves no room for the memory of all ranks of the node; raise it, "
             "or give ASHLAR_SHARED_MEMORY a smaller size, such as 1G";
    default:
      return {};
  }
}

ASHLAR_INLINE void node_ranks::join(communicator const& part, communicator const& whole) const {
  if (refused_ != place::none || part.size() < 2) return;
  struct seat {
    int rank;
    std::uint64_t slot, round, groups_left;
  };
  node_slot* const slot = node_memory::instance().take_slot();
  seat const mine{whole.rank(), slot == nullptr ? nowhere : node_memory::instance().offset(slot),
                  slot == nullptr ? 0 : slot->round(), slot == nullptr ? 0 : slot->groups_left.load()};
  std::vector<seat> const seats = gather_with_polls(part.get(), mine);
  std::vector<node_group::member> members;
  for (seat const& s : seats) {
    if (s.slot == nowhere || !same_node(places_[std::size_t(s.rank)], places_[std::size_t(whole.rank())])) {
      if (slot != nullptr) node_memory::give_back({slot, {}});
      std::vector<int> ranks;
      for (seat const& other : seats) ranks.push_back(other.rank);
      return join_nodes(part, whole, ranks);
    }
    std::byte* const memory = memory_[std::size_t(s.rank)];
    members.push_back(
        {memory, reinterpret_cast<node_slot*>(memory + s.slot), s.round,
         s.rank == whole.rank() ? known_process() : known_process(pid_t(places_[std::size_t(s.rank)].segment.process)),
         s.groups_left, s.rank});
  }
  node_group::waiting how = waiting_;
  how.argument = part.state().desync.monitor.get();  // lives as long as the group
  part.state().node = std::make_unique<node_group>(part.rank(), std::move(members), how, node_memory::give_back);
}

ASHLAR_INLINE void node_ranks::join_nodes(communicator const& part, communicator const& whole,
                                          std::vector<int> const& ranks) const {
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
  auto const [least, most] =
      std::minmax_element(nodes.begin(), nodes.end(), [](auto const& a, auto const& b) { return a.size() < b.size(); });
  if (nodes.size() < 2 || most->size() < 2) return;
  auto const levels = std::make_shared<node_levels>();
  levels->local_ranks = int(least->size());
  levels->even = least->size() == most->size();
  levels->intra_node = part.split(own_node, own_local_rank);
  levels->inter_node =
      part.split(own_local_rank < levels->local_ranks ? own_local_rank : levels->local_ranks + part.rank(), own_node);
  for (auto const& node : nodes) levels->rank_at.insert(levels->rank_at.end(), node.begin(), node.end());
  levels->own_node = std::move(nodes[std::size_t(own_node)]);
  join(levels->intra_node, whole);
  part.state().levels = levels;
}

ASHLAR_INLINE void node_ranks::progress(void* monitor) {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  if (monitor != nullptr) static_cast<desync_monitor*>(monitor)->poll_others();
}

}  // namespace ashlar::comm_detail
