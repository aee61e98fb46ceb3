// SPDX-License-Identifier: BSL-1.0
// Norms, inner products and traces of tensors that ranks share. They need no ScaLAPACK.
#pragma once
#include "ashlar/kernels/arrays/norm.hpp"
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/linalg/block_cyclic.hpp"
#include "ashlar/ops/math.hpp"
#include "ashlar/ops/arrays/norm.hpp"
#include "ashlar/ops/reduce.hpp"
#include "ashlar/tensor/backend.hpp"

namespace ashlar::linalg_detail {

struct trace_diagnostics {
  template <fault, class, class...>
  static constexpr void report() {}
};

// The sum of the diagonal elements of a rank. Of its reduced operand the rule has no faults.
struct trace_op {
  using diagnostics = trace_diagnostics;
  template <class T>
  using element = T;
  static constexpr rule_result rule(layout_value const& a) {
    return ops_detail::reduction_rule(layout_detail::op_sum, 3u, a);
  }
  static constexpr shape extents(layout_value const&, shape const&) { return {}; }
};

template <class T>
struct add_diagonal_kernel {
  T const* data;
  index_set rows, columns;
  KOKKOS_FUNCTION void operator()(index_t i, T& sum) const {
    if (index_t const j = columns.find(rows[i]); j >= 0) sum += data[i * columns.size() + j];
  }
};

template <class Space, class T>
void run(trace_op const&, Space const& space, auto const&, kernels::shard<T> y, kernels::shard<T const> x) {
  T sum{};
  add_diagonal_kernel<T> const kernel{x.data, x.owned.dim[0], x.owned.dim[1]};
  Kokkos::parallel_reduce("ashlar::linalg::trace",
                          Kokkos::RangePolicy<Space, Kokkos::IndexType<index_t>>(space, 0, kernel.rows.size()), kernel,
                          sum);
  space.fence("ashlar: a trace is there");
  kernels::fill(space, y.data, 1, sum);
}

}  // namespace ashlar::linalg_detail

namespace ashlar::linalg {

/// The square root of the sum of the squares of all elements: of a vector the length, of a matrix the Frobenius norm.
/// Shape: a replicated scalar of real numbers.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one all_reduce of a number if an axis shards the tensor. A partial operand is reduced first. Squares overflow.
/// Error: integers do not compile.
/// Example: item(linalg::norm(a - b))
template <class X>
[[nodiscard]] constexpr auto norm(X const& x, call_site w = call_site::current()) {
  static_assert(ops_detail::real_or_complex_elements<X>,
                "ashlar::linalg::norm: the elements are integers; write cast<double>(x)");
  if constexpr (ops_detail::is_complex_v<element_t<X>>) {
    auto const whole = all_reduce(x, w);
    return sqrt(all_reduce(sum(real(conj(whole) * whole)), w));
  } else if constexpr (ops_detail::real_or_complex_elements<X>) {
    return sqrt(all_reduce(sum_of_squares(all_reduce(x, w)), w));
  } else {
    return x;
  }
}

/// The sum of the products of all elements. The elements of the first operand are conjugated. Integers are multiplied
/// in the type of their sum(x).
/// Shape: operands of equal extents; a replicated scalar.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one all_reduce of a number if an axis shards the operands. Another layout of `b` is redistributed, and partial
///   operands are reduced first.
/// Error: elements of different types do not compile, except complex and real ones of one precision.
/// Example: item(linalg::dot(a, a)) is the square of item(linalg::norm(a))
template <class A, class B>
[[nodiscard]] constexpr auto dot(A const& a, B const& b, call_site w = call_site::current()) {
  auto const first = all_reduce(a, w);
  auto const second = redistribute<layout_t<decltype(first)>>(b, w);
  using S = ops_detail::sum_of_elements_t<element_t<A>>;
  if constexpr (std::is_same_v<element_t<A>, element_t<B>> && !std::is_same_v<element_t<A>, S>)
    return all_reduce(sum(cast<S>(first) * cast<S>(second)), w);
  else
    return all_reduce(sum(conj(first) * second), w);
}

/// The sum of the diagonal elements of a matrix.
/// Shape: a replicated scalar. The matrix may have more rows than columns, or fewer.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one all_reduce of a number if an axis shards the matrix. A partial operand is reduced first.
/// Example: item(linalg::trace(a))
template <class X>
[[nodiscard]] constexpr auto trace(X const& x, call_site w = call_site::current()) {
  return linalg_detail::with_matrix(
      x, w, [&](auto const& a) { return all_reduce(apply(linalg_detail::trace_op{}, all_reduce(a, w)), w); });
}

}  // namespace ashlar::linalg
