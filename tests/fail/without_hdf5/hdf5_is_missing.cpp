// Checkpoints where there is no HDF5, or the program links ashlar::ashlar alone: only reading arrays needs none.
// EXPECT: ashlar::save_checkpoint: HDF5 is needed and hdf5.h is not found; install it .* and link the CMake target ashlar::checkpoint
#ifdef ASHLAR_CONTROL
#include "ashlar/io/npy.hpp"
#else
#include "ashlar/checkpoint/checkpoints.hpp"
#endif

int main() {}
