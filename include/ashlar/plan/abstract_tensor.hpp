// SPDX-License-Identifier: BSL-1.0
// Abstract tensors: tensors without elements, for dry runs of generic code.
#pragma once
#include "ashlar/plan/backend.hpp"
#include "ashlar/plan/planner.hpp"
#include "ashlar/plan/static_extents.hpp"
#include <utility>

namespace ashlar {

/// A mesh handle without a machine, for abstract tensors. Its collectives are recorded in `notes`, or nowhere if
/// `notes` is null.
template <class Mesh>
class abstract_mesh {
 public:
  using mesh_type = Mesh;
  using recorder_type = ashlar::recorder<Mesh, plan_detail::few_records>;
  constexpr abstract_mesh(Mesh const& shape, recorder_type* notes = nullptr) : mesh_(shape), recorder_(notes) {}
  constexpr Mesh const& mesh() const { return mesh_; }
  constexpr mesh_shape const& sizes() const { return mesh_.sizes(); }
  constexpr recorder_type* recorder() const { return recorder_; }

 private:
  Mesh mesh_;
  recorder_type* recorder_;
};

/// A tensor without elements: element type, layout, mesh and global extents.
template <class T, class Layout, class Mesh>
class abstract_tensor {
 public:
  using element_type = T;
  using layout_type = Layout;
  using mesh_type = Mesh;

  constexpr abstract_tensor(abstract_mesh<Mesh> const& handle, shape const& global) : mesh_(handle), extents_(global) {}
  constexpr abstract_mesh<Mesh> const& mesh() const { return mesh_; }
  constexpr shape const& extents() const { return extents_; }
  constexpr index_t extent(int d) const { return extents_[d]; }
  // The redistribution that made the tensor, if its elements have not changed since.
  constexpr plan_detail::redistribution_origin const& origin() const { return origin_; }
  constexpr void set_origin(plan_detail::redistribution_origin const& o) { origin_ = o; }

 private:
  abstract_mesh<Mesh> mesh_;
  shape extents_;
  plan_detail::redistribution_origin origin_;

