// The functions of tensor/run_program.hpp.
#pragma once
#include <cstdlib>
#include <cstring>
#include "ashlar/tensor/run_program.hpp"

namespace ashlar::tensor_detail {

ASHLAR_INLINE int launched_rank() {
  for (char const* const name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (char const* const value = std::getenv(name)) return std::atoi(value);
  return 0;
}

ASHLAR_INLINE char const* program_name(int argc, char** argv) {
  if (argc < 1 || argv[0] == nullptr) return "program";
  char const* const slash = std::strrchr(argv[0], '/');
  return slash != nullptr ? slash + 1 : argv[0];
}

}  // namespace ashlar::tensor_detail
