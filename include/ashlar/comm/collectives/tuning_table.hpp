// SPDX-License-Identifier: BSL-1.0
// Which algorithm was fastest, by MPI library. Written by benchmarks/tune/run, which says how.
#pragma once
#include "ashlar/comm/collectives/algorithm.hpp"

namespace ashlar::comm_detail {

// Open MPI v4.1.4, 2, 3 and 4 ranks of a node with 2 cores.
inline constexpr tuning_row open_mpi_rows[]{
    {collective::all_reduce, false, 2, 131072, algorithm::exchange, algorithm::mpi},
    {collective::all_reduce, false, 2, any_bytes, algorithm::exchange_in_parts, algorithm::mpi},
    {collective::all_reduce, false, 3, 2048, algorithm::exchange, algorithm::mpi},
    {collective::all_reduce, false, 3, 8192, algorithm::exchange_in_parts, algorithm::persistent},
    {collective::all_reduce, false, 3, 32768, algorithm::exchange, algorithm::persistent},
    {collective::all_reduce, false, 3, 131072, algorithm::exchange_in_parts, algorithm::persistent},
    {collective::all_reduce, false, 3, any_bytes, algorithm::exchange_in_parts, algorithm::mpi},
    {collective::all_reduce, false, 4, 2048, algorithm::exchange, algorithm::mpi},
    {collective::all_reduce, false, 4, 8192, algorithm::exchange_in_parts, algorithm::mpi},
    {collective::all_reduce, false, 4, 32768, algorithm::exchange, algorithm::persistent},
    {collective::all_reduce, false, 4, any_bytes, algorithm::exchange_in_parts, algorithm::mpi},
    {collective::all_reduce, true, 2, 131072, algorithm::exchange, algorithm::mpi_in_place},
    {collective::all_reduce, true, 2, any_bytes, algorithm::exchange_in_parts, algorithm::mpi_in_place},
    {collective::all_reduce, true, 3, 512, algorithm::exchange, algorithm::mpi_in_place},
    {collective::all_reduce, true, 3, 2048, algorithm::exchange, algorithm::persistent},
    {collective::all_reduce, true, 3, 8192, algorithm::exchange_in_parts, algorithm::persistent},
    {collective::all_reduce, true, 3, 32768, algorithm::exchange, algorithm::persistent},
    {collective::all_reduce, true, 3, any_bytes, algorithm::exchange_in_parts, algorithm::mpi_in_place},
    {collective::all_reduce, true, 4, 2048, algorithm::exchange, algorithm::mpi_in_place},
    {collective::all_reduce, true, 4, 8192, algorithm::exchange_in_parts, algorithm::mpi_in_place},
    {collective::all_reduce, true, 4, 32768, algorithm::exchange, algorithm::mpi_in_place},
    {collective::all_reduce, true, 4, any_bytes, algorithm::exchange_in_parts, algorithm::mpi_in_place},
    {collective::all_gather, false, 2, any_bytes, algorithm::exchange, algorithm::mpi},
    {collective::all_gather, false, 3, 512, algorithm::exchange, algorithm::mpi},
    {collective::all_gather, false, 3, 8192, algorithm::exchange, algorithm::persistent},
    {collective::all_gather, false, 3, any_bytes, algorithm::exchange, algorithm::mpi},
    {collective::reduce_scatter, false, 2, 131072, algorithm::exchange, algorithm::mpi},
    {collective::reduce_scatter, false, 2, 524288, algorithm::exchange, algorithm::mpi_with_counts},
    {collective::reduce_scatter, false, 2, any_bytes, algorithm::exchange, algorithm::mpi},
};

// MPICH 4.0.2, 2 ranks of a node with 2 cores.
inline constexpr tuning_row mpich_rows[]{
    {collective::all_reduce, false, 2, 2048, algorithm::exchange, algorithm::persistent},
    {collective::all_reduce, false, 2, 524288, algorithm::exchange, algorithm::mpi},
    {collective::all_reduce, false, 2, any_bytes, algorithm::exchange_in_parts, algorithm::mpi},
    {collective::all_reduce, true, 2, 2048, algorithm::exchange, algorithm::persistent},
    {collective::all_reduce, true, 2, 8192, algorithm::exchange, algorithm::mpi_in_place},
    {collective::all_reduce, true, 2, 32768, algorithm::exchange_in_parts, algorithm::mpi_in_place},
    {collective::all_reduce, true, 2, 131072, algorithm::exchange, algorithm::mpi_in_place},
    {collective::all_reduce, true, 2, any_bytes, algorithm::exchange_in_parts, algorithm::mpi_in_place},
    {collective::reduce_scatter, false, 2, 131072, algorithm::exchange, algorithm::mpi},
    {collective::reduce_scatter, false, 2, 524288, algorithm::exchange, algorithm::persistent},
    {collective::reduce_scatter, false, 2, any_bytes, algorithm::exchange, algorithm::mpi},
};

}  // namespace ashlar::comm_detail
