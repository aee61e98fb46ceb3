#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

// Dimensions joined of which the first is block-cyclic.
namespace of_a_block_cyclic_dimension {
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto right = flatten<0, 1>(make<float, layout<"p", none>>(m, {8, 4}));
// error: ashlar::flatten: a dimension that is joined or cut is block-cyclic over the axis, and its neighbours are on other ranks; redistribute to an even split first
constexpr auto wrong = flatten<0, 1>(make<float, layout<cyclic("p", 2), none>>(m, {8, 4}));
}  // namespace of_a_block_cyclic_dimension

// Dimensions joined of which the second is sharded.
namespace of_a_sharded_minor_dimension {
constexpr auto right = flatten<0, 1>(make<float, layout<"data", none>>(m, {8, 4}));
// error: ashlar::flatten: the axis shards a dimension that is not the first of those joined, whose parts would be apart; redistribute it to the first
constexpr auto wrong = flatten<0, 1>(make<float, layout<none, "data">>(m, {8, 4}));
}  // namespace of_a_sharded_minor_dimension

// The third dimension of a matrix.
namespace of_no_such_dimensions {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
static_assert(flatten(make<float, layout<"data">>(m, {8})).extents() == shape::of(8));
constexpr auto right = flatten<0, 1>(x);
// error: ashlar::flatten: the tensor has no such dimensions, from the first to the last; they count from 0, or from -1 at the end
constexpr auto wrong = flatten<0, 2>(x);
}  // namespace of_no_such_dimensions

// A joined dimension whose first part does not divide by its ranks.
namespace piece_not_divisible {
constexpr auto right = flatten<0, 1>(make<float, layout<"data", none>>(m, {8, 4}));
// error: ashlar::flatten: the first of the dimensions joined (or made by a cut) divides by the ranks that shard it; pad it, or gather it first
constexpr auto wrong = flatten<0, 1>(make<float, layout<"data", none>>(m, {7, 4}));
}  // namespace piece_not_divisible

// The third dimension of a matrix, cut in two.
namespace unflatten_of_no_such_dimension {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = unflatten<1>(x, {2, 2});
// error: ashlar::unflatten: the tensor has no such dimension; they count from 0, or from -1 at the end
constexpr auto wrong = unflatten<2>(x, {2, 2});
}  // namespace unflatten_of_no_such_dimension
