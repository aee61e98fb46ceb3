// SPDX-License-Identifier: BSL-1.0
// Calls of all ranks of a communicator that are no collectives of a mesh: agreements, and collectives on raw memory.
#pragma once
#include <optional>
#include <type_traits>
#include <utility>

#include "ashlar/comm/desync/collective_in_progress.hpp"
#include "ashlar/plan/extent_errors.hpp"

namespace ashlar::comm_detail {

/// Names the function of the library whose raw calls follow, and its line if there is one, for errors and for the
/// watchdog's report. The outermost name counts.
class calls_as {
 public:
  calls_as(communicator const& c, char const* call_name, call_site const& w = {});
  calls_as(calls_as const&) = delete;
  calls_as& operator=(calls_as const&) = delete;
  ~calls_as() { state_.caller = outer_; }

 private:
  communicator_state& state_;
  calling_function outer_;
  call_site site_;  // errors point to it
  plan_detail::call_in_errors in_errors_;
};

/// A function's first argument and the line of the call. After a pack there is no place for the default argument that
/// finds the line.
template <class T>
struct at_call {
  T value;
  call_site site;
  template <class U>
    requires std::is_convertible_v<U, T>
  at_call(U&& given, call_site w = call_site::current()) : value(static_cast<T>(std::forward<U>(given))), site(w) {}
};

/// `polling`: a rank that waits in a collective of MPI's own polls the other ranks, whatever that costs.
enum class wait_by { mpi, polling };

/// A raw call from begin to end. The watchdog sees it. If all ranks of a program's communicator take part, desync
/// detection sees it too. Inside another call of the ranks it is a part of that call.
/// Cost: an all-reduce of 16 bytes, if MPI's own collectives serve an agreement. The ranks compare the call first, since
///   MPI may end the run if an agreement meets another collective.
/// Error: of an agreement, ashlar::error if this rank has left messages of an earlier call here; on every rank if such
///   ranks do not call the same.
class raw_call {
 public:
  raw_call(communicator const& c, char const* call_name, call_site const& w = {}, wait_by how = wait_by::mpi);
  raw_call(raw_call const&) = delete;
  raw_call& operator=(raw_call const&) = delete;
  ~raw_call();

 private:
  struct without_comparison {};
  raw_call(without_comparison, communicator const& c, char const* call_name, call_site const& w, wait_by how);
  // On one node, the node group has the deadline and knows better which rank is late. So this deadline is 1 s later.
  double deadline_of(wait_by how) const;

  communicator_state& state_;
  bool polled_, begun_ = false;
  std::optional<watched_call> call_;
};

}  // namespace ashlar::comm_detail

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/comm/compiled/raw_call.hpp"
#endif
