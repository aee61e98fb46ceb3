#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

// Elements of a partial maximum by an index.
namespace take_along_a_partial_maximum {
constexpr auto x = make<float, partial<layout<"x", none>, "y", op::max>>(m, {4, 6});
constexpr auto places = make<int, layout<"x", none>>(m, {4, 6});
constexpr auto right = take_along<1>(all_reduce(x), places);
// error: ashlar::take_along: the index is partial, or the tensor by another reduction than the sum; all_reduce it first
constexpr auto wrong = take_along<1>(x, places);
}  // namespace take_along_a_partial_maximum

// Elements by an index along a dimension that an axis shards.
namespace take_along_a_sharded_dimension {
constexpr auto right = take_along<1>(x, cast<int>(x));
// error: ashlar::take_along: the axis shards the dimension along which elements are taken; all_gather it, or all_to_all the axis to another dimension
constexpr auto wrong = take_along<0>(x, cast<int>(x));
}  // namespace take_along_a_sharded_dimension

// An index that is sharded otherwise than the tensor.
namespace take_along_an_index_sharded_otherwise {
constexpr auto right = take_along<1>(x, make<int, layout<"x", none>>(m, {4, 6}));
// error: ashlar::take_along: the axis shards the index otherwise than the tensor; redistribute one of them
constexpr auto wrong = take_along<1>(x, make<int, layout<"y", none>>(m, {4, 6}));
}  // namespace take_along_an_index_sharded_otherwise

// An index of real numbers.
namespace of_no_integers {
constexpr auto right = take_along<1>(x, cast<int>(x));
// error: ashlar::take_along: the elements of the index are no integers; write cast<int>(index)
constexpr auto wrong = take_along<1>(x, x);
}  // namespace of_no_integers

// An index of another number of dimensions.
namespace of_other_rank {
constexpr auto right = take_along<1>(x, cast<int>(x));
// error: ashlar::take_along: the index has another number of dimensions than the tensor; expand it
constexpr auto wrong = take_along<1>(x, make<int, layout<"x">>(m, {4}));
}  // namespace of_other_rank
