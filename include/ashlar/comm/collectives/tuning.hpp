// SPDX-License-Identifier: BSL-1.0
// The choice of a collective's algorithm.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ashlar/comm/combination.hpp"
#include "ashlar/comm/desync/fingerprint.hpp"
#include "ashlar/comm/mpi.hpp"
#include "ashlar/comm/settings.hpp"
#include "ashlar/comm/collectives/tuning_table.hpp"

namespace ashlar::comm {

/// Settings of collectives. Each collective takes them as its last argument.
/// Pre: the same on all ranks of a call.
struct tuning {
  static constexpr std::size_t kibibyte = 1024;

  std::optional<algorithm> forced = {};      ///< algorithm for every call that it can serve, whatever was measured.
  int exchange_ranks = 16;                   ///< unless forced, up to this number of ranks exchange messages.
  std::size_t piece_bytes = 512 * kibibyte;  ///< blocks are combined in pieces that fit into a core's cache.
  std::size_t persistent_bytes = 1024 * kibibyte;  ///< larger arrays are not worth the copies of a persistent one.
  std::size_t count_limit = comm_detail::largest_count;  ///< elements that one MPI call may take.

  bool shared_memory = true;        ///< for meshes made from now on: ranks of a node read each other's memory.
  std::size_t inline_bytes = 4096;  ///< up to this size, operands in shared memory are copied next to the call.
  /// One in this number of collectives is compared between ranks, if MPI's own collectives serve; 0: none.
  std::uint64_t agree_every = 32;
  double patience = 0.5;  ///< seconds until a rank that waits asks the others for their calls.
  double deadline = 0;    ///< for meshes made from now on: seconds until waiting is an error; 0: never.

  /// False: only MPI reads and writes the arrays, which may be on a device. An ashlar::environment sets it if MPI takes
  /// device pointers. (A communicator of one rank copies as in host memory.)
  bool host_memory = true;

  /// Runs the loops over large arrays: sums of operands, and copies. It calls work(argument, begin, end) on ranges that
  /// make up [0, n), of at least `grain` unless there is only one. By default one call does all on this thread. The
  /// collectives of tensors use the threads of the tensor's execution space. It may differ between ranks.
  void (*for_ranges)(std::size_t n, std::size_t grain, void (*work)(void const*, std::size_t, std::size_t),
                     void const* argument) = [](std::size_t n, std::size_t, auto work, void const* argument) {
    work(argument, 0, n);
  };

  /// True if collectives of this number of ranks may be exchanges.
  bool exchanges(int ranks) const {
    return host_memory && (forced ? comm_detail::is_exchange(*forced) : ranks <= exchange_ranks);
  }
};

/// The settings of collectives that are given none: $ASHLAR_ALGORITHM, or the program's choice. Change them, if at all,
/// before the first collective and on all ranks.
inline tuning tuned{.forced = comm_detail::algorithm_setting().value};

}  // namespace ashlar::comm

namespace ashlar::comm_detail {

// The rows for the MPI library that the program is compiled with.
inline constexpr std::span<tuning_row const> measured_rows =
#if defined(OPEN_MPI)
    open_mpi_rows;
#elif defined(MPICH_NUMVERSION)
    mpich_rows;
#else
    {};
#endif

}  // namespace ashlar::comm_detail

namespace ashlar::comm {

/// The algorithm for collectives on elements T: the one that was measured to be the fastest. To choose another,
/// specialise it for one type or for all types, before the first collective on such elements.
/// Pre: the same answer on all ranks for the same call.
/// Example:
///   template <ashlar::comm::element T>
///   struct ashlar::comm::algorithm_for<T> {
///     static algorithm of(collective_call const& c) { return c.ranks < 100 ? algorithm::exchange : algorithm::mpi; }
///   };
template <class T>
struct algorithm_for {
  static algorithm of(collective_call const& c) { return comm_detail::look_up(comm_detail::measured_rows, c); }
};

}  // namespace ashlar::comm

namespace ashlar::comm_detail {

// Seconds until a rank that waits in a collective gives up: $ASHLAR_DEADLINE, or the program's choice; 0: never.
inline double deadline() { return deadline_setting().value.value_or(comm::tuned.deadline); }

/// The elements of arrays, for functions that move them as bytes. These are compiled once for all types.
struct element_type {
  std::size_t size;
  std::uint64_t code;  // in fingerprints
  MPI_Datatype (*datatype)();
  comm::algorithm (*algorithm)(comm::collective_call const&);

  void const* at(void const* array, std::size_t i) const { return static_cast<std::byte const*>(array) + i * size; }
  void* at(void* array, std::size_t i) const { return static_cast<std::byte*>(array) + i * size; }
};
template <class T>
inline constexpr element_type element_type_of{sizeof(T), element_code<T>, comm::mpi_datatype<T>::get,
                                              comm::algorithm_for<T>::of};

/// A reduction of such elements.
struct reduction : combination {
  element_type const& elements;
  std::uint64_t code;  // in fingerprints
  MPI_Op (*op)();
};
template <class Op, class T>
inline constexpr reduction reduction_of{combination_of<Op, T>, element_type_of<T>, code_of<Op>,
                                        comm::mpi_op<Op, T>::get};

/// Calls body(begin, end) on ranges that make up the n elements of an array, of `size` bytes each. They begin at whole pages of 4096 bytes,
/// counted from the array's begin. Arrays of up to 16 pages are one range: two threads would take as long.
template <class Body>
void for_elements_of(comm::tuning const& how, std::size_t size, std::size_t n, Body const& body) {
  constexpr std::size_t pages_per_thread = 8;
  std::size_t const page = 4096 / size;
  if (n <= 2 * pages_per_thread * page) return body(std::size_t{0}, n);
  auto const of_pages = [&](std::size_t first, std::size_t until) { body(first * page, (std::min)(n, until * page)); };
  how.for_ranges((n + page - 1) / page, pages_per_thread,
                 [](void const* f, std::size_t first, std::size_t until) {
                   (*static_cast<decltype(of_pages) const*>(f))(first, until);
                 },
                 &of_pages);
}

}  // namespace ashlar::comm_detail
