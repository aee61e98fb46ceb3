// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/run_program.hpp.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ashlar::tensor_detail {

ASHLAR_INLINE int launched_rank() {
  for (char const* const name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (char const* const value = std::getenv(name)) return std::atoi(value);
  return 0;
}

ASHLAR_INLINE int report_end(char const* name, int rank, std::exception const& e) {
  if (rank == 0)
    std::fprintf(stderr, "%s: %s\n", name, e.what());
  else if (dynamic_cast<error const*>(&e) == nullptr)
    std::fprintf(stderr, "%s: rank %d: %s\n", name, rank, e.what());
  return 1;
}

ASHLAR_INLINE char const* program_name(int argc, char** argv) {
  if (argc < 1 || argv[0] == nullptr) return "program";
  char const* const slash = std::strrchr(argv[0], '/');
  return slash != nullptr ? slash + 1 : argv[0];
}

}  // namespace ashlar::tensor_detail
