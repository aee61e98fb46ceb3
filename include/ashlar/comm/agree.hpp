// Agreement: an error on one rank becomes the same error on all ranks.
#pragma once
#include <algorithm>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/comm/message_memory.hpp"
#include "ashlar/config.hpp"

namespace ashlar::comm_detail {

inline void all_reduce_by_mpi(communicator const& c, index_t* data, int n, MPI_Op op) {
  require_mpi("comm");
  c.counters().agreement.add(std::size_t(n) * sizeof(index_t));
  message_buffer<index_t> values(static_cast<std::size_t>(n));
  std::copy_n(data, n, values.data());
  call_mpi(c, "MPI_Allreduce", ASHLAR_MPI(MPI_Allreduce), ASHLAR_MPI(MPI_Iallreduce), MPI_IN_PLACE, values.data(), n,
           comm::mpi_datatype<index_t>::get(), op);
  std::copy_n(values.data(), n, data);
}

// Returns the root's text on every rank.
inline std::string broadcast_text(communicator const& c, std::string const& said, int root) {
  if (c.size() == 1) return said;
  message_buffer<std::uint64_t> length(1);
  *length.data() = said.size();
  broadcast_by_mpi(c, length.data(), 1, root, comm::tuned);
  message_buffer<char> text(*length.data());
  if (c.rank() == root) std::copy(said.begin(), said.end(), text.data());
  broadcast_by_mpi(c, text.data(), *length.data(), root, comm::tuned);
  return {text.data(), *length.data()};
}

// If some rank has a `failure`, throws on every rank the failure of the lowest such rank.
inline void throw_together(communicator const& c, std::optional<std::string> failure, bool name_the_rank,
                           char const* name = "comm::collectively", call_site const& w = {}) {
  index_t lowest = failure ? c.rank() : c.size();
  std::string text = failure.value_or("");
  {
    raw_call const now(c, name, w, wait_by::polling);
    if (c.size() > 1) all_reduce_by_mpi(c, &lowest, 1, MPI_MIN);
    if (lowest == c.size()) return;
    text = broadcast_text(c, text, int(lowest));
  }
  if (name_the_rank) text += " (on rank " + std::to_string(lowest) + ")";
  throw error(text);
}

// Returns every rank's number.
inline std::vector<index_t> gathered_by_mpi(communicator const& c, index_t mine) {
  message_buffer<index_t> own(1), all(static_cast<std::size_t>(c.size()));
  *own.data() = mine;
  MPI_Datatype const type = comm::mpi_datatype<index_t>::get();
  call_mpi(c, "MPI_Allgather", ASHLAR_MPI(MPI_Allgather), ASHLAR_MPI(MPI_Iallgather), own.data(), 1, type, all.data(),
           1, type);
  return std::move(*all);
}

// Runs f. If it throws, stores the text of the exception in `failure`.
template <class F>
auto run_catching(F& f, std::optional<std::string>& failure) {
  using result = std::decay_t<std::invoke_result_t<F&>>;
  std::conditional_t<std::is_void_v<result>, std::optional<bool>, std::optional<result>> value;
  try {
    if constexpr (std::is_void_v<result>) {
      f();
      value = true;
    } else {
      value.emplace(f());
    }
  } catch (std::exception const& e) {
    failure = e.what();
  } catch (...) {
    failure = "an exception that is no std::exception";
  }
  return value;
}

}  // namespace ashlar::comm_detail

