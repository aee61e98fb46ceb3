#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::planning;
using grid = mesh<axis<"data">, axis<"model">>;
using other_grid = mesh<axis<"model">, axis<"data">>;
template <>
inline constexpr link_model ashlar::planning::links_of<grid>{
    .message_bytes = 20'000, .tensor_bytes = 1 << 20, .sizes = grid{{16, 8}}.sizes()};
template <>
inline constexpr link_model ashlar::planning::links_of<other_grid>{.message_bytes = 20'000, .tensor_bytes = 1 << 20};

// A model of the links for a mesh whose sizes come at run time, and that states none.
namespace without_sizes {
constexpr auto right =
    redistribute<layout<none, none>>(make<float, layout<axes("data", "model"), none>>(grid{{2, 2}}, {8, 8}));
// error: ashlar::planning::links_of: a model of the links needs the bytes of a tensor, and sizes where they come at run time; state tensor_bytes and sizes
constexpr auto wrong =
    redistribute<layout<none, none>>(make<float, layout<axes("data", "model"), none>>(other_grid{{2, 2}}, {8, 8}));
}  // namespace without_sizes
