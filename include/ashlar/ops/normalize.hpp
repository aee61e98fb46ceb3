// Layer and RMS normalisation of real tensors.
#pragma once
#include "ashlar/ops/local/normalize.hpp"
#include "ashlar/plan/normalize.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"

namespace ashlar {

template <bool Centered, int Dims, class T, class L, class M, class S, class X, class Scale, class... Shift>
void evaluate(normalize_op<Centered, Dims> const& op, sharded_tensor<T, L, M, S>& y, X const& x, Scale const& scale, Shift const&... shift) {
  detail::rows_of const r(x.local_extents(), Dims);
  T const* const b[]{static_cast<T const*>(shift.data())..., nullptr};
  local::normalize<Centered>(S{}, static_cast<T const*>(x.data()), r.rows, r.n, static_cast<T const*>(scale.data()), b[0], op.epsilon, y.data());
}
template <bool Centered, int Dims, class T, class L, class M, class S, class Ct, class X, class Scale>
void evaluate(normalize_pullback_op<Centered, Dims> const& op, sharded_tensor<T, L, M, S>& g, Ct const& ct, X const& x, Scale const& scale) {
  detail::rows_of const r(x.local_extents(), Dims);
  local::normalize_vjp<Centered>(S{}, static_cast<T const*>(x.data()), r.rows, r.n, static_cast<T const*>(scale.data()),
                                 static_cast<T const*>(ct.data()), op.epsilon, g.data());
}
template <bool Centered, int Dims, class T, class L, class M, class S, class Ct, class X>
void evaluate(normalize_scale_pullback_op<Centered, Dims> const& op, sharded_tensor<T, L, M, S>& g, Ct const& ct, X const& x) {
  detail::rows_of const r(x.local_extents(), Dims);
  local::normalize_scale_vjp<Centered>(S{}, static_cast<T const*>(x.data()), r.rows, r.n, static_cast<T const*>(ct.data()), op.epsilon, g.data());
}

}  // namespace ashlar
