// Checkpoints where there is no HDF5, or the program links ashlar::ashlar alone: only reading arrays needs none.
#include "ashlar/io/npy.hpp"
// error: ashlar::io::save_checkpoint: HDF5 is needed and hdf5.h is not found; install it (on Debian libhdf5-openmpi-dev or libhdf5-mpich-dev, as your MPI is) and link the CMake target ashlar::checkpoint
#include "ashlar/checkpoint/checkpoints.hpp"
