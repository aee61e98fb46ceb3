// Which algorithm was fastest, by MPI library. Written by benchmarks/tune/run, which says how.
#pragma once
#include "ashlar/comm/algorithm.hpp"

namespace ashlar::comm {

inline constexpr auto& open_mpi_rows = usual_rows;

inline constexpr auto& mpich_rows = usual_rows;

}  // namespace ashlar::comm
