// Pooling of real images.
#pragma once
#include "ashlar/ops/local/pooling.hpp"
#include "ashlar/plan/pooling.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"

namespace ashlar {

namespace detail {
template <pooling Kind, int Size, int Stride, padding Edge>
pooled local_pooling(sliding_window<Kind, Size, Stride, Edge> const& op, shape const& images) {
  return {images[0], op.along(0, images), op.along(1, images), images[3]};
}
}  // namespace detail

template <pooling Kind, int Size, int Stride, padding Edge, class T, class L, class M, class S, class X>
void evaluate(pool2d_op<Kind, Size, Stride, Edge> const& op, sharded_tensor<T, L, M, S>& y, X const& x) {
  local::pool<Kind == pooling::max>(S{}, detail::local_pooling(op, x.local_extents()), static_cast<T const*>(x.data()), y.data());
}
template <pooling Kind, int Size, int Stride, padding Edge, class T, class L, class M, class S, class Ct, class X>
void evaluate(pool2d_pullback_op<Kind, Size, Stride, Edge> const& op, sharded_tensor<T, L, M, S>& g, Ct const& ct, X const& x) {
  local::pool_vjp<Kind == pooling::max>(S{}, detail::local_pooling(op, x.local_extents()), static_cast<T const*>(x.data()),
                                        static_cast<T const*>(ct.data()), g.data());
}

}  // namespace ashlar
