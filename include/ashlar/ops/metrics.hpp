// Metrics on real tensors.
#pragma once
#include "ashlar/ops/local/confusion.hpp"
#include "ashlar/ops/softmax.hpp"
#include "ashlar/plan/metrics.hpp"

namespace ashlar {

template <class T, class L, class M, class S, class Z, class Y>
void evaluate(top_k_op const& op, sharded_tensor<T, L, M, S>& hits, Z const& logits, Y const& labels) {
  detail::evaluate_hits(hits, logits, labels, op.k);
}
template <class T, class L, class M, class S, class Z, class Y>
void evaluate(confusion_op const&, sharded_tensor<T, L, M, S>& counts, Z const& logits, Y const& labels) {
  detail::rows_of const r(logits.local_extents());
  local::confusion_counts(S{}, static_cast<T const*>(logits.data()), labels.data(), r.rows, r.n, counts.data());
}

}  // namespace ashlar
