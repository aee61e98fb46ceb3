// Ranks that see each other's memory: how they meet, without MPI.
#pragma once
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/comm/clock.hpp"
#include "ashlar/meta/error.hpp"
#include "ashlar/comm/node/yield_core.hpp"

namespace ashlar::detail {

inline void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// What a rank says of a collective when it arrives there.
struct node_call {
  std::uint64_t fingerprint = 0;  // of what it calls: the same on all ranks of a correct program
  std::uint64_t source = 0;       // where its operand lies, in bytes from the begin of its memory
  std::uint64_t destination = 0;  // and its result, where others write into it
};
inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};  // not in memory that the others see

/// What a rank shares with the others of a group, in memory that all of them see. Only its owner writes it. Flag, call and
/// the first 32 bytes of a small operand are one cache line: it travels once.
struct node_slot {
  static constexpr std::size_t inline_bytes = 4096;
  struct alignas(128) turn {
    std::atomic<std::uint64_t> arrived{0};  // the last round of this turn at which the rank has arrived
    node_call call;
    alignas(32) std::byte bytes[inline_bytes];  // a small operand
  };
  turn turns[2];  // of even and of odd rounds
  alignas(128) std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> groups_left{0};  // in which the rank had this slot
  std::atomic<std::uint64_t> given_up{0};     // the last of these groups, from 1, in which it has given up

  /// The last round at which the rank has arrived.
  std::uint64_t round() const { return std::max({turns[0].arrived.load(), turns[1].arrived.load(), done.load()}); }
};

/// A group of ranks of one node, by turns: in each round every rank arrives with its call, reads or writes the others'
/// memory, and is done. What is written here before a rank arrives, or is done, is seen by whoever has seen it arrive, or
/// be done; calls and small operands of a round stay until all ranks have arrived at the next.
/// A slot's rounds go on where the slot was used before.
/// A rank that stops waiting for others, by an error, has given up. They may come later: it takes its arrival back, so that they
/// find nobody there, and learn why; nothing that it writes from then on is taken for this round's. It begins no other one, so what it
/// had copied to its slot stays. Who found it there before may go on to read its memory and to write its result, and learns
/// of it at the end of the round, where it waits until all are done.
/// Collective: all ranks of the group take part in each round, in the same order.
class node_group {
 public:
  struct member {
    std::byte* memory = nullptr;  // begin of its memory, as this rank sees it
    node_slot* slot = nullptr;
    std::uint64_t round = 0;      // that of its slot when the group was made
    pid_t process = 0;            // 0: not another process
    std::uint64_t groups_left = 0;  // that of its slot when the group was made
    int rank = 0;                   // of the mesh
    bool has_given_up() const { return slot->given_up.load(std::memory_order_acquire) == groups_left + 1; }
    bool has_left() const { return slot->groups_left.load(std::memory_order_acquire) > groups_left; }
  };
  /// A rank's slot in a group that it has left. The others may still read it, until they have left the group, too.
  struct left_slot {
    node_slot* slot;
    std::vector<member> members;
    bool is_free() const { return std::all_of(members.begin(), members.end(), [](member const& m) { return m.has_left(); }); }
  };
  struct waiting {
    int polls = 1000;     // at a flag, before a waiting rank yields its core
    double deadline = 0;  // seconds after which waiting is an error; 0: never
    void (*meanwhile)(void*) = [](void*) {};  // called now and then: another rank may not come before something is done here
    void* argument = nullptr;                 // of `meanwhile`
    bool oversubscribed = false;                     // ranks exceed cores
    void set_oversubscribed(bool c) {
      oversubscribed = c;
      polls = c ? 50 : 4000;
    }
  };

