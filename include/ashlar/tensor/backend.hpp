// SPDX-License-Identifier: BSL-1.0
// The backend of tensors on real ranks, with all its subjects.
#pragma once
#include "ashlar/tensor/arrays/box.hpp"
#include "ashlar/tensor/arrays/roll.hpp"
#include "ashlar/tensor/arrays/sort_parts.hpp"
#include "ashlar/tensor/assign.hpp"
#include "ashlar/tensor/compute.hpp"
#include "ashlar/tensor/pending.hpp"
#include "ashlar/tensor/redistribute.hpp"
#include "ashlar/tensor/stencils/add_halo.hpp"
#include "ashlar/tensor/stencils/halo_bundle.hpp"
#include "ashlar/tensor/stencils/halo_reduce.hpp"
#include "ashlar/tensor/stencils/halo_windows.hpp"
#include "ashlar/tensor/stencils/stencil_back.hpp"
#include "ashlar/tensor/stencils/stencil_coefficient.hpp"
#include "ashlar/tensor/stencils/stencil_compose.hpp"
#include "ashlar/tensor/stencils/write_and_reduce.hpp"
