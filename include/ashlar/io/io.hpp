// Files: npy and IDX. io/hdf5.hpp stands apart, since it needs HDF5.
#pragma once
#include "ashlar/io/idx.hpp"
#include "ashlar/io/npy.hpp"
#include "ashlar/io/npy_tensor.hpp"
