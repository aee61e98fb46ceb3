// Reductions over dimensions of real tensors.
#pragma once
#include "ashlar/ops/elementwise.hpp"
#include "ashlar/ops/local/reduce.hpp"
#include "ashlar/plan/norm.hpp"
#include "ashlar/plan/reduce.hpp"

namespace ashlar {

template <class Op, unsigned Dims, class T, class L, class M, class S, class X>
void evaluate(reduce_op<Op, Dims> const&, sharded_tensor<T, L, M, S>& y, X const& x) {
  local::reduce<Op>(S{}, static_cast<T const*>(x.data()), x.local_extents(), Dims, y.data());
}
template <int Rank, class T, class L, class M, class S, class X>
void evaluate(sum_to_op<Rank> const& op, sharded_tensor<T, L, M, S>& y, X const& x) {
  local::reduce<op::sum>(S{}, static_cast<T const*>(x.data()), x.local_extents(), op.dims(x.extents()), y.data());
}

template <class T, class L, class M, class S, class X>
void evaluate(sum_of_squares_op const&, sharded_tensor<T, L, M, S>& y, X const& x) {
  shape const e = x.local_extents();
  local::map_reduce<op::sum>(S{}, e, (1u << e.rank) - 1u, y.data(), fn::square{}, local::contiguous(static_cast<T const*>(x.data()), e));
}

namespace detail {
struct same_element {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return x;
  }
};
}  // namespace detail

template <unsigned Dims, class T, class L, class M, class S, class X, class Like>
void evaluate(expand_op<Dims> const&, sharded_tensor<T, L, M, S>& y, X const& x, Like const&) {
  shape const out = y.local_extents(), in = x.local_extents();
  local::strided<T> leaf{x.data(), {}};
  for (int d = 0, k = 0; d < out.rank; ++d)
    if (!(Dims >> d & 1u)) leaf.stride[d] = in.stride(k++);
  local::map(S{}, out, y.data(), detail::same_element{}, leaf);
}

}  // namespace ashlar
