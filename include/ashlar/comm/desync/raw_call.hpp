// SPDX-License-Identifier: BSL-1.0
// Calls of all ranks of a communicator that are no collectives of a mesh: agreements, and collectives on raw memory.
#pragma once
#include <type_traits>
#include <utility>

#include "ashlar/comm/desync/call_of_ranks.hpp"
#include "ashlar/plan/extent_errors.hpp"

namespace ashlar::comm_detail {

/// Names the function of the library whose raw calls follow, and its line if there is one, for errors and for the
/// watchdog's report. The outermost name counts. The headers of these calls also compare `way`, as of a raw call.
class calls_as {
 public:
  calls_as(communicator const& c, char const* call_name, call_site const& w = {}, std::uint64_t way = 0);
  calls_as(calls_as const&) = delete;
  calls_as& operator=(calls_as const&) = delete;
  ~calls_as() { state_.caller = outer_; }

 private:
  desync_state& state_;
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

/// A raw call from begin to end. The watchdog sees it. If all ranks of a program's communicator take part, desync
/// detection sees it too. Inside another call of the ranks it is a part of that call.
/// `way`: a fingerprint of all arguments on which the way of the call depends, which are equal on all ranks.
class raw_call : call_of_ranks {
 public:
  /// An agreement: no rank goes on before all ranks have called agree().
  raw_call(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way = 0);
  /// A collective on raw memory. Begins with the header now and then, if MPI's own collectives serve.
  /// Error: ashlar::error if this rank has left messages of an earlier call here; on every rank if a header finds that the
  ///   ranks do not call the same.
  raw_call(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way,
           comm::tuning const& how);
  /// The header: compares this call, and those before it, between all ranks. Returns the range of their numbers.
  /// Collective: all ranks of c; blocks. Cost: an all-reduce of 64 bytes.
  /// Error: as the second constructor.
  range_over_ranks agree(std::uint64_t number = 0, header_is what = header_is::an_agreement) const;
  /// True inside another call of the ranks, which has compared itself.
  using call_of_ranks::is_part;
  /// False if MPI alone reads the arrays: a rank that waits for them cannot poll the others.
  void set_polls(bool polls) { poll_in_mpi(polls); }

 private:
  raw_call(communicator const& c, char const* call_name, call_site const& w, std::uint64_t way, bool in_memory);

  communicator const& c_;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/desync/impl/raw_call.ipp"
#endif
