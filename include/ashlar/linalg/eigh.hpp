// SPDX-License-Identifier: BSL-1.0
// Eigenvalues and eigenvectors of symmetric and Hermitian matrices.
#pragma once
#include "ashlar/linalg/finite.hpp"
#include "ashlar/linalg/right_hand_side.hpp"
#include "ashlar/linalg/workspace.hpp"

namespace ashlar::linalg {

/// The eigenvalues of a matrix in ascending order, and its eigenvectors as columns.
template <class Values, class Vectors>
struct eigenpairs {
  Values values;
  Vectors vectors;
};

}  // namespace ashlar::linalg

namespace ashlar::linalg_detail {

// The eigenvectors as ScaLAPACK gives them, and the eigenvalues. x is overwritten.
struct eigenpairs_of {
  template <class X, class Z, class W>
  char const* operator()(X const& x, Z const& z, W const& values) const {
    if (!on_every_rank(x, has_finite_shard(x, triangle::lower))) return elements_are_not_finite;
    auto const d = linalg::scalapack_descriptor(x), dz = linalg::scalapack_descriptor(z);
    host_shard const matrix(x);
    host_shard const vectors(z);
    using T = typename host_shard<X>::element;
    using R = ops_detail::component_t<T>;
    if (d[2] == 0) return nullptr;
    std::vector<R> w(static_cast<std::size_t>(d[2]));
    int info = 0;
    auto const call = [&](T* work, int size, [[maybe_unused]] R* real_work, [[maybe_unused]] int real_size) {
      // The lower triangle of ours is the upper one of the transpose.
      if constexpr (ops_detail::is_complex_v<T>)
        eigen("V", "U", &d[2], matrix.data(), &one, &one, d.data(), w.data(), vectors.data(), &one, &one, dz.data(),
              work, &size, real_work, &real_size, &info, 1, 1);
      else
        eigen("V", "U", &d[2], matrix.data(), &one, &one, d.data(), w.data(), vectors.data(), &one, &one, dz.data(),
              work, &size, &info, 1, 1);
    };
    // The first call asks for the sizes of the workspaces. It says less than the routine's own calls need.
    index_t const more = d[4] * (index_t{2} + d[4]) + elements_of_panels(x) + index_t{4} * d[2];
    if (!on_every_rank(x, more <= INT_MAX)) return workspace_is_too_large;
    T best{};
    auto real_work = room_for<R>(x, static_cast<int>(more));
    call(&best, -1, real_work.data(), -1);
    auto const size = workspace_size(best, more), real_size = workspace_size(real_work[0], more);
    if (!on_every_rank(x, size && real_size)) return workspace_is_too_large;
    auto work = room_for<T>(x, *size);
    real_work = room_for<R>(x, *real_size);
    call(work.data(), *size, real_work.data(), *real_size);
    if (d[2] == 1 && z.local_size() == 1) vectors.data()[0] = 1;  // pxheev leaves it
    vectors.finish();
    fill_values(values, w);
    return info == 0 ? nullptr
                     : "ashlar::linalg::eigh: the iteration for the eigenvalues has not converged; scale the matrix so "
                       "that its elements are near 1";
  }
};

}  // namespace ashlar::linalg_detail

namespace ashlar::linalg {

/// The eigenvalues and eigenvectors of a symmetric or Hermitian matrix. Only the lower triangle of `a` is read.
/// Shape: a (n, n); values (n), real and replicated; vectors (n, n) in the layout block_cyclic_t<layout of a>.
/// Post: a v = v diag(values) for the vectors v, whose columns are orthonormal; values ascend.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one call of ScaLAPACK (pxsyev, pxheev). Eigenvectors arrive as rows and are transposed, in one redistribution.
/// Error: ashlar::error on every rank if `a` is not square, if an element of the lower triangle is not finite, or if the
///   iteration does not converge. Also if a workspace has more than 2^31 - 1 elements on one of them.
/// Example: auto const [values, vectors] = linalg::eigh(a);
template <class X>
[[nodiscard]] constexpr auto eigh(X const& a, call_site w = call_site::current()) {
  using namespace linalg_detail;
  auto const work = [&]<class A>(A const& matrix) {
    require_square(matrix.extents());
    using L = block_cyclic_t<layout_t<A>>;
    using R = ops_detail::component_t<element_t<A>>;
    auto const x = working_copy<L>(matrix, w);
    auto const z = plan_detail::allocate<element_t<A>, L>(x.mesh(), x.extents());
    auto values = plan_detail::allocate<R, basic_layout<whole>>(x.mesh(), shape::of(x.extents()[0]));
    call_solver("linalg::eigh", w, eigenpairs_of{}, x, z, values);
    // ScaLAPACK sees conj(A), so its eigenvectors are the conjugates.
    auto vectors = ashlar::transpose<1, 0>(plan_detail::evaluated(conj(z)), to_layout<L>, w);
    return eigenpairs<decltype(values), decltype(vectors)>{values, vectors};
  };
  return with_matrix(a, w, work, [](auto const& x) { return eigenpairs<X, X>{x, x}; });
}

}  // namespace ashlar::linalg
