// Cross-entropy from distributions on real tensors.
#pragma once
#include "ashlar/ops/local/distribution_cross_entropy.hpp"
#include "ashlar/ops/softmax.hpp"
#include "ashlar/plan/losses.hpp"

namespace ashlar {

template <class T, class L, class M, class S, class Z, class Y>
void evaluate(distribution_cross_entropy_op const&, sharded_tensor<T, L, M, S>& loss, Z const& logits, Y const& targets) {
  detail::rows_of const r(logits.local_extents());
  local::distribution_cross_entropy_sum(S{}, static_cast<T const*>(logits.data()), static_cast<T const*>(targets.data()), r.rows, r.n, loss.data());
  local::map(S{}, shape{}, loss.data(), fn::scale<T>{detail::one_over_rows<T>(logits.extents())}, local::strided<T>{loss.data(), {}});
}
template <class T, class L, class M, class S, class Ct, class Z, class Y>
void evaluate(distribution_cross_entropy_pullback_op const&, sharded_tensor<T, L, M, S>& g, Ct const& ct, Z const& logits, Y const& targets) {
  detail::rows_of const r(logits.local_extents());
  local::distribution_cross_entropy_vjp(S{}, static_cast<T const*>(logits.data()), static_cast<T const*>(targets.data()), r.rows, r.n,
                                        static_cast<T const*>(ct.data()), detail::one_over_rows<T>(logits.extents()), g.data());
}

}  // namespace ashlar
