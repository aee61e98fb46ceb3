// SPDX-License-Identifier: BSL-1.0
// Ways to carry out a collective by messages of MPI, and tables that choose one.
#pragma once
#include <cstddef>
#include <limits>
#include <span>

#include "ashlar/plan/step.hpp"

namespace ashlar::comm {

/// A collective that lacks an algorithm uses the nearest one: `exchange` for the other exchanges, `mpi` for the others.
enum class algorithm {
  mpi,                ///< MPI's own; an all-reduce has separate arrays for operand and result.
  mpi_in_place,       ///< the same for an all-reduce whose operand is where its result will be.
  mpi_with_counts,    ///< MPI's reduce-scatter for blocks of different sizes, also used for equal sizes.
  persistent,         ///< MPI's own, set up once for a size and started for each call, on buffers of its own.
  exchange,           ///< each rank sends all others the elements that they need, in an all-reduce all of them.
  exchange_in_parts,  ///< an all-reduce in which each rank combines a part and sends it to all others.
  exchange_by_types  ///< an exchange of blocks that are not contiguous. Derived datatypes describe them: nothing is packed.
};

/// The name of an algorithm, as $ASHLAR_ALGORITHM takes it.
/// Example: comm::to_text(comm::algorithm::mpi_in_place) is "mpi_in_place"
constexpr char const* to_text(algorithm a) {
  constexpr char const* text[]{"mpi",      "mpi_in_place",      "mpi_with_counts",  "persistent",
                               "exchange", "exchange_in_parts", "exchange_by_types"};
  return text[static_cast<int>(a)];
}

/// The properties of a collective. All its ranks know them alike, except `strided`. An algorithm may depend only on
/// them. Whether it is an exchange does not depend on `strided`.
struct collective_call {
  collective what = collective::all_reduce;
  bool in_place = false;  ///< an all-reduce whose operand is where its result will be.
  int ranks = 2;
  std::size_t bytes = 0;     ///< of the larger array of a rank: operand or result.
  bool may_exchange = true;  ///< false: more ranks than may exchange, or memory that only MPI accesses.
  bool strided = false;      ///< blocks are not contiguous in a shard of this rank: types describe them, or it packs.
};

}  // namespace ashlar::comm

namespace ashlar::comm_detail {

using comm::algorithm;

inline constexpr int algorithms = 7;

// True if each rank sends to all others. Then operands are combined in the order of the ranks.
constexpr bool is_exchange(algorithm a) {
  return a == algorithm::exchange || a == algorithm::exchange_in_parts || a == algorithm::exchange_by_types;
}

/// The algorithms for one kind of collective, up to a number of ranks and of bytes. `exchange` is used if ranks may
/// exchange, else `of_mpi`. Exchanges have priority because they combine in the order of the ranks: all transports and
/// all ranks get the same bits. Also, a rank that waits in an exchange finds out what the others call.
struct tuning_row {
  collective what;
  bool in_place;
  int ranks;
  std::size_t bytes;
  algorithm exchange;
  algorithm of_mpi;
  bool strided = false;
};
inline constexpr int any_ranks = (std::numeric_limits<int>::max)();
inline constexpr std::size_t any_bytes = (std::numeric_limits<std::size_t>::max)();

/// All-reduces of up to this number of bytes exchange whole arrays, if nothing else was measured.
constexpr std::size_t usual_whole_bytes(int ranks) { return (ranks <= 2 ? 64 : 8) * std::size_t{1024}; }

/// Returns the algorithm of the first measured row that a call fits. Calls that fit none are usual ones.
constexpr algorithm look_up(std::span<tuning_row const> measured, comm::collective_call const& c) {
  for (tuning_row const& row : measured)
    if (row.what == c.what && row.in_place == c.in_place && row.strided == c.strided && c.ranks <= row.ranks &&
        c.bytes <= row.bytes)
      return c.may_exchange ? row.exchange : row.of_mpi;
  using enum algorithm;
  if (c.what == collective::all_reduce && c.may_exchange)
    return c.bytes <= usual_whole_bytes(c.ranks) ? exchange : exchange_in_parts;
  if (c.what == collective::all_reduce) return c.in_place ? mpi_in_place : mpi;
  bool const has_choice =
      c.what == collective::all_gather || c.what == collective::reduce_scatter || c.what == collective::all_to_all;
  return has_choice && c.may_exchange ? exchange : mpi;
}

}  // namespace ashlar::comm_detail
