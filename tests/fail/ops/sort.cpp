#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};

// A sort along a block-cyclic dimension.
namespace of_a_block_cyclic_dimension {
constexpr auto right = sort<0>(make<float, layout<"x", none>>(m, {4, 6}));
// error: ashlar::sort: the dimension is block-cyclic over the axis, so a rank's elements do not follow each other; redistribute it to an even split first
constexpr auto wrong = sort<0>(make<float, layout<cyclic("x", 2), none>>(m, {4, 6}));
}  // namespace of_a_block_cyclic_dimension

// A sort of a partial tensor along a dimension that another axis shards.
namespace of_a_partial {
constexpr auto right = sort<0>(make<float, layout<"x", none>>(m, {4, 6}));
// error: ashlar::sort: the tensor is partial over the axis, so no rank knows an element; all_reduce or reduce_scatter it first
constexpr auto wrong = sort<0>(make<float, partial<layout<"x", none>, "y">>(m, {4, 6}));
}  // namespace of_a_partial

// A sort along a dimension that the tensor lacks.
namespace of_no_such_dimension {
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});
constexpr auto right = sort<1>(x);
// error: ashlar::sort: the tensor has no such dimension; they count from 0, or from -1 at the end
constexpr auto wrong = sort<2>(x);
}  // namespace of_no_such_dimension

// The largest elements of a partial sum: no rank knows an element.
namespace top_k_of_a_partial {
constexpr auto x = make<float, partial<layout<none, none>, "y">>(m, {4, 6});
constexpr auto right = top_k<1>(all_reduce(x), 2);
// error: ashlar::sort: the tensor is partial over the axis, so no rank knows an element; all_reduce or reduce_scatter it first
constexpr auto wrong = top_k<1>(x, 2);
}  // namespace top_k_of_a_partial

// The largest elements of a block-cyclic dimension, whose parts are not in the order of their indices.
namespace top_k_of_block_cyclic_elements {
constexpr auto right = top_k<0>(make<float, layout<"x", none>>(m, {4, 6}), 2);
// error: ashlar::sort: the dimension is block-cyclic over the axis, so a rank's elements do not follow each other; redistribute it to an even split first
constexpr auto wrong = top_k<0>(make<float, layout<cyclic("x", 4), none>>(m, {4, 6}), 2);
}  // namespace top_k_of_block_cyclic_elements
