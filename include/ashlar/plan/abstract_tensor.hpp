// Tensors without elements: what generic code runs on when only its communication is asked for.
#pragma once
#include "ashlar/plan/planner.hpp"
#include "ashlar/plan/static_extents.hpp"

namespace ashlar {

/// A mesh on no machine, and where its collectives are noted (nowhere, if null).
template <class Mesh>
class abstract_mesh {
 public:
  using mesh_type = Mesh;
  using recorder_type = ashlar::recorder<Mesh, few_records>;
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
  static_assert(!detail::axes_missing_from_mesh<Mesh, Layout>::value,
                "ashlar::make: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh");

  constexpr abstract_tensor(abstract_mesh<Mesh> const& handle, shape const& global) : mesh_(handle), extents_(global) {}
  constexpr abstract_mesh<Mesh> const& mesh() const { return mesh_; }
  constexpr shape const& extents() const { return extents_; }
  constexpr index_t extent(int d) const { return extents_[d]; }

 private:
  abstract_mesh<Mesh> mesh_;
  shape extents_;
};

template <class T, class L, class M>
constexpr abstract_tensor<T, L, M> allocate(detail::tensor_type<T, L>, abstract_mesh<M> const& m, shape const& extents) {
  return {m, extents};
}
template <class T, class L, class... Axes>
constexpr abstract_tensor<T, L, mesh<Axes...>> allocate(detail::tensor_type<T, L>, mesh<Axes...> const& m, shape const& extents) {
  return {m, extents};
}

namespace detail {
template <class L, int Given>
struct rank_differs {
  static constexpr bool value = L::rank != Given;
};
template <class L, int N>
constexpr shape checked_extents(index_t const (&n)[N]) {
  static_assert(!rank_differs<L, N>::value,
                "ashlar::make: the layout has another number of dimensions than the extents given; write one spec a dimension");
  shape s;
  s.rank = N;
  for (int d = 0; d < N; ++d) {
    if (n[d] < 0) fail("ashlar::make: an extent is 0 or more");
    s[d] = n[d];
  }
  return s;
}
}  // namespace detail

/// A tensor of global extents n: abstract from a mesh's value or an abstract mesh, uninitialised and real from a device_mesh.
/// Example: make<float, layout<"data", none>>(m, {128, 784})
template <class T, class L, class Handle, int N>
constexpr auto make(Handle const& m, index_t const (&n)[N]) {
  return allocate(detail::tensor_type<T, L>{}, m, detail::checked_extents<L>(n));
}
/// The same with extents in its type: a with_extents.
template <class T, class L, class Handle, index_t... N>
constexpr auto make(Handle const& m, static_extents<N...>) {
  static_assert(!detail::rank_differs<L, sizeof...(N)>::value,
                "ashlar::make: the layout has another number of dimensions than the extents given; write one spec a dimension");
  return detail::fix<static_extents<N...>>(allocate(detail::tensor_type<T, L>{}, m, static_extents<N...>::value));
}
/// A scalar.
template <class T, class L, class Handle>
constexpr auto make(Handle const& m) {
  static_assert(!detail::rank_differs<L, 0>::value, "ashlar::make: give the extents, one a dimension of the layout");
  return allocate(detail::tensor_type<T, L>{}, m, shape{});
}

namespace detail {

// Every collective passes here: one step of a plan on one tensor, or several in one message.
template <class Handle>
constexpr void note(Handle const& m, plan_step const& s, index_t bytes, call_site const& w) {
  if (m.recorder() && m.sizes().ranks(s.axes) > 1 && communicates(s.what))
    m.recorder()->log.add({collective_of(s.what), s.axes, bytes, m.recorder()->when, w.line(), w.file_name()});
}

}  // namespace detail

/// Evaluates an operation on abstract tensors: nothing to do.
template <class Op, class T, class L, class M, class... X>
constexpr void evaluate(Op const&, abstract_tensor<T, L, M>&, X const&...) {}

/// The collectives of a program, counted without running it: `program(m)` makes its tensors from the handle m by `make`
/// and calls collectives and operations on them. Answers in a constant expression, or at run time where sizes come then.
/// Error: of more than 128 collectives, a sentence from the compiler, or ashlar::error.
/// Example: static_assert(collectives(grid{{2, 4}}, forward).count(collective::all_reduce, "model") == 1)
template <class... Axes, class F>
constexpr ledger<mesh<Axes...>> collectives(mesh<Axes...> const& m, F&& program) {
  recorder<mesh<Axes...>, few_records> r;
  program(abstract_mesh<mesh<Axes...>>(m, &r));
  return r.log;
}

}  // namespace ashlar
