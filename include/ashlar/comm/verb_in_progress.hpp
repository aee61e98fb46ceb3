// A verb from begin to end, as the ranks of its mesh know of it.
#pragma once
#include <exception>

#include "ashlar/comm/call_channel.hpp"
#include "ashlar/comm/node_memory.hpp"

namespace ashlar::detail {

/// A call that has begun: while a rank is in it and waits, it looks what the others do.
class watched_call {
 public:
  /// `call.call` has all but its number.
  watched_call(call_channel& channel, call_in_progress call) : channel_(channel), call_(std::move(call)) {
    noted_call& c = call_.call;
    c.number = channel_.history().begin(c.print, c.number_on_mesh, c.event);
  }
  watched_call(watched_call const&) = delete;
  watched_call& operator=(watched_call const&) = delete;

  void enter() {
    exceptions_ = std::uncaught_exceptions();
    call_.begin = call_.asks_next = 0;
    outer_ = std::exchange(current(), this);
    while_waiting = [] {
      if (watched_call* const c = current()) c->channel_.look(c->call_);
    };
  }
  /// Post: true, if by an exception.
  bool leave() {
    current() = outer_;
    bool const fails = std::uncaught_exceptions() > exceptions_;
    if (fails) channel_.history().give_up(call_.call.number);
    return fails;
  }
  noted_call const& call() const { return call_.call; }
  call_channel& channel() const { return channel_; }

 private:
  static watched_call*& current() {
    static watched_call* call = nullptr;
    return call;
  }

  call_channel& channel_;
  call_in_progress call_;
  int exceptions_ = 0;
  watched_call* outer_ = nullptr;  // one may have to complete another first
};

/// What one mesh's ranks know of their calls. A rank alone has none to ask.
class mesh_calls {
 public:
  mesh_calls() = default;
  /// Pre: all processes of `program`, which are more than one, make a mesh. Collective: over them, where it is their first.
  explicit mesh_calls(MPI_Comm program) : channel_(call_channel::of(program)), deadline_(comm::deadline()) {}

  explicit operator bool() const { return channel_ != nullptr; }
  /// Runs f, in which the ranks of a mesh meet for the first time, as a call that makes a mesh.
  /// Error: ashlar::error on every rank where some make none.
  template <class F>
  auto while_ranks_meet(comm::verb_event const& e, F f) const {
    struct here {
      watched_call call;
      here(mesh_calls const& m, comm::verb_event const& event)
          : call(*m.channel_, {{0, fingerprint(event.what, 0), 0, event, false}, m.channel_->all_ranks(), 1, m.channel_->rank(), m.deadline_}) {
        call.enter();
      }
      ~here() { call.leave(); }
    } const met(*this, e);
    return f();
  }
  /// Numbers the mesh. Collective: over its ranks; blocks.
  void begin(communicator const& ranks) { mesh_ = channel_->add_mesh(ranks); }

 private:
  friend class verb_in_progress;
  std::shared_ptr<call_channel> channel_;
  double deadline_ = 0;
  std::uint64_t mesh_ = 0;
  mutable std::uint64_t begun_ = 0;
};

/// Whether a rank that has begun a verb stays in it to its end.
enum class verb_kind { blocks, goes_on };

/// A verb from begin to end, or another call of all ranks of a mesh: while it lasts, its messages have a tag of their own, and
/// a rank that waits looks what the others do. A rank may leave a verb that has begun and enter it again.
class verb_in_progress {
 public:
  /// Pre: `ranks` are those that differ from `rank` along e.axes only, and more than one.
  verb_in_progress(mesh_calls const& calls, mesh_shape const& sizes, int rank, communicator const& ranks, std::uint64_t print, comm::verb_event const& e)
      : ranks_(ranks.state()), print_(print), tag_(tag_of(print, ++ranks_.begun)),
        call_(*calls.channel_, {{0, fingerprint(e.what, print, calls.mesh_), ++calls.begun_, e, false}, sizes, e.axes, rank, deadline_of(calls, ranks_)}) {
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
    call_.enter();
    outer_tag_ = ranks_.tag, outer_print_ = ranks_.print;
    tell(tag_, print_);
  }
  void leave() {
    entered_ = false;
    if (call_.leave()) {
      to_all([](communicator_state& s) {
        s.keeps_messages = true;
        if (s.lost_messages) node_memory::instance().leave_to_others(s.release_scratch());
      });
      // Of other calls all ranks may have left by the same error: wrong input.
      if (call_.call().event.name == nullptr) call_.channel().history().lose_count();
    }
    tell(outer_tag_, outer_print_);
  }
  /// Where MPI's own collectives serve, ranks that call different ones would stay in them: every so often they compare first,
  /// and what has gone on since they compared last, too.
  /// `in_memory`: whether tensors lie where ranks of a node read them.
  /// Collective: over `ranks`; blocks, where this verb does. Cost: an all-reduce of 16 bytes.
  /// Error: ashlar::error on every rank where they have not called the same since they compared last; where this one has left
  /// messages of a verb before.
  void agree(communicator const& ranks, bool in_memory, verb_kind kind) const {
    refuse_after_lost_messages();
    in_memory = in_memory && comm::tuned.host_memory;
    communicator const& exchanging = ranks_.levels && ranks_.levels->even && in_memory ? ranks_.levels->far : ranks;
    bool const only_exchanges = comm::tuned.exchanges(exchanging.size()) && !exchanging.state().used_collectives && !ranks_.used_collectives;
    if ((ranks_.node && in_memory) || only_exchanges || comm::tuned.agree_every == 0) return;
    ranks_.mixed_prints = fingerprint(verb::exchange, ranks_.mixed_prints, print_);
    if (kind == verb_kind::goes_on || ++ranks_.verbs % comm::tuned.agree_every != 0) return;
    std::uint64_t const prints = std::exchange(ranks_.mixed_prints, 0);
    call_.channel().compare(ranks, call_.call(), prints, " (or a verb before it differs)");
  }
  /// All ranks compare this call.
  /// Collective: over `ranks`; blocks. Cost: an all-reduce of 16 bytes. Error: ashlar::error on every rank where they do not call
  /// the same; where this one has left messages of a verb before.
  void agree_now(communicator const& ranks) const {
    refuse_after_lost_messages();
    call_.channel().compare(ranks, call_.call(), print_, "");
  }

 private:
  void refuse_after_lost_messages() const {
    bool lost = false;
    to_all([&](communicator_state const& s) { lost = lost || s.lost_messages; });
    if (lost) throw error("ashlar: a verb among these ranks has failed here before, and they may wait in it; make another mesh, on all of them");
  }
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
  static int largest_tag() {
    static int const tag = [] {
      int *bound = nullptr, found = 0;
      comm::check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found), "MPI_Comm_get_attr");
      return (found ? *bound : 32767) - 1;
    }();
    return tag;
  }
  // Numbers tell verbs of one kind apart: those that go on post messages whenever their rank looks, and what a failed one has
  // sent is nobody else's.
  static int tag_of(std::uint64_t print, std::uint64_t number) { return 1 + static_cast<int>((print + number) % static_cast<std::uint64_t>(largest_tag())); }

  communicator_state& ranks_;
  std::uint64_t print_;
  int tag_;
  watched_call call_;
  bool entered_ = false;
  int outer_tag_ = 0;  // what was told before
  std::uint64_t outer_print_ = 0;
};

}  // namespace ashlar::detail
