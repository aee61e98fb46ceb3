// One of the real tensors that are stacked along the first dimension: a part of the same shard.
#pragma once
#include "ashlar/ops/elementwise.hpp"
#include "ashlar/plan/select.hpp"
#include "ashlar/tensor/boxes.hpp"

namespace ashlar {

template <class T, class L, class M, class X>
auto launch(select_op const& op, detail::tensor_type<T, L>, device_mesh<M> const& m, shape const& extents, X const& x) {
  auto const& whole = materialize(x);
  using Whole = std::remove_cvref_t<decltype(whole)>;
  using Part = sharded_tensor<T, L, M, typename Whole::execution_space>;
  index_t const size = local_region(extents, Part::layout, m.sizes(), m.rank()).size();
  return Part(m, extents, detail::storage<typename Part::memory_space>::borrow(whole.owner()), whole.offset() + op.at * size);
}
template <class T, class L, class M, class S, class Ct, class X>
void evaluate(select_pullback_op const& op, sharded_tensor<T, L, M, S>& g, Ct const& ct, X const&) {
  local::fill(S{}, g.data(), g.local_size(), T(0));
  index_t const size = ct.local_size();
  local::copy(S{}, static_cast<T const*>(ct.data()), g.data() + op.at * size, size);
}

}  // namespace ashlar
