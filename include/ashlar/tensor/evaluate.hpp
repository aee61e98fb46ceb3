// SPDX-License-Identifier: BSL-1.0
// The kernels of operations on the shards of tensors.
#pragma once
#include "ashlar/kernels/shard.hpp"
#include "ashlar/meta/check.hpp"
#include "ashlar/tensor/storage.hpp"

namespace ashlar::tensor_detail {

template <class T, class X>
kernels::shard<T> shard_of(X const& x) {
  return {x.data(), x.local_region(), x.extents()};
}

/// True if there is an overload of run for the operation and these shards.
template <class Op, class Space, class... Shard>
concept has_kernel = requires {
  run(std::declval<Op const&>(), std::declval<Space const&>(), std::declval<kernels::scratch_memory>(),
      std::declval<Shard const&>()...);
};
template <class Op, class Space, class... Shard>
struct operation_has_a_kernel {
  static constexpr bool ok = has_kernel<Op, Space, Shard...>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::apply: the operation has no kernel; include ashlar/blas.hpp for einsum, transpose and convolutions, or ashlar/kernels/<its name>.hpp; beside an operation of your own write run(op, space, scratch, y, x...)");
  }
};

/// Calls the kernel run(op, space, scratch, y, x...).
/// Returns nothing. Its type is deduced, so that clang names the line of the program in the sentence.
template <class Space, class Op, class T, class... X>
auto evaluate_shards(Op const& op, kernels::shard<T> const& y, X const&... x) {
  if constexpr (meta_detail::hold<operation_has_a_kernel<Op, Space, kernels::shard<T>, X...>>())
    run(op, Space{}, scratch_from_pool<Space>, y, x...);
}

}  // namespace ashlar::tensor_detail
