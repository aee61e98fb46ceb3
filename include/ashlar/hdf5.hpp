// SPDX-License-Identifier: BSL-1.0
// What the target ashlar::hdf5 offers: fields in HDF5 files, with their series over time.
#pragma once
#include "ashlar/io/hdf5/field_series.hpp"
#include "ashlar/io/hdf5/files.hpp"
#include "ashlar/tensor/environment.hpp"
