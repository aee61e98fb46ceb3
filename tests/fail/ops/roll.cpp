#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// Rolling along one of two axes that split a dimension: elements would leave for ranks along the other.
namespace of_a_dimension_of_two_axes {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<axes("data", "model"), none>>(m, {8, 4});
constexpr auto right = roll<axes("data", "model")>(x);
// error: ashlar::roll: no dimension is split by the axis alone, into neighbouring elements; name all axes of a dimension, and redistribute block-cyclic dimensions
constexpr auto wrong = roll<"model">(x);
}  // namespace of_a_dimension_of_two_axes

// Rolling where a dimension is block-cyclic: neighbours are on other ranks.
namespace of_block_cyclic_dimension {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto right = roll<"data">(make<float, layout<"data", none>>(m, {8, 4}));
// error: ashlar::roll: no dimension is split by the axis alone, into neighbouring elements; name all axes of a dimension, and redistribute block-cyclic dimensions
constexpr auto wrong = roll<"data">(make<float, layout<cyclic("data", 2), none>>(m, {8, 4}));
}  // namespace of_block_cyclic_dimension

// A shift along a dimension that the tensor lacks.
namespace shift_of_no_such_dimension {
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});
constexpr auto right = shift<1>(x, 2);
// error: ashlar::shift: the tensor has no such dimension; they count from 0
constexpr auto wrong = shift<2>(x, 2);
}  // namespace shift_of_no_such_dimension
