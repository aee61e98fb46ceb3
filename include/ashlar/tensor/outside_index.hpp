// SPDX-License-Identifier: BSL-1.0
// Errors about indices that kernels find in the elements of this rank.
#pragma once
#include "ashlar/comm/desync/noted_error.hpp"
#include "ashlar/kernels/outside_index.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/plan/extent_errors.hpp"

namespace ashlar::tensor_detail {

/// True for operations whose kernel returns an index that is outside. The index is their second operand.
template <class Op>
concept looks_for_an_index_outside = requires { Op::words; };

/// `found` is in the shard `own` of the index. If all ranks have the same index, each of them throws here. Else this rank
/// notes the error, and its next call of the ranks tells the others.
/// Error: ashlar::error.
ASHLAR_INLINE void refuse_index(plan_detail::index_words const& words, kernels::outside_index const& found,
                                region const& own, bool same_on_all_ranks);

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/impl/outside_index.ipp"
#endif
