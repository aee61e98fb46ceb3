// Redistribution between meshes of the same ranks.
#pragma once
#include "ashlar/plan/verbs.hpp"

namespace ashlar {

namespace detail {

// Which rank sends what: of several ranks that hold the same elements, the one that shares the receiver's position among
// them. So a rank that holds what it needs sends it to itself.
constexpr bool serves(layout_value const& from, mesh_shape const& mesh, int sender, int receiver) {
  axis_mask const copies = ((mask_of(mesh.axes) - 1u) & ~from.sharding());
  return mesh.position(sender, copies) == mesh.position(receiver, copies);
}

// Elements that the rank which lacks most of its new shard lacks.
constexpr index_t most_lacked(layout_value const& from, mesh_shape const& before, layout_value const& to, mesh_shape const& after, shape const& extents) {
  index_t most = 0;
  for (int r = 0; r < before.ranks(); ++r) {
    region const need = local_region(extents, to, after, r);
    index_t const lacked = need.size() - common_size(need, local_region(extents, from, before, r));
    if (most < lacked) most = lacked;
  }
  return most;
}

template <class From, class To>
struct pends_between_meshes {
  static constexpr bool value = reduction_pends<From>::value || reduction_pends<To>::value;
};

template <class From, class To, class ToMesh>
constexpr void check_between_meshes() {
  static_assert(!pends_between_meshes<From, To>::value,
                "ashlar::redistribute: a reduction pends over an axis of one mesh, which the other does not have; all_reduce or reduce_scatter it first");
  static_assert(!rank_differs<To, From::rank>::value,
                "ashlar::redistribute: the layout has another number of dimensions than the tensor; write one spec a dimension");
  static_assert(!axes_missing_from_mesh<ToMesh, To>::value,
                "ashlar::redistribute: the layout names an axis that the mesh does not have; use one of the mesh's axes");
}

}  // namespace detail

/// Brings an abstract tensor to another mesh of the same ranks. The exchange is noted on the mesh that it comes from.
/// Error: ashlar::error where the meshes have different numbers of ranks.
template <class To, class T, class L, class M, class... Axes>
[[nodiscard]] constexpr auto redistribute(abstract_tensor<T, L, M> const& x, mesh<Axes...> const& other, where w = where::current()) {
  using M2 = mesh<Axes...>;
  detail::check_between_meshes<L, To, M2>();
  mesh_shape const &before = x.mesh().sizes(), &after = other.sizes();
  if (before.ranks() != after.ranks()) detail::fail("ashlar::redistribute: the other mesh has as many ranks as the tensor's");
  constexpr layout_value from = value_v<mesh_context<M, L>, L>, to = value_v<mesh_context<M2, To>, To>;
  plan_step s;
  s.what = verb::exchange;
  s.axes = mask_of(before.axes) - 1u;
  detail::note(x.mesh(), s, detail::most_lacked(from, before, to, after, x.extents()) * static_cast<index_t>(sizeof(T)), w);
  return abstract_tensor<T, To, M2>(abstract_mesh<M2>(other), x.extents());
}

}  // namespace ashlar
