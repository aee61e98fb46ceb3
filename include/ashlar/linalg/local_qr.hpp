// SPDX-License-Identifier: BSL-1.0
// QR factors of a matrix that one rank has.
#pragma once
#include "ashlar/linalg/scalapack.hpp"
#include "ashlar/linalg/workspace_size.hpp"
#include <algorithm>
#include <complex>
#include <vector>

namespace ashlar::linalg_detail {

/// Factors a row-major matrix of rows x columns, in place: A = Q R. The first min(rows, columns) columns of `a` become Q.
/// R goes to `r`, of columns x columns, with zeros below the diagonal and below its last row.
/// LAPACK sees A^T = L Q', so Q is Q'^T, which has the memory of Q', and R is L^T.
template <class T>
void local_qr(index_t rows, index_t columns, T* a, T* r) {
  std::fill_n(r, columns * columns, T(0));
  index_t const kept = (std::min)(rows, columns);
  if (kept == 0) return;
  int const m = static_cast<int>(columns), n = static_cast<int>(rows), k = static_cast<int>(kept), ask = -1;
  std::vector<T> tau(static_cast<std::size_t>(k));
  T best[2]{};
  int info = 0;
  local_gelqf(&m, &n, a, &m, tau.data(), &best[0], &ask, &info);
  local_glq(&k, &n, &k, a, &m, tau.data(), &best[1], &ask, &info);
  // A few rows of R, of which an int can count all elements.
  int const size = (std::max)(workspace_size(best[0]).value(), workspace_size(best[1]).value());
  std::vector<T> work(static_cast<std::size_t>(size));
  local_gelqf(&m, &n, a, &m, tau.data(), work.data(), &size, &info);
  for (index_t i = 0; i < kept; ++i)
    for (index_t j = i; j < columns; ++j) r[i * columns + j] = a[i * columns + j];
  local_glq(&k, &n, &k, a, &m, tau.data(), work.data(), &size, &info);
}

/// Multiplies columns of Q and rows of R by phases, so that the diagonal of R is real and not negative.
/// Pre: q is rows x columns, and r is columns x columns, row-major.
template <class T>
void make_diagonal_positive(index_t rows, index_t columns, T* q, T* r) {
  for (index_t j = 0; j < columns; ++j) {
    T const d = r[j * columns + j];
    auto const size = std::abs(d);
    if (size == 0) continue;
    T const phase = d / size;
    auto const conjugate = [](T x) {
      if constexpr (std::is_same_v<T, decltype(std::abs(x))>)
        return x;
      else
        return std::conj(x);
    };
    for (index_t i = j; i < columns; ++i) r[j * columns + i] *= conjugate(phase);
    for (index_t i = 0; i < rows; ++i) q[i * columns + j] *= phase;
    r[j * columns + j] = size;
  }
}

}  // namespace ashlar::linalg_detail
