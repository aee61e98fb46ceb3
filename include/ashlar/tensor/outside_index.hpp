// SPDX-License-Identifier: BSL-1.0
// Errors about indices that kernels find in the elements of this rank.
#pragma once
#include "ashlar/kernels/outside_index.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/plan/extent_errors.hpp"
#include <string>

namespace ashlar::tensor_detail {

/// True for operations whose kernel returns an index that is outside. The index is their second operand.
template <class Op>
concept looks_for_an_index_outside = requires { Op::words; };

/// An error that this rank alone may have found. The other ranks learn of it in the next collective.
inline std::string noted_error;
/// Notes an error, if there is none yet.
ASHLAR_INLINE void note_error(char const* text);
/// Returns the error and forgets it. The text lives until another one is taken. Null: there is none.
ASHLAR_INLINE char const* take_noted_error();

/// `found` is in the shard `own` of the index. If all ranks have the same index, each of them throws here.
/// Error: ashlar::error.
ASHLAR_INLINE void refuse_index(plan_detail::index_words const& words, kernels::outside_index const& found,
                                region const& own, bool same_on_all_ranks);

}  // namespace ashlar::tensor_detail

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/tensor/compiled/outside_index.hpp"
#endif
