// SPDX-License-Identifier: BSL-1.0
// Running sums along a dimension of an array [outer][n][inner].
#pragma once
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/ops/arrays/cumsum.hpp"

namespace ashlar::kernels_detail {

/// A task is one line. It begins with the sum of the other parts before it (after it, if reversed), and adds its
/// elements one by one.
template <class R, class T, bool Reversed>
struct cumsum_kernel {
  T const* in;
  R* out;
  index_t n, inner;
  R const* sums;  // [outer][parts][inner], or null
  index_t parts, own;

  KOKKOS_FUNCTION R before(index_t o, index_t j) const {
    R total(0);
    if (sums == nullptr) return total;
    index_t const begin = Reversed ? own + 1 : 0, end = Reversed ? parts : own;
    for (index_t k = begin; k < end; ++k) total += sums[(o * parts + k) * inner + j];
    return total;
  }
  KOKKOS_FUNCTION void operator()(index_t line) const {
    index_t const o = line / inner, j = line % inner;
    R total = before(o, j);
    for (index_t k = 0; k < n; ++k) {
      index_t const at = (o * n + (Reversed ? n - 1 - k : k)) * inner + j;
      out[at] = total += static_cast<R>(in[at]);
    }
  }
};

/// Neighbouring lines run together, row by row of the array.
template <class Space, class R, class T, bool Reversed>
void cumsum_by_rows(Space const& space, lines_of const& a, cumsum_kernel<R, T, Reversed> const& k) {
  for_ranges("ashlar::cumsum", space, a.count(), elements_per_thread / std::max<index_t>(a.n, 1),
             [&](index_t begin, index_t end) {
               if (a.inner == 1)
                 for (; begin < end; ++begin) k(begin);
               for (index_t length; begin < end; begin += length) {
                 index_t const o = begin / a.inner, first = begin % a.inner;
                 length = (std::min)(a.inner - first, end - begin);
                 for (index_t i = 0; i < a.n; ++i) {
                   index_t const row = (o * a.n + (Reversed ? a.n - 1 - i : i)) * a.inner + first;
                   T const* const in = k.in + row;
                   R* const out = k.out + row;
                   if (i == 0) {
                     for (index_t j = 0; j < length; ++j) out[j] = k.before(o, first + j) + static_cast<R>(in[j]);
                   } else {
                     R const* const sum = Reversed ? out + a.inner : out - a.inner;
                     ASHLAR_INDEPENDENT
                     for (index_t j = 0; j < length; ++j) out[j] = sum[j] + static_cast<R>(in[j]);
                   }
                 }
               }
             });
}

template <int Dim, bool Reversed, class Space, class R, class T>
void run_cumsum(Space const& space, kernels::shard<R> const& y, kernels::shard<T const> const& x, R const* sums,
                index_t parts, index_t own) {
  lines_of const a(x.local_extents(), Dim);
  cumsum_kernel<R, T, Reversed> const k{x.data, y.data, a.n, a.inner, sums, parts, own};
  if (a.n == 0) return;
  if constexpr (runs_in_caller<Space>)
    cumsum_by_rows(space, a, k);
  else
    for_elements("ashlar::cumsum", space, a.count(), k);
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <int Dim, class S, class R, class T>
void run(ops_detail::part_sums_op<Dim> const&, S const& space, scratch_memory, shard<R> const& y,
         shard<T const> const& x) {
  reduce<op::sum>(space, x.data, x.local_extents(), 1u << Dim, y.data);
}
template <int Dim, bool Reversed, class S, class R, class T>
void run(ops_detail::cumsum_op<Dim, Reversed> const&, S const& space, scratch_memory, shard<R> const& y,
         shard<T const> const& x) {
  kernels_detail::run_cumsum<Dim, Reversed>(space, y, x, static_cast<R const*>(nullptr), 0, 0);
}
template <int Dim, bool Reversed, class S, class R, class T>
void run(ops_detail::cumsum_op<Dim, Reversed> const&, S const& space, scratch_memory, shard<R> const& y,
         shard<T const> const& x, shard<R const> const& sums, shard<R const> const& own) {
  kernels_detail::run_cumsum<Dim, Reversed>(space, y, x, sums.data, sums.global[Dim], own.owned.dim[Dim].begin);
}

}  // namespace ashlar::kernels
