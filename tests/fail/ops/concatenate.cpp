#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

// A partial sum beside a tensor that is none.
namespace of_a_partial {
constexpr auto right = concatenate<0>(x, make<float, layout<none, "y">>(m, {4, 6}));
// error: ashlar::concatenate: one operand is partial over an axis and another is not; all_reduce the first, or write as_partial<axis>(other)
constexpr auto wrong = concatenate<0>(x, make<float, partial<layout<"x", none>, "y">>(m, {4, 6}));
}  // namespace of_a_partial

// A matrix and a vector in one tensor.
namespace of_other_rank {
constexpr auto right = concatenate<0>(x, x);
// error: ashlar::concatenate: the operands have different numbers of dimensions; unflatten one of them
constexpr auto wrong = concatenate<0>(x, make<float, layout<"x">>(m, {4}));
}  // namespace of_other_rank

// Tensors of two element types in one.
namespace of_two_element_types {
constexpr auto right = concatenate<0>(x, x);
// error: ashlar::concatenate: the operands have different element types; write cast<T>(x) for one of them
constexpr auto wrong = concatenate<0>(x, make<double, layout<"x", none>>(m, {4, 6}));
}  // namespace of_two_element_types

// A vector as a box of a matrix.
namespace paste_of_other_rank {
constexpr auto right = paste(x, {0, 0}, slice(x, {0, 0}, {2, 2}));
// error: ashlar::concatenate: the operands have different numbers of dimensions; unflatten one of them
constexpr auto wrong = paste(x, {0, 0}, make<float, layout<none>>(m, {4}));
}  // namespace paste_of_other_rank
