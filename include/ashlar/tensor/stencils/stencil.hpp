// SPDX-License-Identifier: BSL-1.0
// Stencils on real ranks.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/kernels/stencils/stencil.hpp"
#include "ashlar/ops/stencils/stencil_update.hpp"
#include "ashlar/tensor/given_cells.hpp"
#include "ashlar/tensor/stencils/halo.hpp"

namespace ashlar::tensor_detail {

/// The cells of `all` outside `inner`, as disjoint boxes. Pre: inner is in all, or is empty.
ASHLAR_INLINE std::vector<kernels::box> boxes_around(kernels::box all, kernels::box const& inner, int rank);

/// The cells of a box of this rank at least so far below and above from the ends of [0, n), as positions in `own`.
ASHLAR_INLINE void keep_away(kernels::box& cells, int d, index_t own_begin, index_t n, index_t below, index_t above);

template <class R, int Rank>
struct stencil_target {
  stencil_output<R> output;
  index_t stride[array_bound(Rank)];
};
template <class Y>
stencil_target<element_t<Y>, rank_v<Y>> stencil_target_of(Y const& y) {
  auto const cells = owned_cells_of(y);
  stencil_target<element_t<Y>, rank_v<Y>> t{{cells.first}, {}};
  std::copy_n(cells.stride, rank_v<Y>, t.stride);
  return t;
}
template <class First, class... Y>
stencil_target<several<element_t<First>, element_t<Y>...>, rank_v<First>> stencil_target_of(
    std::tuple<First, Y...> const& y) {
  auto const cells = owned_cells_of(std::get<0>(y));
  return std::apply(
      [&](auto const&... each_field) {
        using R = several<element_t<First>, element_t<Y>...>;
        stencil_target<R, rank_v<First>> t{{several(owned_cells_of(each_field).first...)}, {}};
        std::copy_n(cells.stride, rank_v<First>, t.stride);
        return t;
      },
      y);
}

/// The neighbours of the owned cell at a position.
template <class T, int Rank, int Cells>
void set_neighbours(ops_detail::neighbours<T, Rank, Cells>& u, owned_cells<T, Rank> const& x,
                    index_t const (&position)[array_bound(Rank)]) {
  u.cell = x.first;
  std::copy_n(x.stride, Rank, u.stride);
  if constexpr (Cells < Rank) {
    u.first = x.first;
    for (int d = Cells; d < Rank; ++d) u.components[d - Cells] = x.own[d];
  }
  move_cell(u, position);
}

template <class F, class R, int Rank, class... T>
stencil_kernel<F, R, Rank, T...> stencil_on(F const& f, stencil_target<R, Rank> const& y, kernels::box const& cells,
                                            region const& own, owned_cells<T, Rank> const&... x) {
  stencil_kernel<F, R, Rank, T...> k{f, y.output, {}, {}, {}, {}};
  for (int d = 0; d < Rank; ++d) {
    k.stride[d] = y.stride[d];
    k.extent[d] = cells.extent[d];
    k.first.of[d] = own.dim[d].begin + cells.lower[d];
    k.result = k.result.from(cells.lower[d] * y.stride[d]);
  }
  index_t lower[array_bound(Rank)];
  std::copy_n(cells.lower, Rank, lower);
  k.operands.apply_to([&](auto&... u) { (set_neighbours(u, x, lower), ...); });
  return k;
}

/// In builds with assertions, checks that a functor of elements T is linear if it is declared so, on a box of owned cells.
/// Error: ashlar::error if it does not give 0 for elements that are 0.
template <int Rank, class... T, class F>
void check_linearity(F const& f, region const& own, kernels::box const& cells) {
  if constexpr (kernels_detail::reads_are_checked && ops_detail::slope_by_evaluation<F>)
    kernels_detail::require_zero_of_zeros<Rank, T...>(f, own, cells);
}

template <class Y>
inline constexpr bool is_tuple_of_fields = false;
template <class... Y>
inline constexpr bool is_tuple_of_fields<std::tuple<Y...>> = true;

// Calls f(result i, operand i); operand 0 if there is no operand i.
template <class... Y, class Operands, class F>
void for_each_result(std::tuple<Y...> const& y, Operands const& operands, F const& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(std::get<I>(y), std::get<(I < std::tuple_size_v<Operands> ? I : 0)>(operands)), ...);
  }(std::index_sequence_for<Y...>{});
}

/// Shorter rows are not cut for an overlap: the cells at their ends would take longer than an exchange, by a cache line
/// each.
inline constexpr index_t shortest_row_to_cut = 1024;

