// SPDX-License-Identifier: BSL-1.0
// One collective among ranks that see each other's memory.
#pragma once
#include <utility>

#include "ashlar/comm/desync/call_history.hpp"
#include "ashlar/comm/desync/call_report.hpp"
#include "ashlar/comm/node/memory.hpp"

namespace ashlar::comm_detail {

/// The memory that other ranks read in place. `large`: operands that are too large to be copied for them. `always`:
/// also memory to which the operand itself points, by offsets.
enum class read_in_place { large, always };

/// Selects the constructor that begins a round without waiting for the others.
struct begin_only {};

/// Completes the collective that these ranks have begun in shared memory, if there is one.
inline void complete_unfinished(communicator const& c) {
  if (auto* const before = std::exchange(c.state().unfinished, nullptr)) before->complete();
}

/// A round of a node group. Every rank offers an operand for reading and, if it is large, its result for writing.
/// Error: `ashlar::error` on every rank if the ranks do not call the same.
template <class T>
class node_round {
 public:
  /// Post: false, on all ranks, if some rank's memory is not visible to the others. Then nothing has happened.
  /// Collective: all ranks of c; blocks until all have arrived.
  node_round(communicator const& c, std::uint64_t fingerprint, T const* source, std::size_t elements,
             void const* destination = nullptr, read_in_place what = read_in_place::large)
      : node_round(begin_only{}, c, fingerprint, source, elements, destination, what) {
    meet();
  }
  /// Post: the operand is offered, if ranks of c see each other's memory at all.
  node_round(begin_only, communicator const& c, std::uint64_t fingerprint, T const* source, std::size_t elements,
             void const* destination = nullptr, read_in_place what = read_in_place::large)
      : group_(c.state().node.get()), monitor_(c.state().monitor.get()) {
    if (group_ == nullptr) return;
    complete_unfinished(c);
    fingerprint_ =
        fingerprint_of(static_cast<collective>(fingerprint >> 56), fingerprint, c.state().in_progress.fingerprint);
    node_memory const& memory = node_memory::instance();
    small_ = elements * sizeof(T) <= (what == read_in_place::always
                                          ? node_slot::inline_bytes
                                          : (std::min)(comm::tuned.inline_bytes, node_slot::inline_bytes));
    waits_ = !small_ || what == read_in_place::always;
    if (waits_) written_by_all_ = destination;
    void const* operand = source;
    if (small_)
      operand =
          elements == 0 ? group_->inline_memory() : std::memcpy(group_->inline_memory(), source, elements * sizeof(T));
    group_->begin(
        {fingerprint_, memory.offset(operand), destination == nullptr || !waits_ ? 0 : memory.offset(destination)});
  }
  /// Waits for the others. Post, collective and error: as for the first constructor.
  void meet() {
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
  node_round(node_round const&) = delete;
  node_round& operator=(node_round const&) = delete;
  ~node_round() {
    if (group_ == nullptr) return;
    if (group_->has_given_up()) node_memory::instance().leave_to_others(written_by_all_);
    group_->finish();
  }

  /// Ends the round. Afterwards the operand may change, and the result is complete.
  /// Post: true.
  bool end() {
    group_->finish();
    if (waits_) group_->wait_until_all_are_done();
    group_ = nullptr;
    return true;
  }

  /// Ends the round without that wait. Pre: no rank writes results of others, and this rank has required those that it has
  /// read to be unchanged.
  /// Post: if ranks may still read this rank's memory, note(group) has been called.
  template <class F>
  void leave(F const& note) {
    group_->finish();
    if (waits_) note(std::as_const(*group_));
    group_ = nullptr;
  }

  explicit operator bool() const { return group_ != nullptr; }
  bool all_have_arrived() const { return group_ == nullptr || group_->all_have_arrived(); }
  node_group& group() const { return *group_; }
  /// True if this rank's operand was copied for the others: they do not read its own memory.
  bool is_small() const { return small_; }

 private:
  static std::string differing_calls(node_group const& g) {
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
  static std::string described_calls(node_group const& g, std::string otherwise) {
    int q = 1;
    while (g.call(q).fingerprint == g.call(0).fingerprint) ++q;
    described_call const &one = g.described(0), &other = g.described(q);
    if (*one.call.text == '\0' || *other.call.text == '\0') return otherwise;
    return different_calls({one.number_on_mesh, one.call.text, g.name(0), one.tensors},
                           {other.number_on_mesh, other.call.text, g.name(q), other.tensors});
  }

  node_group* group_;
  waiting_monitor* monitor_;
  std::uint64_t fingerprint_ = 0;
  bool small_ = false, waits_ = true;
  void const* written_by_all_ = nullptr;  // this rank's result, if the other ranks write into it
};

}  // namespace ashlar::comm_detail
