// SPDX-License-Identifier: BSL-1.0
// Tensors on real ranks, with all operations and collectives except products and convolutions, which need BLAS.
#pragma once
#include "ashlar/comm/comm.hpp"
#include "ashlar/kernels/without_blas.hpp"
#include "ashlar/ops/ops.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/arrays/between_meshes.hpp"
#include "ashlar/tensor/environment.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/stencils/halo.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/tensor/memory_use.hpp"
#include "ashlar/tensor/arrays/own_blocks.hpp"
#include "ashlar/tensor/arrays/pack.hpp"
#include "ashlar/tensor/parts.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include "ashlar/tensor/stencils/stencil.hpp"
