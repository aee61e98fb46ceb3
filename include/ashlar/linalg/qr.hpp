// SPDX-License-Identifier: BSL-1.0
// QR factors of a matrix of any shape.
#pragma once
#include "ashlar/linalg/finite.hpp"
#include "ashlar/linalg/qr_factors.hpp"
#include "ashlar/linalg/workspace.hpp"

namespace ashlar::linalg_detail {

// Factors the shards of x in place. The upper trapezoid goes to r, and the first columns of x become Q.
struct qr_of {
  template <class X, class R>
  char const* operator()(X const& x, R const& r) const {
    if (!are_finite(x)) return elements_are_not_finite;
    auto const d = linalg::scalapack_descriptor(x);
    host_shard const shard(x);
    using T = typename host_shard<X>::element;
    int const k = (std::min)(d[2], d[3]);
    int info = 0;
    if (k == 0) return nullptr;
    // ScaLAPACK sees A^T = L Q', so R is L^T and Q is Q'^T: both are where we read them.
    std::vector<T> tau(seen_rows(x));
    auto const factor = [&](T* work, int size) {
      gelqf(&d[2], &d[3], shard.data(), &one, &one, d.data(), tau.data(), work, &size, &info);
    };
    auto const expand = [&](T* work, int size) {
      glq(&k, &d[3], &k, shard.data(), &one, &one, d.data(), tau.data(), work, &size, &info);
    };
    auto work = workspace_of<T>(x, elements_of_panels(x), factor, expand);
    if (work.empty()) return workspace_is_too_large;
    run_in(work, factor);
    shard.finish();
    auto const rows = corner_of(x, r.extent(0), r.extent(1));
    kernels::copy(typename X::execution_space{}, static_cast<element_t<X> const*>(rows.data()),
                  tensor_detail::cells_of(r), r.local_size());
    keep_triangle(r, triangle::upper);
    run_in(work, expand);
    shard.finish();
    return nullptr;
  }
};

}  // namespace ashlar::linalg_detail

namespace ashlar::linalg {

/// The factors of A = Q R.
/// Shape: a (m, n), q (m, k) and r (k, n) with k = min(m, n), all in the layout block_cyclic_t<layout of a>.
/// Post: the columns of Q are orthonormal; R is upper triangular, or trapezoidal if m < n. The signs of its diagonal are
///   those that LAPACK gives; tall_skinny_qr makes them positive.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one call of ScaLAPACK (pxgelqf and pxorglq on the transpose), and a redistribution if `a` has another layout.
/// Error: ashlar::error on every rank if an element is not finite, or if a workspace has more than 2^31 - 1
///   elements on one of them.
/// Example: auto const [q, r] = linalg::qr(a);
template <class X>
[[nodiscard]] constexpr auto qr(X const& a, call_site w = call_site::current()) {
  using namespace linalg_detail;
  auto const work = [&]<class A>(A const& matrix) {
    using L = block_cyclic_t<layout_t<A>>;
    auto x = working_copy<L>(matrix, w);
    index_t const m = x.extents()[0], n = x.extents()[1], k = m < n ? m : n;
    auto r = plan_detail::allocate<element_t<A>, L>(x.mesh(), shape::of(k, n));
    call_solver("linalg::qr", w, qr_of{}, x, r);
    if (k != n) x = corner_of(x, m, k);
    return qr_factors<decltype(x), decltype(r)>{x, r};
  };
  return with_matrix(a, w, work, [](auto const& x) { return qr_factors<X, X>{x, x}; });
}

}  // namespace ashlar::linalg
