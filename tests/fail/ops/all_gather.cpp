#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// A gather that names the dimension, as libraries for arrays without layouts do.
namespace of_a_dimension {
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = all_gather<"data", gathered::invariant>(x);
// error: ashlar::all_gather: the layout says which dimension the axis shards; write all_gather<"axis">(x)
constexpr auto wrong = all_gather<"data", 0>(x);
}  // namespace of_a_dimension

// A collective on a tensor with a halo.
namespace of_a_halo {
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, field>(m, {8, 8});
constexpr auto right = all_gather<"x">(owned(u));
// error: ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells
constexpr auto wrong = all_gather<"x">(u);
}  // namespace of_a_halo

// all_gather of the axis that splits a dimension first.
namespace of_a_major_axis {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<axes("data", "model")>>(m, {8});
constexpr auto right = all_gather<"model">(x);
// error: ashlar::all_gather: no dimension is split last by the axis; name the minor-most axis of a dimension (all its block-cyclic axes), or redistribute
constexpr auto wrong = all_gather<"data">(x);
}  // namespace of_a_major_axis

// all_gather of the minor one of two axes over which a dimension is block-cyclic.
namespace of_one_of_two_block_cyclic_axes {
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<cyclic(axes("p", "q"), 2)>>(m, {8});
constexpr auto right = all_gather<axes("p", "q")>(x);
// error: ashlar::all_gather: no dimension is split last by the axis; name the minor-most axis of a dimension (all its block-cyclic axes), or redistribute
constexpr auto wrong = all_gather<"q">(x);
}  // namespace of_one_of_two_block_cyclic_axes

// A gather that leaves its axes open.
namespace without_an_axis {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = all_gather<"data">(x);
// error: ashlar::all_gather: name the axes whose shards are gathered; write all_gather<"axis">(x)
constexpr auto wrong = all_gather(x);
}  // namespace without_an_axis

// all_gather of terms of sums.
namespace of_a_partial {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto s = sum<0>(make<float, layout<"data", none>>(m, {8, 4}));
constexpr auto right = all_reduce<"data">(s);
// error: ashlar::all_gather: the tensor is partial over the axis, so each rank has a term of sums and no part of a dimension; write all_reduce<axis>(x)
constexpr auto wrong = all_gather<"data">(s);
}  // namespace of_a_partial
