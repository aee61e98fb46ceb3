// SPDX-License-Identifier: BSL-1.0
// One collective among ranks that see each other's memory.
#pragma once
#include <utility>

#include "ashlar/config.hpp"
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
class node_round {
 public:
  /// Post: false, on all ranks, if some rank's memory is not visible to the others. Then nothing has happened.
  /// Collective: all ranks of c; blocks until all have arrived.
  template <class T>
  node_round(communicator const& c, std::uint64_t fingerprint, T const* source, std::size_t elements,
             void const* destination = nullptr, read_in_place what = read_in_place::large)
      : node_round(begin_only{}, c, fingerprint, source, elements * sizeof(T), destination, what) {
    meet();
  }
  /// The same for an operand of n bytes. Post: it is offered, if ranks of c see each other's memory at all.
  node_round(begin_only, communicator const& c, std::uint64_t fingerprint, void const* source, std::size_t n,
             void const* destination = nullptr, read_in_place what = read_in_place::large);
  /// Waits for the others. Post, collective and error: as for the first constructor.
  void meet();
  node_round(node_round const&) = delete;
  node_round& operator=(node_round const&) = delete;
  ~node_round();

  /// Ends the round. Afterwards the operand may change, and the result is complete.
  /// Post: true.
  bool end();

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
  node_group* group_;
  desync_monitor* monitor_;
  std::uint64_t fingerprint_ = 0;
  bool small_ = false, waits_ = true;
  void const* written_by_all_ = nullptr;  // this rank's result, if the other ranks write into it
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/node/impl/round.ipp"
#endif
