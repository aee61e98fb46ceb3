// SPDX-License-Identifier: BSL-1.0
// The functions of comm/node/round.hpp.

namespace ashlar::comm_detail {

inline std::string differing_calls(node_group const& g) {
  std::string text = "ashlar: the ranks do not call the same, in the same order:";
  for (int q = 0; q < g.size(); ++q) {
    auto const collective_number = static_cast<int>(g.call(q).fingerprint >> 56);
    bool const as_first = g.call(q).fingerprint == g.call(0).fingerprint;
    bool const same_collective = collective_number == static_cast<int>(g.call(0).fingerprint >> 56);
    text += (q == 0 ? " " : ", ") + g.name(q) + " calls " + to_text(static_cast<collective>(collective_number));
    if (!as_first && same_collective) text += " with other layouts, extents or elements";
  }
  return text + "; every rank of a mesh takes part in each collective";
}

// Names the calls of two ranks that differ, and where they are. Returns `otherwise` if some rank does not know.
inline std::string described_calls(node_group const& g, std::string otherwise) {
  int q = 1;
  while (g.call(q).fingerprint == g.call(0).fingerprint) ++q;
  described_call const &one = g.described(0), &other = g.described(q);
  if (*one.call.text == '\0' || *other.call.text == '\0') return otherwise;
  return different_calls({one.number_on_mesh, one.call.text, g.name(0), one.tensors},
                         {other.number_on_mesh, other.call.text, g.name(q), other.tensors});
}

ASHLAR_INLINE node_round::node_round(begin_only, communicator const& c, std::uint64_t fingerprint, void const* source,
                                     std::size_t n, void const* destination, read_in_place what)
    : group_(c.state().node.get()), monitor_(c.state().desync.monitor.get()) {
  if (group_ == nullptr) return;
  complete_unfinished(c);
  fingerprint_ =
      fingerprint_of(static_cast<collective>(fingerprint >> 56), fingerprint, c.state().desync.in_progress.fingerprint);
  node_memory const& memory = node_memory::instance();
  small_ = n <= (what == read_in_place::always ? node_slot::inline_bytes
                                               : (std::min)(comm::tuned.inline_bytes, node_slot::inline_bytes));
  waits_ = !small_ || what == read_in_place::always;
  if (waits_) written_by_all_ = destination;
  void const* operand = source;
  if (small_) operand = n == 0 ? group_->inline_memory() : std::memcpy(group_->inline_memory(), source, n);
  group_->begin(
      {fingerprint_, memory.offset(operand), destination == nullptr || !waits_ ? 0 : memory.offset(destination)});
}

ASHLAR_INLINE void node_round::meet() {
  if (group_ == nullptr) return;
  group_->wait_until_all_have_arrived();
  bool seen = true, same = true;
  for (int q = 0; q < group_->size(); ++q) {
    node_call const& call = group_->call(q);
    seen = seen && call.source != nowhere && call.destination != nowhere;
    same = same && call.fingerprint == fingerprint_;
  }
  if (same && seen) return;
  node_group& g = *std::exchange(group_, nullptr);
  if (!same) {
    std::string text = differing_calls(g);
    bool const known = monitor_ != nullptr && monitor_->in_call();
    if (known) monitor_->tell_others(g.size());  // those on other nodes wait for messages
    g.describe(known ? monitor_->call() : described_call{});
    g.finish();
    g.wait_until_all_are_done();
    for (int q = 0; q < g.size(); ++q)
      if (sent_text const& c = g.described(q).call; c.is_error) throw_noted_error(monitor_, c.text);
    throw error(described_calls(g, std::move(text)));
  }
  g.finish();
}

ASHLAR_INLINE node_round::~node_round() {
  if (group_ == nullptr) return;
  if (group_->has_given_up()) node_memory::instance().leave_to_others(written_by_all_);
  group_->finish();
}

ASHLAR_INLINE bool node_round::end() {
  group_->finish();
  if (waits_) group_->wait_until_all_are_done();
  group_ = nullptr;
  return true;
}

}  // namespace ashlar::comm_detail
