// SPDX-License-Identifier: BSL-1.0
// All collectives of a process come from one thread, and none from a process that it has forked.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/meta/error.hpp"

namespace ashlar::comm_detail {

/// True in a process that was forked from one that had called this before. MPI does not know such a process.
ASHLAR_INLINE bool& is_forked();

/// The ranks count their calls, and the other ranks take their order for the program's. Calls of two threads have no
/// order, even if MPI allows them.
/// Error: ashlar::error if another thread of this process has called this before, or the process that it was forked
///   from.
ASHLAR_INLINE void require_one_thread();
/// True if require_one_thread() does not throw here.
ASHLAR_INLINE bool is_thread_of_collectives();

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/desync/impl/one_thread.ipp"
#endif
