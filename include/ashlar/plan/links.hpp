// SPDX-License-Identifier: BSL-1.0
// A cost model of messages, for plans with fewer messages.
#pragma once
#include "ashlar/mesh/mesh.hpp"

namespace ashlar::planning {

/// The cost model for plans if messages count as well as bytes. A message costs as much as `message_bytes` bytes
/// (latency of the links times their bandwidth). `tensor_bytes` are the bytes of a whole tensor. `sizes` are the sizes
/// of the axes, and may be left out if all axes are static. A plan serves every tensor on every mesh of its type: with
/// other sizes it may cost more than necessary, but it is never wrong. If message_bytes is 0, plans have least bytes,
/// whatever the sizes. `operations_per_byte` are the operations on doubles that a rank performs while it receives a byte.
/// Products of tensors weigh their work by it. The default suits a core with 80 GFLOP/s that receives 5 GB/s.
/// Example: 2 us at 10 GB/s:
/// link_model{.message_bytes = 20'000, .tensor_bytes = 1 << 20, .sizes = grid{{16, 8}}.sizes()}
struct link_model {
  index_t message_bytes = 0, tensor_bytes = 0;
  mesh_shape sizes{};
  double operations_per_byte = 16;
};

/// The cost model by which redistribute, and all functions that call it, plan on a type of mesh. A collective with a
/// name of its own (all_gather, reduce_scatter, ...) stays one step. A program specialises it after the mesh's type and
/// before the first use, in all its source files alike.
/// Example: template <>
/// inline constexpr link_model ashlar::planning::links_of<grid>{.message_bytes = 20'000, .tensor_bytes = 1 << 20};
template <class Mesh>
inline constexpr link_model links_of{};

}  // namespace ashlar::planning

namespace ashlar::plan_detail {

template <class Mesh>
inline constexpr bool links_lack_a_size = false;
template <class... Axes>
inline constexpr bool links_lack_a_size<mesh<Axes...>> = [] {
  constexpr link_model given = links_of<mesh<Axes...>>;
  constexpr bool static_sizes = ((Axes::static_size != run_time_size) && ...);
  return given.message_bytes != 0 && (given.tensor_bytes < 1 || (given.sizes.axes == 0 && !static_sizes));
}();

// The model of a mesh, with all sizes.
template <class Mesh>
constexpr link_model complete_links() {
  static_assert(
      !links_lack_a_size<Mesh>,
      "ashlar::planning::links_of: a model of the links needs the bytes of a tensor, and sizes where they come at run time; state tensor_bytes and sizes");
  constexpr link_model given = links_of<Mesh>;
  if constexpr (given.message_bytes == 0 || links_lack_a_size<Mesh>)
    return {.operations_per_byte = given.operations_per_byte};
  else if constexpr (given.sizes.axes != 0)
    return {given.message_bytes, given.tensor_bytes, Mesh(given.sizes).sizes(), given.operations_per_byte};
  else
    return {given.message_bytes, given.tensor_bytes, Mesh{}.sizes(), given.operations_per_byte};
}

}  // namespace ashlar::plan_detail