  using checked = plan_detail::checked_element_t<T>;
  // At the end, because clang reads no member after a static_assert that fails.
  static_assert(
      !plan_detail::axes_missing_from_mesh<Mesh, Layout>::value,
      "ashlar::make: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh");
};

namespace plan_detail {
template <class L, int Given>
inline constexpr bool rank_differs = L::rank != Given;
template <class L, std::size_t N>
constexpr shape checked_extents(index_t const (&n)[N]) {
  static_assert(
      !rank_differs<L, N>,
      "ashlar::make: the layout has another number of dimensions than the extents given; write one spec per dimension");
  shape s;
  s.rank = static_cast<int>(N);
  for (int d = 0; d < static_cast<int>(N); ++d) s[d] = n[d];
  for (index_t const extent : n)
    if (extent < 0) fail_extents("ashlar::make: an extent is 0 or more", s);
  return s;
}
}  // namespace plan_detail

/// Makes a tensor of global extents n. A mesh or an abstract_mesh gives an abstract tensor; a device_mesh gives a real,
/// uninitialised one.
/// Collective: every rank of the mesh makes the tensor, with equal extents. No rank waits. This holds for all functions
///   that make a tensor of given extents. Memory for one rank alone is a Kokkos::View.
/// Cost: no messages. The next calls of the mesh compare the extents.
/// Error: ashlar::error on every rank, at a later call of the mesh, if the extents differ between ranks. It names both
///   lines. The same if some rank has not made the tensor.
/// Example: make<float, layout<"data", none>>(m, {128, 784}) -> layout<"data", none>
template <class T, class L, class Handle, std::size_t N>
constexpr auto make(Handle const& m, index_t const (&n)[N], call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return plan_detail::allocate<T, L>(m, plan_detail::checked_extents<L>(n), w);
}
/// The same with the extents in the type: a with_extents.
template <class T, class L, class Handle, index_t... N>
constexpr auto make(Handle const& m, static_extents<N...>) {
  static_assert(
      !plan_detail::rank_differs<L, sizeof...(N)>,
      "ashlar::make: the layout has another number of dimensions than the extents given; write one spec per dimension");
  return plan_detail::fix<static_extents<N...>>(plan_detail::allocate<T, L>(m, static_extents<N...>::value));
}
/// Makes a scalar.
template <class T, class L, class Handle>
constexpr auto make(Handle const& m) {
  static_assert(!plan_detail::rank_differs<L, 0>, "ashlar::make: give the extents, one per dimension of the layout");
  return plan_detail::allocate<T, L>(m, shape{});
}

namespace plan_detail {

// Records a step in the ledger if it is a collective: a step of a plan, a roll, or the all_reduce of a bundle.
template <class Handle>
constexpr void note(Handle const& m, plan_step const& s, index_t bytes, call_site const& w, int neighbours = 0) {
  if (m.recorder() && m.sizes().ranks(s.axes) > 1 && communicates(s.what))
    m.recorder()->log.add(
        {collective_of(s.what), s.axes, bytes, m.recorder()->when, w.line(), w.file_name(), 1, neighbours});
}

// The layouts before and after the plan P, encoded. A variable is evaluated once; clang would evaluate a constant inside
// a function again in each call.
struct encoded_layout {
  unsigned long long code = 0, blocks = 0;
  bool is_partial = false;
  constexpr explicit encoded_layout(layout_value const& v)
      : code(encode(v)), blocks(encode_blocks(v)), is_partial(v.levels != 0) {}
};
template <class P>
inline constexpr encoded_layout layout_before{P::value.layout(0)};
template <class P>
inline constexpr encoded_layout layout_at_end{P::value.layout(P::value.size)};

// The axes of all collectives of a plan.
template <class P>
inline constexpr axis_mask collective_axes_of = [] {
  axis_mask all = 0;
  for (plan_step const& s : P::value)
    if (communicates(s.what)) all |= s.axes;
  return all;
}();

// Adds the redistribution P of a tensor to the ledger's waste if the one that made the tensor was needless.
template <class P, class Handle>
constexpr void note_waste(Handle const& m, redistribution_origin const& before, call_site const& w) {
  if (before.line == 0) return;
  plan_step const& first = step_of<P, 0>;
  waste_record r{waste_kind::there_and_back, before.line, w.line(), before.file, w.file_name()};
  if (first.what == step_kind::slice && m.sizes().ranks(before.reduced & first.axes) > 1) {
    r.why = waste_kind::reduce_then_slice;
  } else if (first.what == step_kind::slice && m.sizes().ranks(before.gathered & first.axes) > 1) {
    r.why = waste_kind::gather_then_slice;
  } else {
    encoded_layout const& to = layout_at_end<P>;
    bool const back = !to.is_partial && before.code == to.code && before.blocks == to.blocks;
    if (!before.communicated || before.was_partial || !back || m.sizes().ranks(collective_axes_of<P>) == 1) return;
  }
  m.recorder()->log.add_waste(r);
}

// The origin of the result of step I of P, from the origin of its operand.
template <class P, int I>
constexpr redistribution_origin origin_after(redistribution_origin o, mesh_shape const& mesh, call_site const& w) {
  plan_step const& s = step_of<P, I>;
  if (I == 0)
    o = {layout_before<P>.code, layout_before<P>.blocks, 0, 0, false, layout_before<P>.is_partial, w.line(),
         w.file_name()};
  if (!communicates(s.what) || mesh.ranks(s.axes) == 1) return o;
  o.communicated = true;
  if (s.what == collective::all_gather) o.gathered |= s.axes;
  if (s.what == collective::all_reduce || s.what == collective::reduce_scatter) o.reduced |= s.axes;
  return o;
}

template <class M>
struct backend<abstract_mesh<M>> {
  using type = no_ranks;
};
/// The backend of a mesh value as a handle: its collectives are not recorded.
template <class... Axes>
struct backend<mesh<Axes...>> {
  using type = no_ranks;
};

template <class Handle>
using mesh_of_handle = typename decltype(abstract_mesh(std::declval<Handle const&>()))::mesh_type;

/// A tensor of the handle that is not initialised.
template <class T, class L, class Handle>
constexpr abstract_tensor<T, L, mesh_of_handle<Handle>> allocate_on(no_ranks, Handle const& m, shape const& extents) {
  check_size<T>(extents);
  return {m, extents};
}
/// The program makes a tensor: all ranks have to give the same extents.
template <class Handle>
constexpr void note_extents(no_ranks, Handle const&, shape const&, call_site const&) {}
/// A call on such a tensor: all ranks have to give the same argument.
template <class Handle>
constexpr void note_common_argument(no_ranks, Handle const&, shape const&, common_argument const&, call_site const&) {}
/// The result of an operation, with elements T and layout L. x may wait to be evaluated.
template <class T, class L, class Op, class Handle, class... X>
constexpr abstract_tensor<T, L, mesh_of_handle<Handle>> compute(no_ranks, Op const&, Handle const& m,
                                                                shape const& extents, X const&...) {
  return {m, extents};
}

template <class Y, class T>
constexpr void fill_elements(no_ranks, Y& y, T const&) {
  y.set_origin({});
}
/// Element i of a vector becomes first + i * step.
template <class Y, class T>
constexpr void fill_counting(no_ranks, Y& y, T, T) {
  y.set_origin({});
}
template <class Distribution, class Y>
constexpr void fill_random(no_ranks, Distribution const&, Y& y, prng_key) {
  y.set_origin({});
}
/// f of corresponding elements of y and x, which f writes.
template <class F, class Y, class... X>
constexpr void update_elements(no_ranks, F const&, Y& y, X const&...) {
  y.set_origin({});
}
/// Copies the elements of x to y. x may wait to be evaluated.
template <class Y, class X>
constexpr void assign_elements(no_ranks, Y& y, X const&) {
  y.set_origin({});
}
/// The same, and the reduction g of the new elements of y.
template <class Y, class X, class G>
constexpr auto assign_and_reduce(no_ranks, Y& y, X const&, G const& g) {
  y.set_origin({});
  return g(std::as_const(y));
}

/// Step I of the plan P of a redistribution (ops/collectives.hpp), for a tensor of these extents.
template <class P, int I, class X>
constexpr auto take_step_of(X const& x, shape const& extents, call_site const& w) {
  auto y = allocate<element_t<X>, layout_after_step<P, I>>(x.mesh(), extents);
  if (!x.mesh().recorder()) return y;
  plan_step const& s = step_of<P, I>;
  note(x.mesh(), s, step_bytes(s, extents, x.mesh().sizes(), sizeof(element_t<X>)), w);
  if constexpr (I == 0) note_waste<P>(x.mesh(), x.origin(), w);
  y.set_origin(origin_after<P, I>(x.origin(), x.mesh().sizes(), w));
  return y;
}
/// Step I of the plan.
template <class P, int I, class X>
constexpr auto take_step(no_ranks, X const& x, call_site const& w) {
  return take_step_of<P, I>(x, x.extents(), w);
}
/// The last step of the plan, into the memory of y.
template <class P, int I, class Y, class X>
constexpr void take_step_into(no_ranks, Y& y, X const& x, call_site const& w) {
  y.set_origin(take_step_of<P, I>(x, x.extents(), w).origin());
}
/// Step I for the tensor with its dimensions in another order.
template <class P, int I, int... Order, class X>
constexpr auto take_step_transposed(no_ranks, X const& x, call_site const& w) {
  X unknown = x;
  unknown.set_origin({});
  auto y = take_step_of<P, I>(unknown, shape::of(x.extents()[Order]...), w);
  y.set_origin({});
  return y;
}

/// An all-reduce of several tensors: reserve<L>(extents) and take<L>(x) for each, in the same order, then
/// all_reduce<Ops>(op).
struct abstract_bundle {
  template <class L>
  constexpr void reserve(shape const&) {}
  template <class L, class X>
  constexpr auto take(X const& x) {
    return allocate<element_t<X>, L>(x.mesh(), x.extents());
  }
  template <class Ops, int N>
  constexpr void all_reduce() {}
};
template <class T, class Handle>
constexpr abstract_bundle open_bundle(no_ranks, Handle const&, axis_mask, call_site const&) {
  return {};
}

/// A tensor of layout To with the mesh of x: the result of a function of cells that the ledger has noted already.
template <class To, class X>
constexpr auto abstract_result(X const& x) {
  return allocate<element_t<X>, To>(x.mesh(), x.extents());
}

}  // namespace plan_detail

}  // namespace ashlar
