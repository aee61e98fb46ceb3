// What a message costs, for plans that take fewer of them.
#pragma once
#include "ashlar/mesh/mesh.hpp"

namespace ashlar {

/// What plans are to be made for, where messages count beside bytes: a message costs as much as `message_bytes` bytes (the
/// links' latency times their bandwidth), tensors have `tensor_bytes` bytes in all, and axes the sizes given; those of axes
/// that are static may be left out. A plan serves every tensor on every mesh of its type; other sizes make it dearer
/// than need be, never wrong. With no message_bytes, plans are of least bytes, whatever the sizes.
/// Example: 2 us at 10 GB/s: link_model{.message_bytes = 20'000, .tensor_bytes = 1 << 20, .sizes = grid{{16, 8}}.sizes()}
struct link_model {
  index_t message_bytes = 0, tensor_bytes = 0;
  mesh_shape sizes{};
};

/// The model by which redistribute, and all that is made of it, plans on a type of mesh; collectives that name what they do stay
/// one step. A program specialises it behind the mesh's type, before the first use, in all its source files alike.
/// Example: template <> inline constexpr link_model ashlar::links_of<grid>{.message_bytes = 20'000, .tensor_bytes = 1 << 20};
template <class Mesh>
inline constexpr link_model links_of{};

namespace detail {

template <class Mesh>
struct links_lack_a_size {
  static constexpr bool value = false;
};
template <class... Axes>
struct links_lack_a_size<mesh<Axes...>> {
  static constexpr link_model given = links_of<mesh<Axes...>>;
  static constexpr bool static_sizes = ((Axes::static_size != run_time_size) && ...);
  static constexpr bool value = given.message_bytes != 0 && (given.tensor_bytes < 1 || (given.sizes.axes == 0 && !static_sizes));
};

// A mesh's model, complete.
template <class Mesh>
constexpr link_model complete_links() {
  static_assert(!links_lack_a_size<Mesh>::value,
                "ashlar::links_of: a model of the links needs the bytes of a tensor, and sizes where they come at run time; state tensor_bytes and sizes");
  constexpr link_model given = links_of<Mesh>;
  if constexpr (given.message_bytes == 0 || links_lack_a_size<Mesh>::value)
    return {};
  else if constexpr (given.sizes.axes != 0)
    return {given.message_bytes, given.tensor_bytes, Mesh(given.sizes).sizes()};
  else
    return {given.message_bytes, given.tensor_bytes, Mesh{}.sizes()};
}

}  // namespace detail
}  // namespace ashlar
