// A verb from begin to end, as the ranks of its mesh know of it.
#pragma once
#include <exception>
#include <tuple>

#include "ashlar/comm/call_channel.hpp"

namespace ashlar::detail {

/// What one mesh's ranks know of its verbs. A rank alone has none to ask.
class mesh_calls {
 public:
  mesh_calls() = default;
  /// Collective: over `program`.
  explicit mesh_calls(MPI_Comm program) : channel_(call_channel::of(program)), deadline_(comm::deadline()) {
    std::tie(number_, history_) = channel_->add_mesh();
  }

 private:
  friend class verb_in_progress;
  std::shared_ptr<call_channel> channel_;
  std::shared_ptr<call_history> history_;
  int number_ = 0;
  double deadline_ = 0;
};

/// A verb from begin to end: while it lasts, its messages have a tag of their own, and a rank that waits looks what the
/// others do. A rank may leave a verb that has begun and enter it again.
class verb_in_progress {
 public:
  /// Pre: `ranks` are those that differ from `rank` along e.axes only, and more than one.
  verb_in_progress(mesh_calls const& calls, mesh_shape const& sizes, int rank, communicator const& ranks, std::uint64_t print, comm::verb_event const& e)
      : calls_(calls), ranks_(ranks.state()), print_(print),
        call_{calls.number_, calls.history_.get(), calls.history_->begun(), sizes, e.axes, rank, deadline_of(calls, ranks_)} {
    calls_.history_->begin(print, e);
    enter();
  }
  verb_in_progress(verb_in_progress const&) = delete;
  verb_in_progress& operator=(verb_in_progress const&) = delete;
  ~verb_in_progress() {
    if (entered_) leave();
  }
  /// Pre: it was left.
  void enter() {
    entered_ = true;
    exceptions_ = std::uncaught_exceptions();
    call_.begin = call_.asks_next = 0;
    outer_ = std::exchange(current(), this);
    outer_tag_ = ranks_.tag, outer_print_ = ranks_.print;
    tell(1 + static_cast<int>(print_ % static_cast<std::uint64_t>(largest_tag())), print_);
    while_waiting = [] {
      if (verb_in_progress* const v = current()) v->calls_.channel_->look(v->call_);
    };
  }
  void leave() {
    entered_ = false;
    if (std::uncaught_exceptions() > exceptions_) {
      calls_.history_->give_up(call_.number);
      to_all([](communicator_state& s) { s.keeps_messages = true; });
    }
    current() = outer_;
    tell(outer_tag_, outer_print_);
  }
  /// Where MPI's own collectives serve, ranks that call different ones would stay in them: every so often they compare first.
  /// `in_memory`: whether tensors lie where ranks of a node read them.
  /// Collective: over `ranks`. Cost: an all-reduce of 16 bytes.
  /// Error: ashlar::error on every rank where they have not called the same since they compared last.
  void agree(communicator const& ranks, bool in_memory) const {
    in_memory = in_memory && comm::tuned.host_memory;
    communicator const& exchanging = ranks_.levels && in_memory ? ranks_.levels->far : ranks;
    bool const only_exchanges = comm::tuned.exchanges(exchanging.size()) && !exchanging.state().used_collectives;
    if ((ranks_.node && in_memory) || only_exchanges || comm::tuned.agree_every == 0) return;
    ranks_.mixed_prints = fingerprint(verb::exchange, ranks_.mixed_prints, print_);
    if (++ranks_.verbs % comm::tuned.agree_every != 0) return;
    std::uint64_t const prints = std::exchange(ranks_.mixed_prints, 0);
    call_channel::compare(ranks, call_.number, prints, call_.history->text_of(call_.number));
  }

 private:
  template <class F>
  void to_all(F f) const {
    f(ranks_);
    if (ranks_.levels) f(ranks_.levels->near.state()), f(ranks_.levels->far.state());
  }
  void tell(int tag, std::uint64_t print) const {
    to_all([&](communicator_state& s) { s.tag = tag, s.print = print; });
  }
  // Where ranks meet on a node, their group has the deadline, and knows better who is late.
  static double deadline_of(mesh_calls const& calls, communicator_state const& ranks) {
    return calls.deadline_ > 0 && ranks.node ? calls.deadline_ + 1 : calls.deadline_;
  }
  static verb_in_progress*& current() {
    static verb_in_progress* verb = nullptr;
    return verb;
  }
  static int largest_tag() {
    static int const tag = [] {
      int *bound = nullptr, found = 0;
      comm::check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found), "MPI_Comm_get_attr");
      return (found ? *bound : 32767) - 1;
    }();
    return tag;
  }

  mesh_calls const& calls_;
  communicator_state& ranks_;
  std::uint64_t print_;
  call_in_progress call_;
  bool entered_ = false;
  int exceptions_ = 0;
  // What was told before: a verb may have to complete another one first.
  verb_in_progress* outer_ = nullptr;
  int outer_tag_ = 0;
  std::uint64_t outer_print_ = 0;
};

}  // namespace ashlar::detail
