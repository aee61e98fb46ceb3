// SPDX-License-Identifier: BSL-1.0
// Groups of ranks that see each other's memory and meet without MPI.
#pragma once
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/comm/desync/made_tensors.hpp"
#include "ashlar/comm/desync/noted_error.hpp"
#include "ashlar/comm/combination.hpp"
#include "ashlar/meta/error.hpp"
#include "ashlar/comm/node/process.hpp"
#include "ashlar/comm/waiting.hpp"

namespace ashlar::comm_detail {

/// A rank's description of its call, given when it arrives.
struct node_call {
  std::uint64_t fingerprint = 0;  // of the call; equal on all ranks of a correct program.
  std::uint64_t source = 0;       // the operand, in bytes from the begin of the rank's memory.
  std::uint64_t destination = 0;  // the result, if others write into it.
};
/// The same for people: the number of the call on its mesh, and "all_gather over x, mlp.cpp:70". Without desync
/// detection the text is empty.
struct described_call {
  std::uint64_t number_on_mesh = 0;
  sent_text call{};       // or an error that its rank has noted
  tensor_list tensors{};  // made before the call
};
inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};  // memory that the others do not see

/// The memory through which a rank talks to the others of a group. All of them see it; only its owner writes it. Flag,
/// call and the first 32 bytes of a small operand share one cache line, so it travels once.
struct node_slot {
  static constexpr std::size_t inline_bytes = 4096;
  struct alignas(128) turn {
    std::atomic<std::uint64_t> arrived{0};  // the last round of this turn at which the rank has arrived.
    node_call call;
    alignas(32) std::byte bytes[inline_bytes];  // a small operand.
  };
  turn turns[2];  // for even and for odd rounds.
  alignas(128) std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> groups_left{0};  // groups with this slot that the rank has left.
  std::atomic<std::uint64_t> given_up{0};     // the last group, counted from 1, in which the rank has given up
  described_call described;                   // written before a round ends in which the ranks call different ones

  /// The last round at which the rank has arrived.
  std::uint64_t round() const { return (std::max)({turns[0].arrived.load(), turns[1].arrived.load(), done.load()}); }
};

/// A group of ranks of one node that work in rounds. In each round every rank arrives with its call, reads or writes
/// the others' memory, and is done.
/// Data written before a rank arrives (or is done) is visible to every rank that has seen it arrive (or be done). Calls
/// and small operands of a round stay until all ranks have arrived at the next round.
/// If a slot is used again, its round numbers go on.
/// A rank gives up when an error ends its wait for others. Then it takes its arrival back: ranks that come later find
/// nobody there, and learn why. Nothing that it writes from then on is taken for this round. It begins no other round,
/// so the operand in its slot stays.
/// A rank that saw the arrival before it was taken back may go on to read that memory and to write that result. It
/// learns of the error at the end of the round, when it waits until all ranks are done, or looks at those that it has
/// read.
/// Collective: all ranks of the group take part in each round, in the same order.
class node_group {
 public:
  struct member {
    std::byte* memory = nullptr;  // begin of its memory, as mapped here.
    node_slot* slot = nullptr;
    std::uint64_t round = 0;        // round of its slot when the group was made.
    known_process process{};        // none for this process.
    std::uint64_t groups_left = 0;  // `groups_left` of its slot when the group was made.
    int rank = 0;                   // in the mesh
    bool has_given_up() const { return slot->given_up.load(std::memory_order_acquire) == groups_left + 1; }
    bool has_left() const { return slot->groups_left.load(std::memory_order_acquire) > groups_left; }
  };
  /// A rank's slot in a group that it has left. The others may still read it until they have left the group, too.
  struct left_slot {
    node_slot* slot;
    std::vector<member> members;
    bool is_free() const;
  };
  struct waiting {
    int polls = 1000;                         // tests of a flag before a waiting rank yields its core.
    double deadline = 0;                      // seconds until waiting is an error; 0: never.
    void (*meanwhile)(void*) = [](void*) {};  // called now and then: another rank may wait for work done in it.
    void* argument = nullptr;                 // of `meanwhile`.
    bool oversubscribed = false;              // more processes than cores on this node
    void set_oversubscribed(bool c) {
      oversubscribed = c;
      polls = c ? 50 : 4000;
    }
  };
  /// The end of a long wait for a rank. A rank that has given up or ended will not come any more.
  enum class wait_end { came, given_up, ended, late };
  /// Waits until a flag of rank m has reached the round, and yields the core between polls. `since`: the time at which this
  /// rank began to wait.
  static wait_end poll_and_yield(waiting const& how, member const& m, std::atomic<std::uint64_t> const& flag,
                                 std::uint64_t round, double since);

