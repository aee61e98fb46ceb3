// Softmax and its losses on real tensors.
#pragma once
#include "ashlar/ops/elementwise.hpp"
#include "ashlar/ops/local/cross_entropy.hpp"
#include "ashlar/ops/local/softmax.hpp"
#include "ashlar/plan/softmax.hpp"
#include "ashlar/tensor/staging.hpp"

namespace ashlar {

namespace detail {
struct to_element {
  template <class I>
  KOKKOS_FUNCTION I operator()(I x) const {
    return x;
  }
};
}  // namespace detail

template <class T, class L, class M, class S, class X>
void evaluate(softmax_op const&, sharded_tensor<T, L, M, S>& y, X const& x) {
  detail::rows_of const r(x.local_extents());
  local::softmax(S{}, static_cast<T const*>(x.data()), r.rows, r.n, 1, y.data());
}
template <class T, class L, class M, class S, class X>
void evaluate(log_softmax_op const&, sharded_tensor<T, L, M, S>& y, X const& x) {
  detail::rows_of const r(x.local_extents());
  local::log_softmax(S{}, static_cast<T const*>(x.data()), r.rows, r.n, 1, y.data());
}
template <class T, class L, class M, class S, class Ct, class X>
void evaluate(softmax_pullback_op const&, sharded_tensor<T, L, M, S>& g, Ct const& ct, X const& y) {
  detail::rows_of const r(y.local_extents());
  local::softmax_vjp(S{}, static_cast<T const*>(y.data()), static_cast<T const*>(ct.data()), r.rows, r.n, 1, g.data());
}
template <class T, class L, class M, class S, class Ct, class X>
void evaluate(log_softmax_pullback_op const&, sharded_tensor<T, L, M, S>& g, Ct const& ct, X const& y) {
  detail::rows_of const r(y.local_extents());
  local::log_softmax_vjp(S{}, static_cast<T const*>(y.data()), static_cast<T const*>(ct.data()), r.rows, r.n, 1, g.data());
}

namespace detail {
// 1 / rows of the global logits: the mean's factor on every rank.
template <class T>
T one_over_rows(shape const& logits) {
  return T(1) / static_cast<T>(rows_of(logits).rows);
}
}  // namespace detail

template <class T, class L, class M, class S, class Z, class Y>
void evaluate(cross_entropy_op const&, sharded_tensor<T, L, M, S>& loss, Z const& logits, Y const& labels) {
  detail::rows_of const r(logits.local_extents());
  local::cross_entropy_sum(S{}, static_cast<T const*>(logits.data()), labels.data(), r.rows, r.n, loss.data());
  local::map(S{}, shape{}, loss.data(), fn::scale<T>{detail::one_over_rows<T>(logits.extents())}, local::strided<T>{loss.data(), {}});
}
template <class T, class L, class M, class S, class Ct, class Z, class Y>
void evaluate(cross_entropy_pullback_op const&, sharded_tensor<T, L, M, S>& g, Ct const& ct, Z const& logits, Y const& labels) {
  detail::rows_of const r(logits.local_extents());
  local::cross_entropy_vjp(S{}, static_cast<T const*>(logits.data()), labels.data(), r.rows, r.n, static_cast<T const*>(ct.data()),
                           detail::one_over_rows<T>(logits.extents()), g.data());
}

template <class T, class L, class M, class S, class Z, class Y, class W>
void evaluate(weighted_cross_entropy_op const&, sharded_tensor<T, L, M, S>& loss, Z const& logits, Y const& labels, W const& weights) {
  detail::rows_of const r(logits.local_extents());
  local::weighted_cross_entropy_sum(S{}, static_cast<T const*>(logits.data()), labels.data(), static_cast<T const*>(weights.data()), r.rows, r.n, loss.data());
}
template <class T, class L, class M, class S, class Ct, class Z, class Y, class W>
void evaluate(weighted_cross_entropy_pullback_op const&, sharded_tensor<T, L, M, S>& g, Ct const& ct, Z const& logits, Y const& labels, W const& weights) {
  detail::rows_of const r(logits.local_extents());
  local::weighted_cross_entropy_vjp(S{}, static_cast<T const*>(logits.data()), labels.data(), static_cast<T const*>(weights.data()), r.rows, r.n,
                                    static_cast<T const*>(ct.data()), g.data());
}

namespace detail {
template <class T, class L, class M, class S, class Z, class Y>
void evaluate_hits(sharded_tensor<T, L, M, S>& hits, Z const& logits, Y const& labels, index_t k) {
  rows_of const r(logits.local_extents());
  pool_scratch<S, std::int64_t> const count(1);
  std::int64_t* const n = count.data();
  local::accuracy_count(S{}, static_cast<T const*>(logits.data()), labels.data(), r.rows, r.n, n, k);
  local::map(S{}, shape{}, hits.data(), to_element{}, local::strided<std::int64_t>{n, {}});
}
}  // namespace detail

template <class T, class L, class M, class S, class Z, class Y>
void evaluate(hits_op const&, sharded_tensor<T, L, M, S>& hits, Z const& logits, Y const& labels) {
  detail::evaluate_hits(hits, logits, labels, 1);
}

}  // namespace ashlar
