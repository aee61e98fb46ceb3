#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

// A dimension that the second tensor does not have.
namespace of_no_such_dimension {
constexpr auto right = expand<1>(make<float, layout<"data">>(m, {8}), make<float, layout<"data", "model">>(m, {8, 4}));
// error: ashlar::expand: name each dimension of the second tensor that the first one lacks, once; they count from 0, or from -1 at the end
constexpr auto wrong = expand<2>(make<float, layout<"data">>(m, {8}), make<float, layout<"data", "model">>(m, {8, 4}));
}  // namespace of_no_such_dimension

// A factor of each row that all ranks hold whole, where the rows are sharded.
namespace expand_sharded_otherwise {
constexpr auto right = expand<1>(make<float, layout<"data">>(m, {8}), make<float, layout<"data", "model">>(m, {8, 4}));
// error: ashlar::expand: the tensor is sharded otherwise than the dimensions of the second tensor that it has; redistribute it
constexpr auto wrong = expand<1>(make<float, layout<none>>(m, {8}), make<float, layout<"data", "model">>(m, {8, 4}));
}  // namespace expand_sharded_otherwise
