// SPDX-License-Identifier: BSL-1.0
// Assignment of elementwise expressions to the memory of a tensor.
#pragma once
#include "ashlar/tensor/elementwise.hpp"

namespace ashlar::tensor_detail {

// The memory for new elements of y, which are computed from `sources`: that of y, or new memory if something else shares
// it and the program has no pointer to it. Kernels may write an array that they read at the same index. All else that shares the memory keeps its elements.
template <class T, class L, class M, class S, class Numbers, class... Source>
sharded_tensor<T, L, M, S> memory_to_write(sharded_tensor<T, L, M, S> const& y,
                                           factors<Numbers, Source...> const& sources) {
  long const own = 1 + sources.apply_to([&](auto const&... s) { return (0L + ... + s.reads(block_of(y).get())); });
  if (block_of(y).use_count() != own && !block_of(y)->held) return {y.mesh(), y.extents()};
  block_of(y)->before_writing();
  return same_memory(y);
}

template <class T, class L, class M, class S, class Node, class Numbers, class... Source>
void write_expression(sharded_tensor<T, L, M, S>& y, Node const& node, factors<Numbers, Source...> const& sources) {
  auto to = memory_to_write(y, sources);
  sources.apply_to([&](auto const&... s) { write_elements(to, fused<Node>{node}, s...); });
  y = std::move(to);
}

// True if a tensor lies in the memory of y.
template <class X, class Y>
bool is_in_memory_of(X const& x, Y const& y) {
  return block_of(x) == block_of(y) && cells_of(x) == cells_of(y);
}

template <class Y, class Value>
struct assigned_in_reach {
  static constexpr bool ok = operands_in_reach<Y, Value>::ok;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::assign: the tensor or the value is where kernels of the default execution space cannot read it; copy it to a tensor of that space first");
  }
};

/// Makes the elements of y those of a tensor or an expression.
template <class T, class L, class M, class S, class Value>
void assign_elements(real_ranks runs, sharded_tensor<T, L, M, S>& y, Value value) {
  if constexpr (hold<assigned_in_reach<sharded_tensor<T, L, M, S>, Value>>()) {
    auto const node = node_of(value);
    auto const sources = sources_of(value);
    if constexpr (requires { value.finished(); }) {
      if (auto const* const finished = value.finished()) return assign_elements(runs, y, *finished);
      value.drop();  // it would keep a copy of what it reads
    } else {
      if (is_in_memory_of(value, y)) return;
    }
    write_expression(y, node, sources);
  }
}

}  // namespace ashlar::tensor_detail
