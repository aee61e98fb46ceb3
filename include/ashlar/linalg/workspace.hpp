// Parts of block-cyclic matrices, and the workspaces of routines.
#pragma once
#include "ashlar/linalg/solver_call.hpp"
#include <algorithm>
#include <vector>

namespace ashlar::linalg_detail {

/// The size that a routine asks for by a number, which a float rounds.
template <class T>
std::size_t size_wanted(T number_of_elements) {
  return static_cast<std::size_t>(static_cast<double>(std::real(number_of_elements)) * (1 + 2e-7)) + 1;
}

/// Calls call(work, lwork), first for the size that the routine wants, then with as many numbers.
template <class T, class F>
void with_workspace(F const& call) {
  T best{};
  int size = -1;
  call(&best, &size);
  std::vector<T> work(size_wanted(best));
  size = static_cast<int>(work.size());
  call(work.data(), &size);
}

/// The size of a vector that has an element for each row of the matrix that ScaLAPACK sees.
template <class X>
std::size_t seen_rows(X const& x) {
  return static_cast<std::size_t>(x.local_extents()[1] + x.layout.dim[1].block + usual_block);
}

template <class T>
struct copy_corner_kernel {
  T const* from;
  T* to;
  index_t columns, from_columns;
  KOKKOS_FUNCTION void operator()(index_t i) const { to[i] = from[i / columns * from_columns + i % columns]; }
};

/// The first rows and columns of a block-cyclic matrix. They are the first ones of each shard, so nothing travels.
template <class X>
constexpr auto corner_of(X const& x, index_t rows, index_t columns) {
  using Y = std::remove_cvref_t<X>;
  auto y = plan_detail::allocate<element_t<Y>, layout_t<Y>>(x.mesh(), shape::of(rows, columns));
  if constexpr (on_real_ranks<Y>) {
    shape const own = y.local_extents();
    kernels_detail::for_elements("ashlar::linalg::corner", typename Y::execution_space{}, own.size(),
                                 copy_corner_kernel<element_t<Y>>{x.data(), y.data(), own[1], x.local_extents()[1]});
  }
  return y;
}

/// The first numbers of a vector on every rank, as a replicated tensor.
template <class X, class R>
void fill_values(X const& values, std::vector<R> const& from) {
  host_shard const shard(values);
  std::copy_n(from.data(), values.extent(0), shard.data());
  shard.finish();
}

}  // namespace ashlar::linalg_detail