namespace ashlar::comm {

/// Runs f on every rank; if it throws on any, every rank throws. `name` and `w` name the call in errors.
/// Pre: if f calls collectives, no rank throws while others wait in one of them.
/// Post: returns the value of f, if f has one.
/// Collective: all ranks of c; blocks. Not inside a catch block that only some ranks enter.
/// Cost: an all-reduce of 8 bytes; two more broadcasts if f throws.
/// Error: `ashlar::error` with the message and the number of the lowest rank whose f threw. If c has all ranks of a
///   mesh, also if another rank calls something else, has failed or has ended; else after the deadline, if there is one.
/// Example: `auto const images = comm::collectively(c, [&] { return read_images(path); });`
template <class F>
auto collectively(communicator const& c, F f, char const* name = "comm::collectively",
                  call_site w = call_site::current()) {
  std::optional<std::string> failure;
  auto value = comm_detail::run_catching(f, failure);
  comm_detail::throw_together(c, std::move(failure), true, name, w);
  if constexpr (!std::is_void_v<std::invoke_result_t<F&>>) return std::move(*value);
}

/// Runs f on rank 0; if it throws there, every rank throws the same `ashlar::error`.
/// Collective: all ranks of c; the others wait for rank 0.
/// Cost: as `collectively`.
template <class F>
void on_root(communicator const& c, F f, char const* name = "comm::on_root", call_site w = call_site::current()) {
  std::optional<std::string> failure;
  if (c.rank() == 0) comm_detail::run_catching(f, failure);
  comm_detail::throw_together(c, std::move(failure), false, name, w);
}

/// Checks that all ranks have the same number of values, and the same values in the same order.
/// Collective: all ranks of c; blocks.
/// Cost: an all-reduce of 144 bytes for each 8 values.
/// Error: `ashlar::error` on every rank. It names two ranks and their different values.
/// Example: `comm::require_equal(c, extents, "ashlar::make: the extents");`
inline void require_equal(communicator const& c, std::span<index_t const> values, std::string const& what,
                          call_site w = call_site::current()) {
  if (c.size() == 1) return;
  std::optional<comm_detail::raw_call> now(std::in_place, c, "comm::require_equal", w, comm_detail::wait_by::polling);
  constexpr std::size_t width = 8;
  std::size_t const n = values.size();
  for (std::size_t begin = 0; begin == 0 || begin < n; begin += width) {
    // One maximum gives the largest of each value and, since ~x reverses the order, the smallest too. The number of
    // values is one of them, so ranks with different numbers stop in the first round.
    index_t extremes[2 * (width + 1)] = {index_t(n)};
    for (std::size_t i = begin; i < std::min(begin + width, n); ++i) extremes[1 + i - begin] = values[i];
    for (std::size_t i = 0; i <= width; ++i) extremes[width + 1 + i] = ~extremes[i];
    index_t mine[width + 1];
    std::copy_n(extremes, width + 1, mine);
    comm_detail::all_reduce_by_mpi(c, extremes, int(2 * (width + 1)), MPI_MAX);

    std::size_t i = 0;
    while (i <= width && extremes[i] == ~extremes[width + 1 + i]) ++i;
    if (i > width) continue;
    std::vector<index_t> const all = comm_detail::gathered_by_mpi(c, mine[i]);
    now.reset();
    auto const other = std::find_if(all.begin(), all.end(), [&](index_t x) { return x != all[0]; });
    auto const is = [&](index_t x) { return i == 0 ? std::to_string(x) + " of them" : std::to_string(x); };
    throw error(
        what + " differ between ranks: " + (i == 0 ? "there are " : "value " + std::to_string(begin + i - 1) + " is ") +
        is(all[0]) + " on rank 0 and " + is(*other) + " on rank " + std::to_string(other - all.begin()) +
        "; give all ranks the same");
  }
}

}  // namespace ashlar::comm

namespace ashlar::comm_detail {

/// Gives every rank the extents and bytes of an array that rank 0 has.
/// Collective: all ranks of c. Error: ashlar::error on every rank if a rank has no memory for them.
template <class Array>
void broadcast_array(communicator const& c, Array& a) {
  index_t sizes[2]{static_cast<index_t>(a.extents.size()), static_cast<index_t>(a.bytes.size())};
  comm::broadcast(c, sizes, 2, 0);
  comm::collectively(c, [&] {
    a.extents.resize(static_cast<std::size_t>(sizes[0]));
    a.bytes.resize(static_cast<std::size_t>(sizes[1]));
  });
  comm::broadcast(c, a.extents.data(), a.extents.size(), 0);
  comm::broadcast(c, a.bytes.data(), a.bytes.size(), 0);
}

}  // namespace ashlar::comm_detail
