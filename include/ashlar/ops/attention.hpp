// Attention on real tensors: its own softmax.
#pragma once
#include "ashlar/ops/einsum.hpp"
#include "ashlar/ops/gather.hpp"
#include "ashlar/ops/local/causal_softmax.hpp"
#include "ashlar/ops/softmax.hpp"
#include "ashlar/plan/attention.hpp"

namespace ashlar {

template <class T, class L, class M, class S, class X>
void evaluate(causal_softmax_op const&, sharded_tensor<T, L, M, S>& y, X const& x) {
  region const part = x.local_region();
  detail::rows_of const r(part.extents());
  local::causal_softmax(S{}, static_cast<T const*>(x.data()), r.rows, part.dim[part.rank - 2], r.n, y.data());
}

}  // namespace ashlar
