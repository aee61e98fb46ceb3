// A model of the links for a mesh whose sizes come at run time, and that states none.
// CONTROL ALONE: it specializes a template of ashlar.
// EXPECT: ashlar::links_of: a model of the links needs the bytes of a tensor, and sizes where they come at run time
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
template <>
inline constexpr link_model ashlar::links_of<grid>{
    .message_bytes = 20'000, .tensor_bytes = 1 << 20, .sizes = grid{{16, 8}}.sizes()};
#else
template <>
inline constexpr link_model ashlar::links_of<grid>{.message_bytes = 20'000, .tensor_bytes = 1 << 20};
#endif

constexpr auto x =
    redistribute<layout<none, none>>(make<float, layout<axes("data", "model"), none>>(grid{{2, 2}}, {8, 8}));
