// SPDX-License-Identifier: BSL-1.0
// Singular values and vectors.
#pragma once
#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/comm/desync/raw_call.hpp"
#include "ashlar/linalg/finite.hpp"
#include "ashlar/linalg/right_hand_side.hpp"
#include "ashlar/linalg/workspace.hpp"

namespace ashlar::linalg {

/// The factors of A = U diag(s) V^H.
template <class U, class S, class V>
struct svd_factors {
  U u;   ///< orthonormal columns
  S s;   ///< singular values, which descend
  V vh;  ///< orthonormal rows
};

}  // namespace ashlar::linalg

namespace ashlar::linalg_detail {

// x is overwritten. ScaLAPACK sees A^T = V^* diag(s) U^T: its left vectors are our rows of V^H, and its right ones our U.
struct svd_of {
  template <class X, class U, class S, class V>
  char const* operator()(X const& x, U const& u, S const& s, V const& vh) const {
    if (!are_finite(x)) return elements_are_not_finite;
    auto const d = linalg::scalapack_descriptor(x), du = linalg::scalapack_descriptor(u),
               dv = linalg::scalapack_descriptor(vh);
    host_shard const matrix(x);
    host_shard const left(u);
    host_shard const right(vh);
    using T = typename host_shard<X>::element;
    using R = ops_detail::component_t<T>;
    int const k = (std::min)(d[2], d[3]);
    if (k == 0) return nullptr;
    std::vector<R> values(static_cast<std::size_t>(k));
    [[maybe_unused]] std::vector<R> real_work(4 * static_cast<std::size_t>((std::max)(d[2], d[3])) + 1);
    int info = 0;
    auto const decompose = [&](T* work, int size) {
      if constexpr (ops_detail::is_complex_v<T>)
        gesvd("V", "V", &d[2], &d[3], matrix.data(), &one, &one, d.data(), values.data(), right.data(), &one, &one,
              dv.data(), left.data(), &one, &one, du.data(), work, &size, real_work.data(), &info, 1, 1);
      else
        gesvd("V", "V", &d[2], &d[3], matrix.data(), &one, &one, d.data(), values.data(), right.data(), &one, &one,
              dv.data(), left.data(), &one, &one, du.data(), work, &size, &info, 1, 1);
    };
    // It also has room for rows of both factors, on average as many as a rank has here.
    auto work = workspace_of<T>(x, elements_of_panels(x) + u.local_size() + vh.local_size(), decompose);
    if (work.empty()) return workspace_is_too_large;
    run_in(work, decompose);
    left.finish();
    right.finish();
    fill_values(s, values);
    return info == 0 || info == k + 1
               ? nullptr
               : "ashlar::linalg::svd: the iteration for the singular values has not converged; scale the matrix so "
                 "that its elements are near 1";
  }
};

// Gives all ranks that share x the values of the first one. Ranks without vectors take another algorithm, whose values
// differ in the last bits. ScaLAPACK reports that by k + 1. The first rank has vectors. The broadcast is a call of its own:
// its deadline begins when the routine has ended.
template <class X, class S>
void take_first_values(X const& x, S const& s, call_site const& w) {
  communicator const& ranks = x.mesh().communicator(x.layout.sharding());
  if (ranks.size() == 1) return;
  comm_detail::calls_as const named(ranks, "linalg::svd", w);
  host_shard const values(s);
  comm::broadcast(ranks, values.data(), static_cast<std::size_t>(s.extent(0)), 0);
  values.finish();
}

}  // namespace ashlar::linalg_detail

namespace ashlar::linalg {

/// The singular value decomposition A = U diag(s) V^H, of the smallest size.
/// Shape: a (m, n), k = min(m, n): u (m, k) and vh (k, n) in the layout block_cyclic_t<layout of a>; s (k), real and
///   replicated.
/// Post: the columns of u and the rows of vh are orthonormal; s descends and is not negative.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one call of ScaLAPACK (pxgesvd), and a redistribution if `a` has another layout. Nothing is transposed. The first
///   rank sends the values to all others, which the ledger does not count. A matrix of 2 elements is gathered, and each
///   rank factors it.
/// Error: ashlar::error on every rank if an element is not finite, or if the iteration does not converge. Also if a workspace
///   has more than 2^31 - 1 elements on one of them.
/// Example: auto const [u, s, vh] = linalg::svd(a);
template <class X>
[[nodiscard]] constexpr auto svd(X const& a, call_site w = call_site::current()) {
  using namespace linalg_detail;
  auto const work = [&]<class A>(A const& matrix) {
    using L = block_cyclic_t<layout_t<A>>;
    using T = element_t<A>;
    index_t const m = matrix.extents()[0], n = matrix.extents()[1], k = m < n ? m : n;
    auto u = plan_detail::allocate<T, L>(matrix.mesh(), shape::of(m, k));
    auto vh = plan_detail::allocate<T, L>(matrix.mesh(), shape::of(k, n));
    auto s = plan_detail::allocate<ops_detail::component_t<T>, basic_layout<whole>>(matrix.mesh(), shape::of(k));
    using factors = svd_factors<decltype(u), decltype(s), decltype(vh)>;
    // Of 1 x 2 elements, which ScaLAPACK sees of our 2 x 1, pxgesvd does not return on a grid of several columns.
    if constexpr (!std::is_same_v<L, on_all>)
      if (m * n == 2) {
        auto const whole = svd(redistribute<on_all>(matrix, w), w);
        return factors{redistribute<L>(whole.u, w), whole.s, redistribute<L>(whole.vh, w)};
      }
    auto const x = working_copy<L>(matrix, w);
    call_solver("linalg::svd", w, svd_of{}, x, u, s, vh);
    if constexpr (on_real_ranks<decltype(u)>) take_first_values(x, s, w);
    return factors{u, s, vh};
  };
  return with_matrix(a, w, work, [](auto const& x) { return svd_factors<X, X, X>{x, x, x}; });
}

}  // namespace ashlar::linalg
