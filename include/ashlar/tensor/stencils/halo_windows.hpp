// SPDX-License-Identifier: BSL-1.0
// Operations whose windows read the halo of their operands, on real ranks.
#pragma once
#include "ashlar/kernels/fill_outside.hpp"
#include "ashlar/kernels/stencils/halo_windows.hpp"
#include "ashlar/ops/stencils/halo_windows.hpp"
#include "ashlar/tensor/given_cells.hpp"

namespace ashlar::tensor_detail {

template <class T, class X>
kernels::stored_shard<T> stored_shard_of(X const& x) {
  region const own = x.local_region();
  shape none = own.extents();
  for (int d = 0; d < none.rank; ++d) none[d] = 0;
  if constexpr (layout_has_a_halo<layout_t<X>>::value) {
    kernels::stored_shard<T> s{{cells_of(x), own, x.extents()}, x.stored_extents(), none};
    for (int d = 0; d < none.rank; ++d) s.lower[d] = X::widths.dim[d].lower;
    return s;
  } else {
    return {{cells_of(x), own, x.extents()}, own.extents(), none};
  }
}

/// The cells outside the owned box of a result: given cells are 0, others are NaN in builds with assertions.
template <class Y>
void set_unfilled_cells(Y const& y) {
  using T = element_t<Y>;
  using space = typename Y::execution_space;
  shape const stored = y.stored_extents();
  if constexpr (unfilled_cells_are_nan<T>)
    if (stored.size() != 0) {
      auto const s = stored_shard_of<T>(y);
      shape end = s.lower;
      for (int d = 0; d < end.rank; ++d) end[d] += s.owned.dim[d].size();
      kernels::fill_outside(space{}, s.data, stored, s.lower, end, not_a_number<T>());
    }
  clear_given_cells(space{}, y);
}

/// The result of an operation that reads halo cells. Its kernel run(op, space, scratch, y, x...) takes stored shards.
template <class T, class L, class Op, class M, class... X>
  requires ops_detail::reads_halo_cells<Op>
auto make_result(real_ranks, Op const& op, device_mesh<M> const& m, shape const& extents, X const&... x) {
  using Y = tensor_on<T, L, M>;
  using S = typename Y::execution_space;
  Y y(m, extents);
  [&](auto const&... cells) {
    run(op, S{}, scratch_from_pool<S>, stored_shard_of<T>(y), stored_shard_of<element_t<X> const>(cells)...);
  }(row_major_cells(materialize(x))...);
  if constexpr (layout_detail::is_in_state<L, layout_detail::halo_state::unfilled>) set_unfilled_cells(y);
  return y;
}

}  // namespace ashlar::tensor_detail
