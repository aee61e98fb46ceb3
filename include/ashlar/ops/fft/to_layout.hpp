// SPDX-License-Identifier: BSL-1.0
// Fourier transforms of several dimensions, with the redistributions between them.
#pragma once
#include "ashlar/ops/collectives.hpp"
#include "ashlar/ops/fft/fft.hpp"
#include "ashlar/plan/price.hpp"
#include <bit>
#include <utility>

namespace ashlar {

namespace ops_detail {

/// The layouts of a transform of several dimensions, from the operand's on. `transformed` has the dimensions that it
/// transforms in each of them, as bit masks. `elements` is the number that the busiest rank receives.
struct fft_route {
  layout_value at[max_rank + 2]{};
  unsigned transformed[max_rank + 2]{};
  int size = 0;
  index_t elements = 0;
  bool found = false;

  constexpr bool better_than(fft_route const& r) const {
    return !r.found || elements < r.elements || (elements == r.elements && size < r.size);
  }
};

/// Finds the route on which the busiest rank receives least. From each layout the search moves all axes of a dimension
/// to another dimension, or goes to the goal. Splits into slabs and into pencils are among these. A dimension is gathered
/// before its transform only if there is no other route, since ranks would repeat the work.
class fft_search {
 public:
  constexpr fft_search(layout_value const& from, layout_value const& to, unsigned dims)
      : goal_(to), scale_(link_model{}, from.named() | to.named()) {
    fft_route start;
    start.at[0] = from;
    go_on(start, dims);
    gathers_ = true;
    if (!best_.found) go_on(start, dims);
  }
  constexpr fft_route const& best() const { return best_; }

 private:
  constexpr void go_on(fft_route r, unsigned left) {
    layout_value const here = r.at[r.size];
    for (int d = 0; d < here.rank; ++d)
      if (left >> d & 1u && here.dim[d].size == 0) r.transformed[r.size] |= 1u << d;
    left &= ~r.transformed[r.size];
    if (left == 0) {
      if (!(here == goal_)) add(r, goal_);
      r.found = true;
      if (r.better_than(best_)) best_ = r;
      return;
    }
    if (r.size > here.rank || (best_.found && !r.better_than(best_))) return;
    try_next(r, left, goal_);
    for (int d = 0; d < here.rank; ++d) {
      if (!(left >> d & 1u)) continue;
      layout_value whole = here;
      whole.dim[d] = {};
      for (int e = 0; e < here.rank; ++e) {
        layout_value next = whole;
        for (int i = 0; e != d && i < here.dim[d].size; ++i) next.dim[e].push(here.dim[d][i]);
        try_next(r, left, next);
      }
    }
  }
  constexpr void try_next(fft_route r, unsigned left, layout_value const& next) {
    bool useful = false;
    for (int d = 0; d < next.rank; ++d) useful = useful || (left >> d & 1u && next.dim[d].size == 0);
    bool const gathers = (r.at[r.size].sharding() & ~next.sharding()) != 0;
    if (!useful || next == r.at[r.size] || (gathers && !gathers_)) return;
    add(r, next);
    go_on(r, left);
  }
  constexpr void add(fft_route& r, layout_value const& next) const {
    layout_value const& here = r.at[r.size];
    r.elements += scale_.of(choice_between(here, next), here, next).elements;
    r.at[++r.size] = next;
  }

