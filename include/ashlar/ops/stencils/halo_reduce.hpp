// SPDX-License-Identifier: BSL-1.0
// Partial sums of tensors with halos.
#pragma once
#include "ashlar/ops/collectives.hpp"
#include "ashlar/ops/halo_redistribute.hpp"

namespace ashlar {

namespace ops_detail {

/// The number of cells that the rank stores that stores most.
template <class H>
constexpr index_t most_stored_cells(shape const& global, layout_value const& layout, mesh_shape const& mesh) {
  index_t most = 1;
  for (int d = 0; d < global.rank; ++d) {
    layout_detail::halo_width const& w = layout_detail::halo_of<H>::widths.dim[d];
    index_t const owned = layout_detail::part_at(global[d], layout.dim[d], mesh, 0).size();
    most *= owned == 0 ? 0 : owned + w.lower + w.upper;
  }
  return most;
}

/// All stored cells of x reduced.
template <class To, class X>
constexpr auto all_reduce_cells(no_ranks, plan_step const&, X const& x, call_site const&) {
  return abstract_result<To>(x);
}
/// All stored cells of x where the coordinates on the axes are 0, else zeros.
template <class To, class X>
constexpr auto as_partial_cells(no_ranks, axis_mask, X const& x) {
  return abstract_result<To>(x);
}

// Reduces all stored cells of x, whose owned layout becomes To.
template <class To, axis_mask Replicated, axis_mask MayHelp, plain_tensor X>
constexpr auto reduce_stored_cells(destination<To, Replicated, MayHelp>, X const& x, call_site const& w) {
  using From = owned_layout_t<layout_t<X>>;
  if constexpr (std::is_same_v<From, To>) {
    return plan_detail::materialize(x);
  } else {
    using c = mesh_context<mesh_t<X>, From, To>;
    constexpr plan_step s = plan_detail::step_between(value_v<c, From>, value_v<c, To>);
    auto const& m = x.mesh();
    index_t const q = m.sizes().ranks(s.axes);
    if (m.recorder() && q > 1) {
      index_t const n = most_stored_cells<layout_t<X>>(x.extents(), s.from, m.sizes());
      note(m, s, 2 * (n - n / q) * static_cast<index_t>(sizeof(element_t<X>)), w);
    }
    return all_reduce_cells<typename layout_detail::with_owned_layout<layout_t<X>, To>::type>(
        plan_detail::backend_of<X>{}, s, plan_detail::materialize(x), w);
  }
}

// Makes the stored cells of x terms of a sum over axes: the layout of the result is To.
template <class To, axis_mask Axes, plain_tensor X>
constexpr auto stored_cells_as_terms(destination<To, Axes>, X const& x) {
  return as_partial_cells<To>(plan_detail::backend_of<X>{}, Axes, plan_detail::materialize(x));
}

// The same tensor: only active ones know if they are replicated.
template <class To, axis_mask Axes, plain_tensor X>
constexpr auto replicate_stored_cells(destination<To, Axes>, X const& x, call_site const&) {
  return plan_detail::materialize(x);
}

// For the sentence of a collective that does not wait.
template <class X>
constexpr pending<X> refuse_to_reduce_later(X const& x) {
  static_assert(
      !has_a_halo<layout_t<X>>,
      "ashlar::all_reduce_async: the halo of a tensor is reduced by all_reduce alone; write all_reduce(x), or all_reduce_async(owned(x)) for its owned cells");
  return pending<X>(x);
}

}  // namespace ops_detail

/// The same for a tensor with a halo, whose cells are terms of a sum. The state of the halo stays: all stored cells are
/// reduced, so a filled halo needs no exchange afterwards.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one collective; 2 n (p-1)/p elements received per rank, where the rank stores n cells.
/// Error: as all_reduce of a tensor without a halo.
/// Example: all_reduce<"model">(u<partial<fresh<layout<halo("y", 1), none>>, "model">>) -> fresh<layout<halo("y", 1), none>>
template <dimension Axes, tensor X>
  requires(ops_detail::has_a_halo<layout_t<X>>)
[[nodiscard]] constexpr auto all_reduce(X const& x, call_site w = call_site::current()) {
  return reduce_stored_cells(ops_detail::after_all_reduce<meta_detail::names_in_t<Axes>, ops_detail::owned_part<X>>(),
                             x, w);
}
template <tensor X>
  requires(ops_detail::has_a_halo<layout_t<X>>)
[[nodiscard]] constexpr auto all_reduce(X const& x, call_site w = call_site::current()) {
  return reduce_stored_cells(ops_detail::after_all_reduces<ops_detail::owned_part<X>>(), x, w);
}

/// The same for a tensor with a halo: all stored cells become terms, and the state of the halo stays. Coordinate 0 keeps its
/// memory, and the others have zeros.
/// Collective: no communication. Cost: zeros on the other ranks.
/// Error: does not compile if a boundary is boundary::given, or for another reduction than a sum.
/// Example: as_partial<"model">(u<fresh<layout<halo("y", 1), none>>>) -> partial<fresh<layout<halo("y", 1), none>>, "model">
template <dimension Axes, class Op = op::sum, tensor X>
  requires(ops_detail::has_a_halo<layout_t<X>>)
[[nodiscard]] constexpr auto as_partial(X const& x, call_site w = call_site::current()) {
  using To = partial<layout_t<X>, Axes, Op>;
  constexpr axis_mask axes = ops_detail::collective_axes<mesh_t<X>, meta_detail::names_in_t<Axes>>;
  (void)w;
  (void)ops_detail::after_redistribute<owned_layout_t<To>, ops_detail::owned_part<X>>();  // for its sentences
  if constexpr (std::is_same_v<To, layout_t<X>> || axes == 0)
    return x;
  else
    return stored_cells_as_terms(ops_detail::destination<To, axes>{}, x);
}

/// The same for a tensor with a halo. Backward, all stored cells of the cotangent are reduced.
/// Collective: every rank of the mesh calls it.
/// Cost: forward nothing; backward one all-reduce of the stored cells.
/// Error: does not compile under differentiation if a boundary is boundary::given.
/// Example: as_replicated<"model">(u<fresh<layout<halo("y", 1), none>>>) -> fresh<layout<halo("y", 1), none>>
template <dimension Axes, tensor X>
  requires(ops_detail::has_a_halo<layout_t<X>>)
[[nodiscard]] constexpr auto as_replicated(X const& x, call_site w = call_site::current()) {
  constexpr axis_mask axes = ops_detail::collective_axes<mesh_t<X>, meta_detail::names_in_t<Axes>>;
  static_assert(!ops_detail::collective_axis_missing_from_mesh<mesh_t<X>, meta_detail::names_in_t<Axes>>,
                "ashlar::as_replicated: the mesh has no axis of this name; name one of its axes");
  return replicate_stored_cells(ops_detail::destination<layout_t<X>, axes>{}, x, w);
}

// These do not compile: an all_reduce of a halo waits.
template <dimension Axes, tensor X>
  requires(ops_detail::has_a_halo<layout_t<X>>)
[[nodiscard]] constexpr auto all_reduce_async(X const& x, call_site = call_site::current()) {
  return ops_detail::refuse_to_reduce_later(x);
}
template <tensor X>
  requires(ops_detail::has_a_halo<layout_t<X>>)
[[nodiscard]] constexpr auto all_reduce_async(X const& x, call_site = call_site::current()) {
  return ops_detail::refuse_to_reduce_later(x);
}
template <dimension Axes, tensor X>
  requires(ops_detail::has_a_halo<layout_t<X>>)
[[nodiscard]] constexpr auto as_replicated_async(X const& x, call_site = call_site::current()) {
  static_assert(
      !ops_detail::has_a_halo<layout_t<X>>,
      "ashlar::as_replicated_async: the halo of a cotangent is reduced by all_reduce alone; write as_replicated<axis>(x)");
  return x;
}

}  // namespace ashlar
