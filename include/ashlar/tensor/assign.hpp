// Assignment of elementwise expressions to the memory of a tensor.
#pragma once
#include "ashlar/tensor/elementwise.hpp"

namespace ashlar::tensor_detail {

template <class T, class L, class M, class S, class Node, class Numbers, class... Source>
void write_expression(sharded_tensor<T, L, M, S>& y, Node const& node, factors<Numbers, Source...> const& sources) {
  // Kernels may write an array that they read at the same index. All else that shares the memory keeps its elements.
  long const own = 1 + sources.apply_to([&](auto const&... s) { return (0L + ... + s.reads(y.owner().get())); });
  bool const alone = y.owner().use_count() == own;
  if (alone) y.owner()->before_writing();
  sharded_tensor<T, L, M, S> const to = alone ? y : sharded_tensor<T, L, M, S>(y.mesh(), y.extents());
  sources.apply_to([&](auto const&... s) { write_elements(to, fused<Node>{node}, s...); });
  if (!alone) y = to;
}

/// Makes the elements of y those of a tensor or an expression.
template <class T, class L, class M, class S, class Value>
void assign_elements(sharded_tensor<T, L, M, S>& y, Value value) {
  auto const node = node_of(value);
  auto const sources = sources_of(value);
  if constexpr (requires { value.finished(); }) {
    if (auto const* const finished = value.finished()) return assign_elements(y, *finished);
    value.drop();  // it would keep a copy of what it reads
  } else {
    static_assert(
        ops_detail::in_reach_of_kernels<Value>,
        "ashlar::assign: the value lies where kernels of the default execution space cannot read it; copy it to a tensor of that space first");
    if constexpr (layout_has_a_halo<L>::value) {
      if (value.owner() == y.owner()) return;
    } else {
      if (value.owner() == y.owner() && value.offset() == y.offset()) return;
    }
  }
  write_expression(y, node, sources);
}

}  // namespace ashlar::tensor_detail
