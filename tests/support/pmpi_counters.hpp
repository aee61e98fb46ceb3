// Counts all MPI calls of this process, including calls of libraries. To be counted, a program links pmpi_counters.cpp.
// Its MPI_ functions count the call and forward it to PMPI_.
#pragma once
#include <cstdint>

namespace pmpi {

/// Every form of a collective counts as one: blocking, nonblocking, with counts per rank, with wide counts.
struct counts {
  std::uint64_t all_reduce = 0;
  std::uint64_t all_gather = 0;
  std::uint64_t reduce_scatter = 0;
  std::uint64_t all_to_all = 0;
  std::uint64_t broadcast = 0;
  std::uint64_t other_collectives = 0;  ///< barriers, reductions to one rank, gathers, scatters, scans, neighbours
  std::uint64_t sends = 0;
  std::uint64_t receives = 0;
  std::uint64_t one_sided = 0;
  std::uint64_t persistent_starts = 0;
  std::uint64_t communicators_made = 0;
  std::uint64_t communicators_freed = 0;
  std::uint64_t types_made = 0;  ///< vectors whose strides count bytes, which ashlar's types consist of
  std::uint64_t types_freed = 0;

  std::uint64_t collectives() const {
    return all_reduce + all_gather + reduce_scatter + all_to_all + broadcast + other_collectives;
  }
  /// All calls that move data.
  std::uint64_t communication() const { return collectives() + sends + receives + one_sided + persistent_starts; }

  friend bool operator==(counts const&, counts const&) = default;
  friend counts operator-(counts const& a, counts const& b) {
    return {a.all_reduce - b.all_reduce,
            a.all_gather - b.all_gather,
            a.reduce_scatter - b.reduce_scatter,
            a.all_to_all - b.all_to_all,
            a.broadcast - b.broadcast,
            a.other_collectives - b.other_collectives,
            a.sends - b.sends,
            a.receives - b.receives,
            a.one_sided - b.one_sided,
            a.persistent_starts - b.persistent_starts,
            a.communicators_made - b.communicators_made,
            a.communicators_freed - b.communicators_freed,
            a.types_made - b.types_made,
            a.types_freed - b.types_freed};
  }
};

/// All calls since the program started.
counts const& counted();

/// Makes the n-th MPI_Isend from now on fail without sending; n counts from 1. With 0, none fails.
void refuse_send(int n);

}  // namespace pmpi