  layout_value goal_;
  scale scale_;
  bool gathers_ = false;
  fft_route best_;
};

template <class Mesh, class From, class To, unsigned Dims>
struct fft_plan {
  using context = mesh_context<Mesh, From, To>;
  static constexpr fft_route value = fft_search(value_v<context, From>, value_v<context, To>, Dims).best();
  template <int I>
  using layout_after = layout_from_t<context, encode(value.at[I]), encode_blocks(value.at[I]), value.at[I].rank>;
};

// Transforms the dimensions in a mask, the last one first.
template <direction D, unsigned Dims, int Dim, class X>
constexpr auto transform_dimensions(X const& x) {
  if constexpr (Dim < 0)
    return x;
  else if constexpr (Dims >> Dim & 1u)
    return transform_dimensions<D, Dims, Dim - 1>(apply(fft_op<Dim, D>{}, x));
  else
    return transform_dimensions<D, Dims, Dim - 1>(x);
}

/// True if the backend has transform_after_step<P, I>(backend, op, x, w). That is op applied to step I of the plan, a step
/// that only moves elements.
template <class Op, class X>
constexpr bool transforms_after_steps(...) {
  return false;
}

// The steps of plan P from number Step on, and then op. Real ranks take a last step that only moves elements together
// with op.
template <class P, int Step, class Op, class X>
constexpr auto steps_and_transform(Op const& op, X x, call_site const& w) {
  constexpr backend_of<X> runs{};
  if constexpr (Step == P::value.size) {
    return apply(op, std::as_const(x));
  } else if constexpr (Step + 1 == P::value.size && transforms_after_steps<Op, X>(runs) &&
                       moves_elements(step_of<P, Step>.what)) {
    return transform_after_step<P, Step>(runs, op, x, w);
  } else {
    auto y = [&] {
      X const operand = std::move(x);
      return take_step<P, Step>(backend_of<X>{}, operand, w);
    }();
    return steps_and_transform<P, Step + 1>(op, std::move(y), w);
  }
}

// A transform of x in another layout.
template <class Op, class To, axis_mask Replicated, axis_mask MayHelp, class X>
constexpr auto transform_in_layout(Op const& op, destination<To, Replicated, MayHelp> to, X const& x,
                                   call_site const& w) {
  if constexpr (plain_tensor<X>) {
    using plans = plans_between<mesh_t<X>, layout_t<X>, To, MayHelp>;
    auto&& t = materialize(x);
    return with_extents_of<X>(with_least_plan<plans, X>(
        t.mesh(), t.extents(), [&]<class P>(P) { return steps_and_transform<P, 0>(op, handle_on(t), w); }));
  } else {
    return apply(op, relayout(to, x, w));
  }
}

// The highest dimension in a mask; -1 if it is empty.
constexpr int last_dimension(unsigned dims) { return static_cast<int>(std::bit_width(dims)) - 1; }

// x is in layout I of the route, and its transforms there are done.
template <direction D, class Plan, int I, class X>
constexpr auto follow_route(X const& x, call_site const& w) {
  if constexpr (I == Plan::value.size) {
    return x;
  } else {
    constexpr unsigned dims = Plan::value.transformed[I + 1];
    constexpr int last = last_dimension(dims);
    constexpr auto to = after_redistribute<typename Plan::template layout_after<I + 1>, X>();
    if constexpr (last < 0) {
      return follow_route<D, Plan, I + 1>(relayout(to, x, w), w);
    } else {
      auto const y = transform_in_layout(fft_op<last, D>{}, to, x, w);
      return follow_route<D, Plan, I + 1>(transform_dimensions<D, dims & ~(1u << last), rank_v<X> - 1>(y), w);
    }
  }
}

template <class X, int... Dims>
struct fft_dimensions_once {
  static constexpr bool ok = are_distinct<rank_v<X>, Dims...>;
  static constexpr void say() { static_assert(ok, "ashlar::fft: a dimension is named twice; name each once"); }
};

template <direction D, class L, int... Dims, class X>
constexpr auto transform_to(X const& x, call_site const& w) {
  return checked<fft_operand<X, Dims...>, fft_dimensions_once<X, Dims...>,
                 redistribute_target<mesh_t<X>, layout_t<X>, L>>(
      [&]<class Y>(Y const& y) {
        using route = fft_plan<mesh_t<Y>, layout_t<Y>, L, mask_of_dimensions<rank_v<Y>, Dims...>>;
        return follow_route<D, route, 0>(transform_dimensions<D, route::value.transformed[0], rank_v<Y> - 1>(y), w);
      },
      x);
}

}  // namespace ops_detail

/// The Fourier transform along several dimensions, or along all if none is named, in layout L. It is a composition of
/// fft and redistribute. The compiler chooses the layouts on the way, slabs or pencils, by the bytes that the
/// busiest rank receives if the axes have similar sizes.
/// Shape: the extents of x. The result is partial as L is.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: the redistributions of the route, which a ledger shows. On a node a rank reads lines from the shards of the other
/// ranks, so the redistributed tensor is not stored.
/// Error: as for fft and redistribute.
/// Example: fft(x<layout<"p", "q", none>>, to_layout<layout<none, "p", "q">>) -> layout<none, "p", "q">
template <int... Dims, tensor X, class L>
[[nodiscard]] constexpr auto fft(X const& x, ops_detail::into_layout<L>, call_site w = call_site::current()) {
  return ops_detail::transform_to<ops_detail::direction::forward, L, Dims...>(x, w);
}
/// The inverse of this fft.
/// Shape: as fft.
/// Collective, Cost, Error: as fft.
/// Example: inverse_fft<0, 1>(fft<0, 1>(x, to_layout<L>), to_layout<layout_t<decltype(x)>>) equals x, up to rounding
template <int... Dims, tensor X, class L>
[[nodiscard]] constexpr auto inverse_fft(X const& x, ops_detail::into_layout<L>, call_site w = call_site::current()) {
  return ops_detail::transform_to<ops_detail::direction::inverse, L, Dims...>(x, w);
}

}  // namespace ashlar
