// SPDX-License-Identifier: BSL-1.0
// Agreement: an error on one rank becomes the same error on all ranks.
#pragma once
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/comm/message_memory.hpp"
#include "ashlar/config.hpp"
#include "ashlar/plan/extent_errors.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE void all_reduce_by_mpi(communicator const& c, index_t* data, int n, MPI_Op op);

// Returns the root's text on every rank.
ASHLAR_INLINE std::string broadcast_text(communicator const& c, std::string const& said, int root);

// The text of an error with the line of the call that errors name, if it has none yet.
ASHLAR_INLINE std::string with_call(std::string text);

// If some rank has a `failure`, throws on every rank the failure of the lowest such rank.
ASHLAR_INLINE void throw_together(communicator const& c, std::optional<std::string> failure, bool name_the_rank,
                                  char const* name = "comm::collectively", call_site const& w = {});

// Returns every rank's number.
ASHLAR_INLINE std::vector<index_t> gathered_by_mpi(communicator const& c, index_t mine);

// The text of the exception that is being handled.
ASHLAR_INLINE std::string text_of_exception();

// Calls call(f). If it throws, stores the text of the exception in `failure`. Not inlined: g++ would warn that f may have
// left no value. A template, since g++ warns of functions that are `inline` and not inlined.
template <class Failure>
[[gnu::noinline]] void call_catching(void (*call)(void*), void* f, Failure& failure) {
  try {
    call(f);
  } catch (...) {
    failure = text_of_exception();
  }
}

// Runs f, unless there is a failure. If f throws, stores the text of the exception in `failure`. The handler is compiled
// once, not for each f.
template <class F>
void run_catching(F&& f, std::optional<std::string>& failure) {
  using Plain = std::remove_cvref_t<F>;
  if (!failure) call_catching([](void* g) { (*static_cast<Plain*>(g))(); }, const_cast<Plain*>(&f), failure);
}

// Memory for the value of a function. std::optional would instantiate 40 templates for each type.
template <class T>
struct value_of_call {
  union {
    T value;
  };
  bool there = false;
  value_of_call() {}
  value_of_call(value_of_call const&) = delete;
  ~value_of_call() {
    if (there) value.~T();
  }
};

}  // namespace ashlar::comm_detail

namespace ashlar::comm {

/// Runs f on every rank; if it throws on any, every rank throws. `name` and `w` name the call in errors.
/// Pre: if f calls collectives, no rank throws while others wait in one of them.
/// Post: returns the value of f, if f has one.
/// Collective: all ranks of c; blocks. Not inside a catch block that only some ranks enter.
/// Cost: an all-reduce of 64 bytes; two more broadcasts if f throws.
/// Error: `ashlar::error` with the message and the number of the lowest rank whose f threw. If c has all ranks of a
///   mesh, also if another rank calls something else, has failed or has ended; else after the deadline, if there is one.
/// Example: `auto const images = comm::collectively(c, [&] { return read_images(path); });`
template <class F>
auto collectively(communicator const& c, F f, char const* name = "comm::collectively",
                  call_site w = call_site::current()) {
  using result = std::decay_t<decltype(f())>;
  std::optional<std::string> failure;
  if constexpr (std::is_void_v<result>) {
    comm_detail::run_catching(f, failure);
    comm_detail::throw_together(c, std::move(failure), true, name, w);
  } else {
    comm_detail::value_of_call<result> made;
    auto const run = [&] {
      ::new (static_cast<void*>(&made.value)) result(f());
      made.there = true;
    };
    comm_detail::run_catching(run, failure);
    comm_detail::throw_together(c, std::move(failure), true, name, w);
    return result(std::move(made.value));
  }
}

/// Runs f on rank 0; if it throws there, every rank throws the same `ashlar::error`.
/// Collective: all ranks of c; the others wait for rank 0.
/// Cost: as `collectively`.
/// Error: `ashlar::error` on every rank, as `collectively`, if f throws on rank 0.
/// Example: `comm::on_root(c, [&] { write_header(path); });`
template <class F>
void on_root(communicator const& c, F f, char const* name = "comm::on_root", call_site w = call_site::current()) {
  std::optional<std::string> failure;
  if (c.rank() == 0) comm_detail::run_catching(f, failure);
  comm_detail::throw_together(c, std::move(failure), false, name, w);
}

/// Checks that all ranks have the same number of values, and the same values in the same order.
/// Collective: all ranks of c; blocks.
/// Cost: an all-reduce of 64 bytes.
/// Error: `ashlar::error` on every rank. It names two ranks and their different values.
/// Example: `comm::require_equal(c, extents, "ashlar::make: the extents");`
ASHLAR_INLINE void require_equal(communicator const& c, std::span<index_t const> values, std::string const& what,
                                 call_site w = call_site::current());

}  // namespace ashlar::comm

namespace ashlar::comm_detail {

/// Gives every rank the extents and bytes of an array that rank 0 has.
/// Collective: all ranks of c. Error: ashlar::error on every rank if a rank has no memory for them.
template <class Array>
void broadcast_array(communicator const& c, Array& a) {
  index_t sizes[2]{static_cast<index_t>(a.extents.size()), static_cast<index_t>(a.bytes.size())};
  comm::broadcast(c, sizes, 2, 0);
  comm::collectively(c, [&] {
    resize_buffer(a.extents, static_cast<std::size_t>(sizes[0]));
    resize_buffer(a.bytes, static_cast<std::size_t>(sizes[1]));
  });
  comm::broadcast(c, a.extents.data(), a.extents.size(), 0);
  comm::broadcast(c, a.bytes.data(), a.bytes.size(), 0);
}

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/impl/agree.ipp"
#endif
