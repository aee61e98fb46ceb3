#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

// argmax of a partial sum: no rank knows an element.
namespace of_a_partial {
constexpr auto x = make<float, partial<layout<none, none>, "x">>(m, {4, 6});
constexpr auto right = argmax<1>(all_reduce(x));
// error: ashlar::argmax: the tensor is partial over the axis, so no rank knows an element; all_reduce or reduce_scatter it first
constexpr auto wrong = argmax<1>(x);
}  // namespace of_a_partial

// argmax of elements without an order.
namespace of_complex_numbers {
struct number {
  float real, imaginary;
};
constexpr auto right = argmax<1>(make<float, layout<"x", none>>(m, {4, 6}));
// error: ashlar::argmax: elements of this type have no order; write argmax(abs(x)) or argmax(real(x))
constexpr auto wrong = argmax<1>(make<number, layout<"x", none>>(m, {4, 6}));
}  // namespace of_complex_numbers

// argmax over a dimension that the tensor lacks.
namespace of_no_such_dimension {
constexpr auto right = argmin<1>(x);
// error: ashlar::argmax: the tensor has no such dimension; they count from 0, or from -1 at the end
constexpr auto wrong = argmin<2>(x);
}  // namespace of_no_such_dimension

// The index of an argmax that no collective has reduced yet.
namespace index_of_a_partial_argmax {
constexpr auto best = argmax<0>(make<float, layout<"x", none>>(m, {4, 6}));
constexpr auto right = element_index(all_reduce(best));
// error: ashlar::elementwise: the function does not commute with the operand's reduction over the axis; all_reduce or reduce_scatter first
constexpr auto wrong = element_index(best);
}  // namespace index_of_a_partial_argmax

// The index of elements that are no results of argmax.
namespace index_of_no_argmax {
constexpr auto right = element_index(argmax<1>(x));
// error: ashlar::element_index: the elements are no pairs of value and index; write element_index(argmax(x))
constexpr auto wrong = element_index(x);
}  // namespace index_of_no_argmax
