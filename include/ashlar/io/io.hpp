// SPDX-License-Identifier: BSL-1.0
// Files: npy, npz and IDX. This header does not include io/hdf5/hdf5.hpp, which needs HDF5.
#pragma once
#include "ashlar/io/idx.hpp"
#include "ashlar/io/npy.hpp"
#include "ashlar/io/npy_files.hpp"
#include "ashlar/io/npz_files.hpp"
