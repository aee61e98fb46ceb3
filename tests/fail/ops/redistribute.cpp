#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});

// A matrix taken to another mesh in a layout of vectors.
namespace between_meshes_of_other_rank {
constexpr mesh<axis<"z">> line{{4}};
constexpr mesh<axis<"x">, axis<"y">> grid{{2, 2}};
constexpr auto right = redistribute<layout<"x", none>>(make<float, layout<"z", none>>(line, {8, 8}), grid);
// error: ashlar::redistribute: the layout has another number of dimensions than the tensor; write one spec per dimension
constexpr auto wrong = redistribute<layout<"x">>(make<float, layout<"z", none>>(line, {8, 8}), grid);
}  // namespace between_meshes_of_other_rank

// The target of a redistribution as an axis.
namespace to_an_axis {
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = redistribute<layout<none, "data">>(x);
// error: ashlar::redistribute: name the layout of the result; write redistribute<layout<...>>(x)
constexpr auto wrong = redistribute<"data">(x);
}  // namespace to_an_axis

// A redistribution to a halo of sums.
namespace to_halo_sums {
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto x = make<double, layout<"x", none>>(m, {8, 8});
constexpr auto right = redistribute<fresh<field>>(x);
// error: ashlar::redistribute: a halo holds sums; write add_halo(x) first, and H as the result's layout
constexpr auto wrong = redistribute<halo_sums<field>>(x);
}  // namespace to_halo_sums

// redistribute into a layout of another number of dimensions.
namespace to_other_rank {
constexpr auto right = redistribute<layout<none, "data">>(p);
// error: ashlar::redistribute: the layout has another number of dimensions than the tensor; write one spec per dimension
constexpr auto wrong = redistribute<layout<"data">>(p);
}  // namespace to_other_rank

// redistribute into a layout with an axis that the mesh does not have.
namespace to_unknown_axis {
constexpr auto right = redistribute<layout<none, "data">>(p);
// error: ashlar::redistribute: the layout names an axis that the mesh does not have; use one of the mesh's axes
constexpr auto wrong = redistribute<layout<none, "rows">>(p);
}  // namespace to_unknown_axis

// A redistribution that leaves its target open.
namespace without_a_layout {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = redistribute<layout<none, "data">>(x);
// error: ashlar::redistribute: name the layout of the result; write redistribute<layout<...>>(x)
constexpr auto wrong = redistribute(x);
}  // namespace without_a_layout

// A partial maximum of pairs, which nothing orders.
namespace reduction_of_elements_without_an_order {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
struct pair {
  float first, second;
};
constexpr auto right = all_reduce<"data">(make<float, partial<layout<none>, "data", op::max>>(m, {8}));
// error: ashlar::redistribute: elements of this type cannot be combined by the layout's reduction; max and min need an order (<), sum and prod their operator, a reduction of your own a combine that takes them
constexpr auto wrong = all_reduce<"data">(make<pair, partial<layout<none>, "data", op::max>>(m, {8}));
}  // namespace reduction_of_elements_without_an_order