/// Calls run(box) for boxes that make up `computed`, or run(boxes) for several at once if it takes them. If u is the exchange
/// that fills the halo of x, and of `Pending` operands in all, the cells that need no halo come first, and then u is completed.
template <class F, int Pending, class X, class U, class Run>
void run_around_exchange(kernels::box const& computed, X const& x, U&& u, Run const& run) {
  constexpr int rank = rank_v<X>;
  if constexpr (std::is_same_v<std::remove_cvref_t<U>, X>) {
    run(computed);
  } else {
    shape const own = x.local_region().extents();
    kernels::box interior = computed;
    constexpr stencil_reach around = ops_detail::widest_reach<F, Pending>();
    for (int d = 0; d < around.rank; ++d)
      if (parts(X::layout.dim[d], x.mesh().sizes()) > 1)  // other halos are filled already
        keep_away(interior, d, 0, own[d], around.lower[d], around.upper[d]);
    constexpr int last = ops_detail::cell_dimensions<F, rank> - 1;
    if (last > 0 && computed.extent[last] < shortest_row_to_cut && interior.extent[last] < computed.extent[last])
      interior.extent[last] = 0;
    run(interior);
    (void)u.wait();
    if (computed.shape(rank).size() == 0) return;
    auto outside = boxes_around(computed, interior, rank);
    if constexpr (std::is_invocable_v<Run const&, decltype(outside)&>)
      run(outside);
    else
      for (kernels::box const& cells : outside) run(cells);
  }
}

/// The owned cells of x on which functor F is computed: those within the box.
template <class F, class X>
kernels::box cells_within(stencil_box const& box, X const& x, region const& own) {
  kernels::box cells = box_of(own.extents());
  for (int d = 0; d < ops_detail::cell_dimensions<F, rank_v<X>>; ++d)
    keep_away(cells, d, own.dim[d].begin, x.extents()[d], box.distance, box.distance);
  return cells;
}

/// The stencil f on the owned cells of x and v. `u` is x, or the exchange that fills its halo.
template <class Y, class F, class X, class U, class... V>
Y run_stencil(real_ranks, F const& f, stencil_box const& box, X const& x, U&& u, V const&... v) {
  constexpr int rank = rank_v<X>;
  using space = typename X::execution_space;
  Y y = plan_detail::fields_like<Y>(x);
  region const own = x.local_region();
  auto const to = stencil_target_of(y);
  kernels::box const all = box_of(own.extents());
  kernels::box const computed = cells_within<F>(box, x, own);
  check_linearity<rank, element_t<X>, element_t<V>...>(f, own, computed);
  auto const on_box = [&](kernels::box const& cells) {
    return stencil_on(f, to, cells, own, owned_cells_of(x), owned_cells_of(v)...);
  };
  auto const run = [&](auto const& cells) {
    if constexpr (std::is_same_v<decltype(cells), kernels::box const&>) {
      if (cells.shape(rank).size() != 0) run_stencil_kernel(space{}, on_box(cells));
    } else if constexpr (runs_in_caller<space>) {
      for (kernels::box const& one : cells) run_stencil_kernel(space{}, on_box(one));
    } else {
      kernels_detail::run_stencil_on_boxes<rank>(space{}, on_box(all), cells);
    }
  };
  constexpr int pending = ops_detail::is_pending_fields<std::remove_cvref_t<U>> ? 1 + int(sizeof...(V)) : 1;
  run_around_exchange<F, pending>(computed, x, std::forward<U>(u), run);
  auto const finish = [&](auto const& one_result, auto const& operand) {
    if (box.distance > 0)
      if constexpr (std::is_same_v<element_t<decltype(operand)>, element_t<decltype(one_result)>>)
        for (kernels::box const& cells : boxes_around(all, computed, rank))
          copy_owned_cells(space{}, owned_cells_of(operand), owned_cells_of(one_result), cells);
    using L = layout_t<decltype(one_result)>;
    if constexpr (layout_has_a_halo<L>::value) {
      if constexpr (std::is_same_v<layout_detail::unfilled<layout_t<decltype(operand)>>, L>)
        copy_given_cells(space{}, operand, one_result);
      else
        copy_given_cells(space{}, x, one_result);
    }
  };
  if constexpr (is_tuple_of_fields<Y>)
    for_each_result(y, std::tie(x, v...), finish);
  else
    finish(y, x);
  return y;
}

/// f at the cells of a colour of x, in the memory that y and x share.
template <class F, class Y, class X, class... V>
void update_cells(real_ranks, F const& f, stencil_colour const& c, Y const& y, X const& x, V const&... v) {
  region const own = x.local_region();
  kernels::box const all = box_of(own.extents());
  check_linearity<rank_v<X>, element_t<X>, element_t<V>...>(f, own, all);
  if (own.size() == 0) return;
  run_coloured_kernel(typename Y::execution_space{},
                      stencil_on(f, stencil_target_of(y), all, own, owned_cells_of(x), owned_cells_of(v)...), c.which,
                      c.of);
}

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/stencils/impl/stencil.ipp"
#endif
