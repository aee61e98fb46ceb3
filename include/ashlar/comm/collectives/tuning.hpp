// Which way a collective goes.
#pragma once
#include <cstdint>
#include <optional>

#include "ashlar/comm/mpi.hpp"
#include "ashlar/comm/settings.hpp"
#include "ashlar/comm/collectives/tuning_table.hpp"

namespace ashlar::comm {

/// How collectives are carried out. Each takes one as its last argument.
/// Pre: the same on all ranks of a call.
struct tuning {
  static constexpr std::size_t kibibyte = 1024;

  std::optional<algorithm> forced = {};        ///< what serves every call that it can serve, whatever was measured
  int exchange_ranks = 16;                     ///< unless forced, ranks exchange messages where they are so many or fewer
  std::size_t piece_bytes = 512 * kibibyte;    ///< blocks are combined in pieces that fit into a core's cache
  std::size_t persistent_bytes = 1024 * kibibyte;  ///< larger arrays are not worth the copies of a persistent collective
  std::size_t count_limit = largest_count;     ///< elements that one call of MPI may take

  bool shared_memory = true;         ///< for meshes made from now on: ranks of a node read each other's memory
  std::size_t inline_bytes = 4096;   ///< there, operands up to this size are copied to where the others look for calls
  std::uint64_t agree_every = 32;    ///< of so many collectives one is compared between ranks, where MPI's own collectives serve; 0: none
  double patience = 0.5;             ///< seconds after which a rank that waits in a collective asks the others what they call
  double deadline = 0;               ///< for meshes made from now on: seconds after which waiting for a rank is an error; 0: never

  /// False: only MPI reads and writes the arrays, which may lie on a device; an ashlar::environment decides so where MPI
  /// takes a device's pointers. (A rank alone copies in host memory.)
  bool host_memory = true;

  /// Whether collectives of so many ranks may be exchanges.
  bool exchanges(int ranks) const { return host_memory && (forced ? is_exchange(*forced) : ranks <= exchange_ranks); }
};

/// What collectives use unless told otherwise, by $ASHLAR_ALGORITHM or the program. Change it, if at all, before the first
/// collective and on all ranks.
inline tuning tuned{.forced = algorithm_setting().value};

/// The rows for the MPI library that the program is compiled with.
inline constexpr std::span<tuning_row const> measured_rows =
#if defined(OPEN_MPI)
    open_mpi_rows;
#elif defined(MPICH_NUMVERSION)
    mpich_rows;
#else
    {};
#endif

/// Which algorithm serves collectives on elements T: the one that was measured to be the fastest. Who knows better
/// specialises it before the first collective on such elements, for one type or for all.
/// Pre: the same answer on all ranks for the same call.
/// Example:
///   template <ashlar::comm::element T>
///   struct ashlar::comm::algorithm_for<T> {
///     static algorithm of(collective_call const& c) { return c.ranks < 100 ? algorithm::exchange : algorithm::mpi; }
///   };
template <class T>
struct algorithm_for {
  static algorithm of(collective_call const& c) { return look_up(measured_rows, c); }
};

/// Seconds after which a rank that waits in a collective gives up: $ASHLAR_DEADLINE, or what the program says; 0: never.
inline double deadline() { return deadline_setting().value.value_or(tuned.deadline); }

}  // namespace ashlar::comm
