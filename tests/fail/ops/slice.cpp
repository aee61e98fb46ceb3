#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

// A slice whose layout is partial, of a tensor that is not.
namespace into_a_partial {
constexpr auto x = make<float, partial<layout<"x", none>, "y">>(m, {4, 6});
constexpr auto right = slice<partial<layout<none, "x">, "y">>(x, {0, 0}, {2, 3});
// error: ashlar::slice: the layout is partial otherwise than the tensor; write one that is partial as the tensor is, or all_reduce the tensor first
constexpr auto wrong = slice<layout<none, "x">>(x, {0, 0}, {2, 3});
}  // namespace into_a_partial

// A slice whose layout names an axis that the mesh lacks.
namespace into_an_unknown_axis {
constexpr auto right = slice<layout<none, "y">>(x, {0, 0}, {2, 3});
// error: ashlar::slice: the layout names an axis that the mesh does not have; use one of the mesh's axes
constexpr auto wrong = slice<layout<none, "z">>(x, {0, 0}, {2, 3});
}  // namespace into_an_unknown_axis

// A slice whose layout has another number of dimensions.
namespace into_another_rank {
constexpr auto right = slice<layout<none, "y">>(x, {0, 0}, {2, 3});
// error: ashlar::slice: the layout has another number of dimensions than the tensor; write one spec per dimension
constexpr auto wrong = slice<layout<none>>(x, {0, 0}, {2, 3});
}  // namespace into_another_rank

// A slice that begins at another number of indices than the tensor has.
namespace of_other_numbers {
constexpr auto right = slice(x, {0, 0}, {2, 3});
// error: ashlar::slice: give one number per dimension of the tensor, in each of the lists
constexpr auto wrong = slice(x, {0}, {2});
}  // namespace of_other_numbers
