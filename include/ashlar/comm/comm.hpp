// SPDX-License-Identifier: BSL-1.0
// MPI: environment, communicators, meshes of ranks, collectives on raw memory.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/comm/collectives/all_reduce.hpp"
#include "ashlar/comm/collectives/all_to_all.hpp"
#include "ashlar/comm/device_mesh.hpp"
#include "ashlar/comm/environment.hpp"
