// einsum on real tensors: local contractions.
#pragma once
#include "ashlar/ops/local/contract.hpp"
#include "ashlar/plan/transpose.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"

namespace ashlar {

template <equation E, class T, class L, class M, class S, class A>
void evaluate(einsum_op<E> const&, sharded_tensor<T, L, M, S>& y, A const& a) {
  local::contract(S{}, einsum_op<E>::eq, static_cast<T const*>(a.data()), a.local_extents(), y.data(), y.local_extents());
}
template <equation E, class T, class L, class M, class S, class A, class B>
void evaluate(einsum_op<E> const&, sharded_tensor<T, L, M, S>& y, A const& a, B const& b) {
  local::contract(S{}, einsum_op<E>::eq, static_cast<T const*>(a.data()), a.local_extents(), static_cast<T const*>(b.data()),
                  b.local_extents(), y.data(), y.local_extents());
}

}  // namespace ashlar
