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
struct rank_differs {
  static constexpr bool value = L::rank != Given;
};
template <class L, std::size_t N>
constexpr shape checked_extents(index_t const (&n)[N]) {
  static_assert(
      !rank_differs<L, N>::value,
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
      !plan_detail::rank_differs<L, sizeof...(N)>::value,
      "ashlar::make: the layout has another number of dimensions than the extents given; write one spec per dimension");
  return plan_detail::fix<static_extents<N...>>(plan_detail::allocate<T, L>(m, static_extents<N...>::value));
}
/// Makes a scalar.
template <class T, class L, class Handle>
constexpr auto make(Handle const& m) {
  static_assert(!plan_detail::rank_differs<L, 0>::value,
                "ashlar::make: give the extents, one per dimension of the layout");
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

/// An all-reduce of several abstract tensors. It holds no elements.
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

template <class M>
struct backend<abstract_mesh<M>> {
  static constexpr bool begins_early = false;

  template <class T, class L>
  static constexpr abstract_tensor<T, L, M> allocate(abstract_mesh<M> const& m, shape const& extents) {
    check_size<T>(extents);
    return {m, extents};
  }
  static constexpr void note_extents(abstract_mesh<M> const&, shape const&, call_site const&) {}
  static constexpr void note_argument(abstract_mesh<M> const&, shape const&, common_argument const&, call_site const&) {
  }
  template <class T, class L, class Op, class... X>
  static constexpr abstract_tensor<T, L, M> make_result(Op const&, abstract_mesh<M> const& m, shape const& extents,
                                                        X const&...) {
    return {m, extents};
  }
  template <class Y, class T>
  static constexpr void fill(Y& y, T const&) {
    y.set_origin({});
  }
  template <class Y, class T>
  static constexpr void fill_counting(Y& y, T, T) {
    y.set_origin({});
  }
  template <class Distribution, class Y>
  static constexpr void fill_random(Distribution const&, Y& y, prng_key) {
    y.set_origin({});
  }
  template <class F, class Y, class... X>
  static constexpr void update_each(F const&, Y& y, X const&...) {
    y.set_origin({});
  }
  template <class Y, class X>
  static constexpr void assign(Y& y, X const&) {
    y.set_origin({});
  }
  template <class Y, class X, class G>
  static constexpr auto assign_and_reduce(Y& y, X const&, G const& g) {
    y.set_origin({});
    return g(std::as_const(y));
  }

  template <class P, int I, class X>
  static constexpr auto take_step(X const& x, call_site const& w) {
    return taken<P, I>(x, x.extents(), w);
  }
  template <class P, int I, class Y, class X>
  static constexpr void take_step_into(Y& y, X const& x, call_site const& w) {
    y.set_origin(taken<P, I>(x, x.extents(), w).origin());
  }
  template <class P, int I, int... Order, class X>
  static constexpr auto take_step_transposed(X const& x, call_site const& w) {
    X unknown = x;
    unknown.set_origin({});
    auto y = taken<P, I>(unknown, shape::of(x.extents()[Order]...), w);
    y.set_origin({});
    return y;
  }
  template <class T>
  static constexpr abstract_bundle open_bundle(abstract_mesh<M> const&, axis_mask, call_site const&) {
    return {};
  }
  template <int Dim, class X>
  static constexpr X roll(X const& x, plan_step const&, index_t, call_site const&) {
    X y = x;
    y.set_origin({});
    return y;
  }
  template <class Y, class T>
  static constexpr void fill_outside(Y& y, shape const&, shape const&, T const&) {
    y.set_origin({});
  }
  template <class Y, class X>
  static constexpr void put_box(Y& y, X const&, shape const&, plan_step const&, call_site const&) {
    y.set_origin({});
  }
  template <int Dim, bool Remember, class X, class Samples>
  static constexpr auto merge_parts(X const& x, Samples const&, plan_step const&, plan_step const&, call_site const&) {
    struct merged {
      X values;
      int route;
    };
    return merged{allocate<element_t<X>, layout_t<X>>(x.mesh(), x.extents()), 0};
  }
  template <int Dim, class X>
  static constexpr auto follow_route(int, X const& x, plan_step const&, call_site const&) {
    return allocate<element_t<X>, layout_t<X>>(x.mesh(), x.extents());
  }
  template <int Dim, class X>
  static constexpr auto return_route(int, X const& x, plan_step const&, call_site const&) {
    return allocate<element_t<X>, layout_t<X>>(x.mesh(), x.extents());
  }
  template <class To, class X>
  static constexpr auto exchange_halo(X const& x, call_site const&) {
    return allocate<element_t<X>, To>(x.mesh(), x.extents());
  }
  template <class To, auto Corners, class X>
  static constexpr auto add_halo(X const& x, call_site const&) {
    return allocate<element_t<X>, To>(x.mesh(), x.extents());
  }
  template <class To, class X>
  static constexpr auto all_reduce_cells(plan_step const&, X const& x, call_site const&) {
    return allocate<element_t<X>, To>(x.mesh(), x.extents());
  }
  template <class To, class X>
  static constexpr auto as_partial_cells(axis_mask, X const& x) {
    return allocate<element_t<X>, To>(x.mesh(), x.extents());
  }
  template <auto Corners, class... X>
  static constexpr void fill_halos(plan_step const&, call_site const&, X const&...) {}
  template <class X>
  static constexpr void clear_given(X const&) {}
  template <class To, class X>
  static constexpr auto same_cells(X const& x) {
    return allocate<element_t<X>, To>(x.mesh(), x.extents());
  }
  template <class To, class X>
  static constexpr auto copy_cells(X const& x) {
    return allocate<element_t<X>, To>(x.mesh(), x.extents());
  }
  template <class To, class X>
  static constexpr auto with_components(X const& x, shape const& extents) {
    return allocate<element_t<X>, To>(x.mesh(), extents);
  }
  template <class To, class X>
  static constexpr To without_components(X const& x, shape const& extents, bool) {
    return allocate<element_t<To>, layout_t<To>>(x.mesh(), extents);
  }
  template <class Y, class F, class Box, class X, class U, class... V>
  static constexpr Y stencil(F const&, Box const&, X const& x, U const&, V const&...) {
    return fields_like<Y>(x);
  }
  template <class Y, class F, class G, class X, class U, class... V>
  static constexpr auto stencil_and_reduce(F const&, G const& g, X const& x, U const&, V const&...) {
    Y const y = fields_like<Y>(x);
    return std::pair(y, g(y));
  }
  template <class Y, class F, class X, class U>
  static constexpr Y stencils(F const&, X const& x, U const&) {
    return fields_like<Y>(x);
  }
  template <class Y>
  static constexpr void own_memory(Y&) {}
  template <class F, class Colour, class Y, class... X>
  static constexpr void update(F const&, Colour const&, Y&, X const&...) {}
  template <int I, class Y, class F, class Box, class Ct, class X, class... V>
  static constexpr Y stencil_back(F const&, Box const&, Ct const&, X const& x, V const&...) {
    return {x.mesh(), x.extents()};
  }
  template <class Chunks, class X>
  static constexpr X take_chunk(Chunks const& cut, index_t i, X const& x, int dim) {
    shape extents = x.extents();
    extents[dim] = cut.extent(extents[dim], i);
    return {x.mesh(), extents};
  }
  template <class Chunks, class X, class Y>
  static constexpr void put_chunk(Chunks const&, index_t, X const&, Y& y, int) {
    y.set_origin({});
  }
  template <equation E, class Chunks, class A, class B, class Y>
  static constexpr void put_product(Chunks const&, index_t, A const&, B const&, Y& y, int) {
    y.set_origin({});
  }
  template <class, class>
  static constexpr bool transforms_after_steps = false;
  template <equation, class, class, class>
  static constexpr bool multiplies = false;

 private:
  template <class P, int I, class X>
  static constexpr auto taken(X const& x, shape const& extents, call_site const& w) {
    auto y = allocate<element_t<X>, layout_after_step<P, I>>(x.mesh(), extents);
    if (!x.mesh().recorder()) return y;
    plan_step const& s = step_of<P, I>;
    note(x.mesh(), s, step_bytes(s, extents, x.mesh().sizes(), sizeof(element_t<X>)), w);
    if constexpr (I == 0) note_waste<P>(x.mesh(), x.origin(), w);
    y.set_origin(origin_after<P, I>(x.origin(), x.mesh().sizes(), w));
    return y;
  }
};

/// The backend of a mesh value as a handle: its collectives are not recorded.
template <class... Axes>
struct backend<mesh<Axes...>> : backend<abstract_mesh<mesh<Axes...>>> {};

}  // namespace plan_detail

/// Dry run: the communication ledger of a program, without its arithmetic. `program(m)` makes its tensors from the
/// handle m by `make`, and calls collectives and operations on them. It works in constant expressions and at run time.
/// The first 512 different collectives have a record each, and further ones a total: `ledger::further`.
/// Example: static_assert(collectives(grid{{2, 4}}, forward).count(collective::all_reduce, "model") == 1)
template <class... Axes, class F>
constexpr ledger<mesh<Axes...>> collectives(mesh<Axes...> const& m, F&& program) {
  recorder<mesh<Axes...>, plan_detail::few_records> r;
  program(abstract_mesh<mesh<Axes...>>(m, &r));
  return r.log;
}

}  // namespace ashlar
