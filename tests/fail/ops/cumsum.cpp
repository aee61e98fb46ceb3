#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};

// Sums along a block-cyclic dimension: a rank has no elements that follow each other.
namespace of_a_block_cyclic_dimension {
constexpr auto x = make<float, layout<cyclic("x", 2), none>>(m, {4, 6});
constexpr auto right = cumsum<1>(x);
// error: ashlar::cumsum: the dimension is block-cyclic over the axis, so a rank's elements do not follow each other; redistribute it to an even split first
constexpr auto wrong = cumsum<0>(x);
}  // namespace of_a_block_cyclic_dimension

// Sums of the terms of a maximum.
namespace of_a_partial_maximum {
constexpr auto x = make<float, partial<layout<"x", none>, "y", op::max>>(m, {4, 6});
constexpr auto right = cumsum<0>(all_reduce(x));
// error: ashlar::cumsum: the tensor is partial over the axis by another reduction than the sum; all_reduce it first
constexpr auto wrong = cumsum<0>(x);
}  // namespace of_a_partial_maximum

// Running sums of elements without an operator +.
namespace of_elements_without_a_sum {
struct pair {
  float first, second;
};
constexpr auto right = cumsum<0>(make<float, layout<"x", none>>(m, {4, 6}));
// error: ashlar::cumsum: elements of this type have no sum; give the type an operator +
constexpr auto wrong = cumsum<0>(make<pair, layout<"x", none>>(m, {4, 6}));
}  // namespace of_elements_without_a_sum

// Sums along a dimension that the tensor lacks.
namespace of_no_such_dimension {
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});
constexpr auto right = cumsum<1>(x);
// error: ashlar::cumsum: the tensor has no such dimension; they count from 0, or from -1 at the end
constexpr auto wrong = cumsum<2>(x);
}  // namespace of_no_such_dimension
