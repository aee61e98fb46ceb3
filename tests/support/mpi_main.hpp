// Functions that the main of MPI tests offers to them.
#pragma once

namespace ashlar::testing {

/// The rank of this process in MPI_COMM_WORLD.
int rank();
/// The number of processes of MPI_COMM_WORLD.
int ranks();
/// Prints on rank 0 that the running case is skipped because it needs `condition`.
void name_skipped_case(char const* condition);

}  // namespace ashlar::testing

/// Leaves a case that this number of ranks, or this build, cannot run, and prints its name.
/// Example: `ASHLAR_NEEDS(ashlar::testing::ranks() == 4);`
#define ASHLAR_NEEDS(...)                               \
  do {                                                  \
    if (!(__VA_ARGS__)) {                               \
      ashlar::testing::name_skipped_case(#__VA_ARGS__); \
      return;                                           \
    }                                                   \
  } while (false)
