// SPDX-License-Identifier: BSL-1.0
// Matrix products of any element type and any strides, for elements that BLAS does not multiply: integers.
#pragma once
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/loop_nest.hpp"

namespace ashlar::kernels_detail {

/// Loops over two operands and their product, which are the arrays 0, 1 and 2 of the nest.
using product_loops = loop_nest<3>;

/// One of these loops.
struct product_loop {
  index_t n = 1, a = 0, b = 0, c = 0;
};

/// `c[o, i, j] = alpha sum_{s, l} a[o, i, s, l] b[o, s, l, j] + beta c[o, i, j]`. o runs over `outer`, s over `sums`.
struct gemm_loops {
  product_loops outer, sums;
  product_loop m, n, k;  // i, j and l
};

/// Each task computes a tile of c.
template <class T, int Rows, int Columns>
struct strided_gemm_kernel {
  T const* a;
  T const* b;
  T* c;
  T alpha, beta;
  gemm_loops g;
  index_t tiles_m, tiles_n, sum_count;

  KOKKOS_FUNCTION void operator()(index_t task) const {
    index_t const tile = task / tiles_n, i0 = tile % tiles_m * Rows, j0 = task % tiles_n * Columns;
    index_t const rows = g.m.n - i0 < Rows ? g.m.n - i0 : Rows;
    index_t const columns = g.n.n - j0 < Columns ? g.n.n - j0 : Columns;
    index_t o[3], at[3];
    g.outer.locate(tile / tiles_m, o);
    // Repeats the last row and column beyond the edge, so that the inner loops have constant lengths.
    T const* row[array_bound(Rows)];
    for (int i = 0; i < Rows; ++i) row[i] = a + o[0] + (i0 + (i < rows ? i : rows - 1)) * g.m.a;
    T const* const first = b + o[1] + j0 * g.n.b;
    T sum[array_bound(Rows)][array_bound(Columns)];
    for (auto& r : sum)
      for (T& x : r) x = T(0);
    for (index_t s = 0; s < sum_count; ++s) {
      g.sums.locate(s, at);
      for (index_t l = 0; l < g.k.n; ++l) {
        T const* const from = first + at[1] + l * g.k.b;
        T y[array_bound(Columns)];
        if (g.n.b == 1 && columns == Columns)
          for (int j = 0; j < Columns; ++j) y[j] = from[j];
        else
          for (int j = 0; j < Columns; ++j) y[j] = from[(j < columns ? j : columns - 1) * g.n.b];
        for (int i = 0; i < Rows; ++i) {
          T const x = row[i][at[0] + l * g.k.a];
          for (int j = 0; j < Columns; ++j) sum[i][j] = static_cast<T>(sum[i][j] + x * y[j]);
        }
      }
    }
    T* const to = c + o[2] + i0 * g.m.c + j0 * g.n.c;
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < columns; ++j) {
        T& z = to[i * g.m.c + j * g.n.c];
        z = beta == T(0) ? alpha * sum[i][j] : alpha * sum[i][j] + beta * z;
      }
  }
};

/// Runs a product in loops. Pre: no loop is empty. With beta = 0, c is not read.
template <class Space, class T>
void strided_gemm(Space const& space, gemm_loops const& g, T alpha, T const* a, T const* b, T beta, T* c) {
  constexpr bool host = runs_in_caller<Space>;
  constexpr int rows = host ? 4 : 1, columns = host ? 8 : 1;
  index_t const tiles_m = (g.m.n + rows - 1) / rows, tiles_n = (g.n.n + columns - 1) / columns;
  index_t const sum_count = g.sums.size();
  for_each_index("ashlar::contract", space, g.outer.size() * tiles_m * tiles_n, rows * columns * g.k.n * sum_count,
                 strided_gemm_kernel<T, rows, columns>{a, b, c, alpha, beta, g, tiles_m, tiles_n, sum_count});
}

}  // namespace ashlar::kernels_detail
