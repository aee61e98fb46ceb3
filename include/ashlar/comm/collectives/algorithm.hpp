// Ways to carry out a collective by messages of MPI, and tables that choose one.
#pragma once
#include <cstddef>
#include <limits>
#include <span>

#include "ashlar/plan/step.hpp"

namespace ashlar::comm {

/// A collective without the way that is named takes the nearest: `exchange` for `exchange_in_parts`, `mpi` for the others.
enum class algorithm {
  mpi,                     ///< MPI's own; an all-reduce has its operand and its result in two arrays
  mpi_in_place,     ///< the same of an all-reduce whose operand lies where its result will
  mpi_with_counts,  ///< MPI's own reduce-scatter of blocks that may differ in size, also where they do not
  persistent,              ///< MPI's own, set up once for a size and started for each call, on buffers of its own
  exchange,                ///< each rank sends to all others what they need, of an all-reduce the whole array
  exchange_in_parts        ///< an all-reduce in which each rank combines a part and sends it to all others
};
inline constexpr int algorithms = 6;

constexpr char const* to_text(algorithm a) {
  constexpr char const* text[]{"mpi", "mpi_in_place", "mpi_with_counts",
                               "persistent", "exchange",            "exchange_in_parts"};
  return text[static_cast<int>(a)];
}

/// Whether each rank messages all others, so that operands are combined in the order of the ranks.
constexpr bool is_exchange(algorithm a) { return a == algorithm::exchange || a == algorithm::exchange_in_parts; }

/// A collective as its ranks know it alike: what an algorithm may depend on.
struct collective_call {
  collective what = collective::all_reduce;
  bool in_place = false;     ///< an all-reduce whose operand lies where its result will
  int ranks = 2;
  std::size_t bytes = 0;     ///< of the larger array of a rank: operand or result
  bool may_exchange = true;  ///< false: among more ranks than exchange, or in memory that MPI alone reads
};

/// What serves one kind of collective among so many ranks or fewer, of so many bytes or fewer. Where ranks may exchange they
/// do: exchanges combine in the order of the ranks, so that all transports and all ranks get the same bits, and a rank that
/// waits in one finds out what the others call.
struct tuning_row {
  collective what;
  bool in_place;
  int ranks;
  std::size_t bytes;
  algorithm exchange;
  algorithm of_mpi;
};
inline constexpr int any_ranks = std::numeric_limits<int>::max();
inline constexpr std::size_t any_bytes = std::numeric_limits<std::size_t>::max();

/// What serves unless something else was measured to be faster.
inline constexpr tuning_row usual_rows[]{
    {collective::all_reduce, false, 2, 64 * 1024, algorithm::exchange, algorithm::mpi},
    {collective::all_reduce, false, 2, any_bytes, algorithm::exchange_in_parts, algorithm::mpi},
    {collective::all_reduce, false, any_ranks, 8 * 1024, algorithm::exchange, algorithm::mpi},
    {collective::all_reduce, false, any_ranks, any_bytes, algorithm::exchange_in_parts, algorithm::mpi},
    {collective::all_reduce, true, 2, 64 * 1024, algorithm::exchange, algorithm::mpi_in_place},
    {collective::all_reduce, true, 2, any_bytes, algorithm::exchange_in_parts, algorithm::mpi_in_place},
    {collective::all_reduce, true, any_ranks, 8 * 1024, algorithm::exchange, algorithm::mpi_in_place},
    {collective::all_reduce, true, any_ranks, any_bytes, algorithm::exchange_in_parts, algorithm::mpi_in_place},
    {collective::all_gather, false, any_ranks, any_bytes, algorithm::exchange, algorithm::mpi},
    {collective::reduce_scatter, false, any_ranks, any_bytes, algorithm::exchange, algorithm::mpi},
    {collective::all_to_all, false, any_ranks, any_bytes, algorithm::exchange, algorithm::mpi},
};

/// The first row that a call fits, of those measured and then of the usual ones.
constexpr algorithm look_up(std::span<tuning_row const> measured, collective_call const& c) {
  for (std::span<tuning_row const> const rows : {measured, std::span<tuning_row const>(usual_rows)})
    for (tuning_row const& row : rows)
      if (row.what == c.what && row.in_place == c.in_place && c.ranks <= row.ranks && c.bytes <= row.bytes)
        return c.may_exchange ? row.exchange : row.of_mpi;
  return algorithm::mpi;  // a collective without a choice
}

}  // namespace ashlar::comm