  /// Calls `release` with its own slot when this rank leaves the group.
  node_group(
      int rank, std::vector<member> members, waiting how, void (*release)(left_slot) = [](left_slot) {})
      : members_(std::move(members)), rank_(rank), how_(how), release_(release) {}
  node_group(node_group const&) = delete;
  node_group& operator=(node_group const&) = delete;
  ~node_group();

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(members_.size()); }
  member const& rank_of_node(int q) const { return members_[static_cast<std::size_t>(q)]; }
  /// The number of rounds that this rank has begun.
  std::uint64_t round() const { return round_; }
  waiting const& how_to_wait() const { return how_; }
  /// Sets whether a waiting rank yields its core soon.
  void set_oversubscribed(bool oversubscribed) { how_.set_oversubscribed(oversubscribed); }
  bool is_oversubscribed() const { return how_.oversubscribed; }
  /// The name of a rank of the group in error sentences.
  std::string name(int q) const { return "rank " + std::to_string(members_[static_cast<std::size_t>(q)].rank); }

  /// Room for a small operand of the coming round: node_slot::inline_bytes bytes. Error: as begin.
  std::byte* inline_memory() const {
    refuse_after_giving_up();
    refuse_within_a_round();
    return turn(own(), round_ + 1).bytes;
  }

  /// Begins a round: returns when all ranks have arrived.
  /// Error: ashlar::error if a rank's process has ended, or if a rank has not come by the deadline or has given up.
  ///   Then this rank has given up, too.
  void arrive(node_call const& call) {
    begin(call);
    wait_until_all_have_arrived();
  }
  /// The same without waiting. Pre: this rank has waited for all ranks in the round before. Error: if this rank has
  /// given up, or has not finished the round before: its call and its operand would be lost. Then it gives up.
  void begin(node_call const& call) {
    refuse_after_giving_up();
    refuse_within_a_round();
    is_in_a_round_ = true;
    ++round_;
    node_slot::turn& mine = turn(own(), round_);
    mine.call = call;
    mine.arrived.store(own().round + round_, std::memory_order_release);
  }
  bool has_given_up() const { return own().has_given_up(); }
  /// True if each rank has arrived or given up.
  bool all_have_arrived() const {
    return std::all_of(members_.begin(), members_.end(), [&](member const& m) {
      return turn(m, round_).arrived.load(std::memory_order_acquire) >= m.round + round_ || m.has_given_up();
    });
  }
  /// Waits until all ranks have arrived. Error: as arrive.
  void wait_until_all_have_arrived();
  node_call const& call(int q) const { return turn(members_[static_cast<std::size_t>(q)], round_).call; }
  /// Describes this rank's call to the others. They read it after the end of this round, and before they begin another.
  void describe(described_call const& c) { own().slot->described = c; }
  described_call const& described(int q) const { return members_[static_cast<std::size_t>(q)].slot->described; }
  /// Returns the address of an offset in rank q's memory.
  template <class T>
  T* at(int q, std::uint64_t offset) const {
    return reinterpret_cast<T*>(members_[static_cast<std::size_t>(q)].memory + offset);
  }
  template <class T>
  T const* source(int q) const {
    return at<T const>(q, call(q).source);
  }
  template <class T>
  T* destination(int q) const {
    return at<T>(q, call(q).destination);
  }

  /// Ends the round for this rank: it no longer reads or writes other ranks' memory.
  void finish() {
    is_in_a_round_ = false;
    own().slot->done.store(own().round + round_, std::memory_order_release);
  }
  /// Waits until all ranks are done. Then this rank's memory is its own again. Error: as arrive.
  void wait_until_all_are_done();
  /// For a rank that leaves the round without that wait: call it after reading the memory of rank q.
  /// Error: ashlar::error if q has given up, as it may have changed that memory. Then this rank has given up, too.
  void require_unchanged(int q);

 private:
  static node_slot::turn& turn(member const& m, std::uint64_t round) { return m.slot->turns[(m.round + round) % 2]; }
  member const& own() const { return members_[static_cast<std::size_t>(rank_)]; }
  void refuse_after_giving_up() const {
    if (has_given_up())
      throw error("ashlar: " + name(rank_) +
                  " has given up a collective among these ranks before; make another mesh, on all of them");
  }
  void refuse_within_a_round() const {
    if (!is_in_a_round_) return;
    give_up();
    throw error(
        "ashlar: a collective of ranks of a node began inside another one of theirs; this is a mistake in ashlar");
  }
  void give_up() const { own().slot->given_up.store(own().groups_left + 1, std::memory_order_release); }
  template <class F>
  void or_give_up(F wait) {
    try {
      wait();
    } catch (...) {
      give_up();
      std::atomic_thread_fence(std::memory_order_seq_cst);  // before this rank changes memory that others read
      turn(own(), round_).arrived.store(own().round + round_ - 1, std::memory_order_release);
      throw;
    }
  }
  // `since`: the time at which this rank began to wait for all of them; 0 until the wait is long.
  void wait_for(member const& m, std::atomic<std::uint64_t> const& flag, double& since, char const* late) const {
    std::uint64_t const round = m.round + round_;
    for (int poll_number = 0; flag.load(std::memory_order_acquire) < round; ++poll_number) {
      if (poll_number == how_.polls) return wait_long_for(m, flag, round, since, late);
      pause_core();
    }
  }
  void wait_long_for(member const& m, std::atomic<std::uint64_t> const& flag, std::uint64_t round, double& since,
                     char const* late) const;
  [[noreturn]] void throw_late(member const& m, char const* fate, double waited) const;

  std::vector<member> members_;
  int rank_;
  waiting how_;
  void (*release_)(left_slot);
  std::uint64_t round_ = 0;
  bool is_in_a_round_ = false;
};

// Combines n elements, from `first` on, of every rank's operand(q), in the order of the ranks. Calls write(begin,
// values, count) with pieces of the result, which stay in the L1 cache.
template <class Operand, class Write>
void combine_operands(node_group const& g, combination const& r, Operand operand, std::size_t first, std::size_t n,
                      Write write) {
  piece_of_sum room;
  std::size_t const width = piece_of_sum::bytes / r.size;
  for (std::size_t begin = first; begin < first + n; begin += width) {
    std::size_t const m = (std::min)(width, first + n - begin);
    auto const piece = [&](int q) { return operand(q) + begin * r.size; };
    std::byte* const sum = room.at_place_of(piece(0));
    r.in_order(g.size(), piece, sum, m);
    write(begin, static_cast<std::byte const*>(sum), m);
  }
}

template <class Write>
void combine_sources(node_group const& g, combination const& r, std::size_t first, std::size_t n, Write write) {
  combine_operands(
      g, r, [&](int q) { return g.source<std::byte>(q); }, first, n, write);
}

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/node/impl/group.ipp"
#endif
