// SPDX-License-Identifier: BSL-1.0
// A collective that goes on while its rank does something else.
#pragma once
#include "ashlar/comm/collectives/exchange.hpp"
#include "ashlar/comm/node/round.hpp"
#include "ashlar/tensor/collective_scope.hpp"
#include "ashlar/tensor/storage.hpp"
#include <exception>
#include <optional>
#include <vector>

namespace ashlar::tensor_detail {

/// A collective from its begin until it is complete: in a round of a node, or by messages. It reads its operand until
/// then: an update of the operand in place completes it first.
class in_flight : public reader, public unfinished_collective {
  collective_scope scope_;

 public:
  in_flight(in_flight const&) = delete;
  in_flight& operator=(in_flight const&) = delete;

  /// Post: the collective is complete.
  /// Collective: as complete. Error: as the collective, even if another call has completed it.
  void wait() {
    complete();
    if (failure_) std::rethrow_exception(failure_);
  }
  void keep(void const*) override { complete(); }

 protected:
  /// Pre: `ranks` differ along the step's axes, and are at least 2.
  template <class M>
  in_flight(device_mesh<M> const& m, communicator const& ranks, plan_step const& s, std::uint64_t fingerprint,
            std::size_t bytes, call_site const& w, collective_kind kind)
      : scope_(m, s, fingerprint, bytes, w, kind), ranks_(ranks), node_(ranks) {}
  ~in_flight() override = default;

  /// Begins the collective by f. The rank leaves it after that.
  template <class F>
  void begin_by(F f) {
    or_fail(f);
    scope_.leave();
  }
  /// Calls f in the collective, which the rank enters again. Error: as f, and ashlar::error if MPI is finalised.
  template <class F>
  void in_collective(F f) {
    or_fail([&] { scope_.enter(); }, false);
    struct leaving {
      collective_scope& scope;
      ~leaving() { scope.leave(); }
    } const here{scope_};
    or_fail(f);
  }

  /// Offers n bytes to the other ranks of `node_`, without waiting for them. False if these ranks send messages.
  bool offer(std::uint64_t fingerprint, void const* source, std::size_t n, void const* destination,
             read_in_place what = read_in_place::large) {
    round_.emplace(begin_only{}, node_, fingerprint, source, n, destination, what);
    if (!*round_) round_.reset();
    if (round_) node_.state().unfinished = this;
    return round_.has_value();
  }
  /// Waits until the ranks of the node have offered theirs. False if some rank's memory is not visible to the others.
  bool meet() {
    if (node_.state().unfinished == this) node_.state().unfinished = nullptr;
    round_->meet();
    if (!*round_) round_.reset();
    return round_.has_value();
  }
  void end_round() {
    round_->end();
    round_.reset();
  }
  /// The same, without waiting for the ranks that still read. note(group) notes them.
  template <class F>
  void leave_round(F const& note) {
    round_->leave(note);
    round_.reset();
  }
  /// Takes over the messages that were posted, so that other collectives may post theirs.
  void keep_requests() { std::swap(requests_, ranks_.state().requests); }
  /// Waits for these messages.
  void finish_requests() {
    if (requests_.size() == 0) return;
    std::swap(requests_, ranks_.state().requests);
    finish(ranks_);
    requests_.clear();
  }
  /// Error: ashlar::error if MPI is finalised.
  bool requests_have_arrived() {
    if (requests_.size() == 0) return true;
    or_fail([&] { scope_.require_mpi(); }, false);
    int arrived = 0;
    comm_detail::check_mpi(MPI_Testall(int(requests_.size()), requests_.data(), &arrived, MPI_STATUSES_IGNORE),
                           "MPI_Testall");
    return arrived != 0;
  }

  communicator ranks_;
  communicator node_;                // the ranks that may share memory: all, or the ranks of this node
  std::optional<node_round> round_;  // null if ranks send messages

 private:
  /// Leaves the memory of the collective to messages that come late. It is called while an exception is handled. A failed
  /// collective is not tried again.
  virtual void give_up() = 0;
  // `entered`: false if this rank cannot call MPI, because it is finalised or this is another thread.
  template <class F>
  void or_fail(F f, bool entered = true) {
    try {
      f();
    } catch (...) {
      failure_ = std::current_exception();
      if (node_.state().unfinished == this) node_.state().unfinished = nullptr;
      round_.reset();                          // before the result's memory is free for others
      if (entered && requests_.size() != 0) {  // the wait in memory has failed, beside messages
        std::swap(requests_, ranks_.state().requests);
        comm_detail::give_up(ranks_);
      }
      give_up();
      throw;
    }
  }

  std::exception_ptr failure_;
  std::vector<MPI_Request> requests_;
};

}  // namespace ashlar::tensor_detail
