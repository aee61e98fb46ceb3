#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// Rolling where a dimension is block-cyclic: neighbours are on other ranks.
namespace of_block_cyclic_dimension {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto right = roll<0>(make<float, layout<"data", none>>(m, {8, 4}));
// error: ashlar::roll: the dimension is block-cyclic, and its neighbouring elements are on other ranks; redistribute it first
constexpr auto wrong = roll<0>(make<float, layout<cyclic("data", 2), none>>(m, {8, 4}));
}  // namespace of_block_cyclic_dimension

// A roll along a dimension that the tensor lacks.
namespace of_no_such_dimension {
constexpr mesh<axis<"x">, axis<"y">> m{{2, 2}};
constexpr auto x = make<float, layout<axes("x", "y"), none>>(m, {4, 6});
constexpr auto right = roll<-2>(x, 2);
// error: ashlar::roll: the tensor has no such dimension; they count from 0, or from -1 at the end
constexpr auto wrong = roll<-3>(x, 2);
}  // namespace of_no_such_dimension

// A shift along a dimension that the tensor lacks.
namespace shift_of_no_such_dimension {
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});
constexpr auto right = shift<1>(x, 2);
// error: ashlar::shift: the tensor has no such dimension; they count from 0, or from -1 at the end
constexpr auto wrong = shift<2>(x, 2);
}  // namespace shift_of_no_such_dimension
