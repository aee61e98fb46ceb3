// SPDX-License-Identifier: BSL-1.0
// Stencils one after the other on real ranks, without an exchange between them.
#pragma once
#include "ashlar/ops/stencils/stencil_compose.hpp"
#include "ashlar/tensor/stencils/stencil.hpp"

namespace ashlar::tensor_detail {

/// Calls run(box, own) for boxes that make up the owned cells and `around` cells around them, inside the domain.
/// Positions in a box are relative to the owned cells. Beyond periodic edges, `own` is shifted to the cells that are
/// shown.
template <class X, class Run>
void for_each_box_around(X const& x, stencil_reach const& around, region own, Run const& run) {
  kernels::box box = box_of(own.extents());
  auto const choose = [&](auto const& self, int d) -> void {
    if (d == X::rank) return run(box, own);
    index_t const n = x.extents()[d], begin = own.dim[d].begin, end = own.dim[d].end;
    bool const periodic = X::widths.dim[d].below == boundary::periodic;
    index_t const first = begin - around.lower[d], last = end + around.upper[d];
    for (index_t from = periodic ? first : std::max<index_t>(first, 0);
         from < (periodic ? last : (std::min)(last, n));) {
      index_t const period = (from - (from % n + n) % n) / n;
      index_t const to = (std::min)(last, (period + 1) * n);
      box.lower[d] = from - begin;
      box.extent[d] = to - from;
      own.dim[d].begin = begin - period * n;
      self(self, d + 1);
      from = to;
    }
    own.dim[d].begin = begin;
  };
  choose(choose, 0);
}

/// Gives cells of v beyond the edges the values that they show: `around` cells are stored around the owned ones. Given
/// cells are those of x.
template <class Space, class X, class T>
void set_boundary_edges(Space const& space, X const& x, stencil_reach const& around, owned_cells<T, X::rank> const& v) {
  constexpr int rank = X::rank;
  region const own = x.local_region();
  std::array<stored_line, max_rank> lines{};
  T* first = v.first;
  for (int d = 0; d < rank; ++d) {
    halo_width const& w = X::widths.dim[d];
    lines[static_cast<std::size_t>(d)] = {
        x.extents()[d], {own.dim[d].begin, own.dim[d].end}, {around.lower[d], around.upper[d], w.below, w.above}};
    first -= around.lower[d] * v.stride[d];
  }
  std::vector<edge_fill> fills;
  for (int d = 0; d < rank; ++d)
    if (X::widths.dim[d].below != boundary::periodic)
      halo_detail::add_edges(
          d, lines, v.stored, row_major_strides(v.stored), [](int) { return true; }, fills);
  fill_edges(space, fills, first);
  auto const given = owned_cells_of(x);
  for (int d = 0; d < rank; ++d) {
    auto const copy = [&](index_t begin, index_t count) {  // positions relative to the first stored cell
      shape extents = v.stored;
      extents[d] = count;
      T* to = first + begin * v.stride[d];
      kernels::strided<element_t<X>> from{given.first + begin * given.stride[d], {}};
      for (int e = 0; e < rank; ++e) {
        from.stride[e] = given.stride[e];
        from.data -= around.lower[e] * given.stride[e];
      }
      kernels::map_to(space, extents, to, v.stride, converted<T>{}, from);
    };
    stored_line const& line = lines[static_cast<std::size_t>(d)];
    if (line.width.below == boundary::given && line.first() < 0) copy(0, -line.first());
    if (line.width.above == boundary::given && line.last() > line.n) copy(line.n - line.first(), line.last() - line.n);
  }
}

/// The owned cells that a functor computes without cells of other ranks. None if no exchange is pending.
template <class Step, class X>
kernels::box interior_cells(X const& x, region const& own, bool is_pending) {
  if (!is_pending) return {};
  kernels::box interior = box_of(own.extents());
  for (int d = 0; d < Step::reach.rank; ++d)
    if (parts(X::layout.dim[d], x.mesh().sizes()) > 1)  // other halos are filled already
      keep_away(interior, d, 0, own.dim[d].size(), Step::reach.lower[d], Step::reach.upper[d]);
  return interior;
}

/// No exchange is pending.
struct no_exchange {
  void wait() const {}
};

/// The steps from number I on: `in` has the cells that they read, and y the last results. `exchange` fills the halo that step
/// I reads, or has done so. Meanwhile the step computes the interior.
template <int I, class... F, class X, class T, class Y, class Exchange>
void run_steps(ops_detail::composition<F...> const& f, X const& x, owned_cells<T, X::rank> const& in, Y const& y,
               Exchange& exchange) {
  constexpr int rank = X::rank;
  using space = typename X::execution_space;
  region const own = x.local_region();
  auto const& step = std::get<I>(f.steps);
  using Step = std::remove_cvref_t<decltype(step)>;
  auto const run = [&](auto const& target, stencil_reach const& around) {
    auto const compute = [&](kernels::box const& box, region const& shown) {
      if (box.shape(rank).size() != 0) run_stencil_kernel(space{}, stencil_on(step, target, box, shown, in));
    };
    kernels::box const interior = interior_cells<Step>(x, own, !std::is_same_v<Exchange, no_exchange>);
    compute(interior, own);
    (void)exchange.wait();
    for_each_box_around(x, around, own, [&](kernels::box const& box, region const& shown) {
      bool is_own = true;
      for (int d = 0; d < rank; ++d) is_own = is_own && shown.dim[d].begin == own.dim[d].begin;
      if (!is_own) return compute(box, shown);
      for (kernels::box const& part : boxes_around(box, interior, rank)) compute(part, own);
    });
  };
  if constexpr (I + 1 == sizeof...(F)) {
    run(stencil_target_of(y), stencil_reach{});
  } else {
    constexpr stencil_reach around = ops_detail::sum_of_reaches<F...>(I + 1);
    using R = typename ops_detail::composed_value<rank, T, Step>::type;
    owned_cells<R, rank> v;
    v.own = v.stored = own.extents();
    for (int d = 0; d < rank; ++d) v.stored[d] += around.lower[d] + around.upper[d];
    pool_scratch<space, R> const cells(v.stored.size());
    row_major_strides const strides(v.stored);
    v.first = cells.data();
    stencil_target<R, rank> target{{v.first}, {}};
    for (int d = 0; d < rank; ++d) {
      v.stride[d] = target.stride[d] = strides.stride[d];
      v.first += around.lower[d] * strides.stride[d];
    }
    target.output = {v.first};
    run(target, around);
    set_boundary_edges(space{}, x, around, v);
    no_exchange none_pending;
    run_steps<I + 1>(f, x, v, y, none_pending);
  }
}

/// check_linearity for the steps from number I on, which read elements T.
template <class T, int I = 0, class... F, class X>
void check_linearity_of_steps(ops_detail::composition<F...> const& f, X const& x) {
  auto const& step = std::get<I>(f.steps);
  region const own = x.local_region();
  check_linearity<X::rank, T>(step, own, box_of(own.extents()));
  using R = typename ops_detail::composed_value<X::rank, T, std::remove_cvref_t<decltype(step)>>::type;
  if constexpr (I + 1 < sizeof...(F)) check_linearity_of_steps<R, I + 1>(f, x);
}

/// The functors one after the other on the owned cells of x. `u` is x, or the exchange that fills its halo.
template <class Y, class... F, class X, class U>
Y run_stencils(real_ranks, ops_detail::composition<F...> const& f, X const& x, U&& u) {
  check_linearity_of_steps<element_t<X>>(f, x);
  Y const y(x.mesh(), x.extents());
  auto const run = [&](auto& exchange) {
    if (x.local_region().size() != 0)
      run_steps<0>(f, x, owned_cells_of(x), y, exchange);
    else
      (void)exchange.wait();
  };
  if constexpr (std::is_same_v<std::remove_cvref_t<U>, X>) {
    no_exchange none_pending;
    run(none_pending);
  } else {
    run(u);
  }
  if constexpr (layout_has_a_halo<layout_t<Y>>::value) copy_given_cells(typename X::execution_space{}, x, y);
  return y;
}

}  // namespace ashlar::tensor_detail
