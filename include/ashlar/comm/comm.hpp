// MPI: environment, communicators, meshes of ranks, collectives on raw memory.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/comm/all_gather.hpp"
#include "ashlar/comm/all_reduce.hpp"
#include "ashlar/comm/all_to_all.hpp"
#include "ashlar/comm/broadcast.hpp"
#include "ashlar/comm/device_mesh.hpp"
#include "ashlar/comm/environment.hpp"
#include "ashlar/comm/permute.hpp"
#include "ashlar/comm/reduce_scatter.hpp"
