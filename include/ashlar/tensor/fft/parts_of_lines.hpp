// SPDX-License-Identifier: BSL-1.0
// The parts of lines that ranks have before a step of a plan moves them to one rank.
#pragma once
#include "ashlar/kernels/fft/fft_lines.hpp"
#include "ashlar/tensor/transfers.hpp"
#include <vector>

namespace ashlar::tensor_detail {

/// The parts of the lines along dimension `dim` after a step, in the shards of the ranks that differ along its axes.
/// Empty if a rank has an interval of some lines only, or no interval: then the shard has to be redistributed first.
ASHLAR_INLINE std::vector<part_of_lines> parts_of_lines(plan_step const& s, step_transfers const& v,
                                                        shape const& extents, mesh_shape const& mesh, int rank,
                                                        int dim);

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/fft/impl/parts_of_lines.ipp"
#endif