  /// `release` is called with the own slot when this rank leaves the group.
  node_group(int rank, std::vector<member> members, waiting how, void (*release)(left_slot) = [](left_slot) {})
      : members_(std::move(members)), rank_(rank), how_(how), release_(release) {}
  node_group(node_group const&) = delete;
  node_group& operator=(node_group const&) = delete;
  ~node_group() {
    node_slot* const slot = own().slot;
    slot->groups_left.fetch_add(1, std::memory_order_release);
    release_({slot, std::move(members_)});
  }

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(members_.size()); }
  /// Whether this rank, when it waits, soon yields its core.
  void set_oversubscribed(bool oversubscribed) { how_.set_oversubscribed(oversubscribed); }
  bool is_oversubscribed() const { return how_.oversubscribed; }
  /// What errors call a rank of the group.
  std::string name(int q) const { return "rank " + std::to_string(members_[static_cast<std::size_t>(q)].rank); }

  /// Room for a small operand of the coming round, node_slot::inline_bytes. Error: as begin.
  std::byte* inline_memory() const {
    refuse_after_giving_up();
    return turn(own(), round_ + 1).bytes;
  }

  /// Begins a round: returns when all ranks have arrived.
  /// Error: ashlar::error where a rank's process has ended, has not come by the deadline, or has given up; then this one has, too.
  void arrive(node_call const& call) {
    begin(call);
    wait_until_all_have_arrived();
  }
  /// The same without waiting. Pre: all ranks were waited for in the round before. Error: where this one has given up.
  void begin(node_call const& call) {
    refuse_after_giving_up();
    ++round_;
    node_slot::turn& mine = turn(own(), round_);
    mine.call = call;
    mine.arrived.store(own().round + round_, std::memory_order_release);
  }
  bool has_given_up() const { return own().has_given_up(); }
  /// Whether each rank has arrived, or given up.
  bool all_have_arrived() const {
    return std::all_of(members_.begin(), members_.end(), [&](member const& m) {
      return turn(m, round_).arrived.load(std::memory_order_acquire) >= m.round + round_ || m.has_given_up();
    });
  }
  /// Returns when they have arrived. Error: as arrive.
  void wait_until_all_have_arrived() {
    or_give_up([&] {
      double since = 0;
      for (member const& m : members_) wait_for(m, turn(m, round_).arrived, since, "has not come");
    });
  }
  node_call const& call(int q) const { return turn(members_[static_cast<std::size_t>(q)], round_).call; }
  /// What lies at an offset in rank q's memory.
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

  /// Ends the round for this rank: it reads and writes no other rank's memory any more.
  void finish() { own().slot->done.store(own().round + round_, std::memory_order_release); }
  /// Returns when all ranks are done: this rank's memory is its own again. Error: as arrive.
  void wait_until_all_are_done() {
    or_give_up([&] {
      double since = 0;
      for (member const& m : members_) {
        wait_for(m, m.slot->done, since, "has not come to its end");
        if (m.has_given_up()) throw_late(m, "has given up after an error", 0);
      }
    });
  }

 private:
  static node_slot::turn& turn(member const& m, std::uint64_t round) { return m.slot->turns[(m.round + round) % 2]; }
  member const& own() const { return members_[static_cast<std::size_t>(rank_)]; }
  void refuse_after_giving_up() const {
    if (has_given_up()) throw error("ashlar: " + name(rank_) + " has given up a collective among these ranks before; make another mesh, on all of them");
  }
  template <class F>
  void or_give_up(F wait) {
    try {
      wait();
    } catch (...) {
      own().slot->given_up.store(own().groups_left + 1, std::memory_order_release);
      turn(own(), round_).arrived.store(own().round + round_ - 1, std::memory_order_release);
      throw;
    }
  }
  // `since`: when this rank began to wait for all of them, once that takes long.
  void wait_for(member const& m, std::atomic<std::uint64_t> const& flag, double& since, char const* late) const {
    std::uint64_t const round = m.round + round_;
    for (int poll_number = 0; flag.load(std::memory_order_acquire) < round; ++poll_number) {
      if (poll_number == how_.polls) return wait_long_for(m, flag, round, since, late);
      pause_core();
    }
  }
  void wait_long_for(member const& m, std::atomic<std::uint64_t> const& flag, std::uint64_t round, double& since, char const* late) const {
    if (since == 0) since = comm::now();
    for (unsigned poll_number = 1; flag.load(std::memory_order_acquire) < round; ++poll_number) {
      if (m.has_given_up() && flag.load(std::memory_order_acquire) < round) throw_late(m, "has given up after an error", comm::now() - since);
      how_.oversubscribed ? yield_core(poll_number) : static_cast<void>(sched_yield());
      if (poll_number % 16 == 0) how_.meanwhile(how_.argument);
      if (poll_number % (how_.oversubscribed ? 16 : 256) != 0) continue;
      double const waited = comm::now() - since;
      if (waited < 0.5) continue;
      bool const ended = m.process != 0 && kill(m.process, 0) != 0 && errno == ESRCH;
      // It may have come before it ended.
      if (ended && flag.load(std::memory_order_acquire) < round) throw_late(m, "has ended", waited);
      if (how_.deadline > 0 && waited > how_.deadline) throw_late(m, late, waited);
    }
  }
  [[noreturn]] void throw_late(member const& m, char const* fate, double waited) const {
    throw error("ashlar: " + name(rank_) + " waited " + std::to_string(static_cast<int>(waited + 0.5)) + " s on its node for " +
                name(static_cast<int>(&m - members_.data())) + ", which " + fate + "; collectives begun here: " + std::to_string(round_) +
                ", there: " + std::to_string(m.slot->round() - m.round));
  }

  std::vector<member> members_;
  int rank_;
  waiting how_;
  void (*release_)(left_slot);
  std::uint64_t round_ = 0;
};

// Combines the n elements that begin at `first` in every rank's operand(q), in the order of the ranks, and calls
// write(begin, values, count) with the results: pieces that stay in the first cache.
template <class Op, class T, class Operand, class Write>
void combine_operands(node_group const& g, Operand operand, std::size_t first, std::size_t n, Write write) {
  constexpr std::size_t width = 4096 / sizeof(T);
  alignas(64) T sum[width];
  for (std::size_t begin = first; begin < first + n; begin += width) {
    std::size_t const m = std::min(width, first + n - begin);
    T const *const a = operand(0) + begin, *const b = operand(1) + begin;
    for (std::size_t i = 0; i < m; ++i) sum[i] = Op::combine(a[i], b[i]);
    for (int q = 2; q < g.size(); ++q) {
      T const* const next = operand(q) + begin;
      for (std::size_t i = 0; i < m; ++i) sum[i] = Op::combine(sum[i], next[i]);
    }
    write(begin, static_cast<T const*>(sum), m);
  }
}

template <class Op, class T, class Write>
void combine_sources(node_group const& g, std::size_t first, std::size_t n, Write write) {
  combine_operands<Op, T>(g, [&](int q) { return g.source<T>(q); }, first, n, write);
}

}  // namespace ashlar::detail
