// What tests under MPI may ask of their main.
#pragma once

namespace ashlar::testing {

/// This process in MPI_COMM_WORLD.
int rank();
/// The processes of MPI_COMM_WORLD.
int ranks();
/// Prints, on rank 0, that the running case needs what `condition` says.
void name_skipped_case(char const* condition);

}  // namespace ashlar::testing

/// Leaves a case that so many ranks, or this build, cannot run, and names it.
/// Example: `ASHLAR_NEEDS(ashlar::testing::ranks() == 4);`
#define ASHLAR_NEEDS(...)                               \
  do {                                                  \
    if (!(__VA_ARGS__)) {                               \
      ashlar::testing::name_skipped_case(#__VA_ARGS__); \
      return;                                           \
    }                                                   \
  } while (false)
