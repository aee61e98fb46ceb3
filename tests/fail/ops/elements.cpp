#include "ashlar/ops/ops.hpp"
#include <complex>

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

// Differences, quotients and negatives of bool, which NumPy has not either.
namespace arithmetic_of_masks {
constexpr auto x = make<int, layout<"data">>(m, {8});
constexpr auto mask = make<bool, layout<"data">>(m, {8});
constexpr auto right = x - x - x / x;
// error: ashlar::elementwise: elements of type bool have no difference; write cast<int>(x)
constexpr auto difference = mask - mask;
// error: ashlar::elementwise: elements of type bool have no negative; write cast<int>(x)
constexpr auto negative = -mask;
// error: ashlar::elementwise: elements of type bool have no quotient; write cast<double>(x)
constexpr auto quotient = mask / mask;
}  // namespace arithmetic_of_masks

// Functions of elements of the wrong type.
namespace elements_that_do_not_fit {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
struct pair {
  float first, second;
};
constexpr auto x = make<float, layout<"data">>(m, {8});
constexpr auto whole = make<float, replicated<1>>(m, {8});
namespace right {
using element = float;
constexpr auto program = [] {
  (void)where(x < 1.f, x, x);
  (void)element_value(argmax(whole));
  auto y = make<element, replicated<1>>(m, {8});
  redistribute_into(y, make<element, partial<replicated<1>, "data", op::max>>(m, {8}));
  (void)sort<0>(y);
  (void)full<float, replicated<1>>(m, {8}, 1.f);
};
}  // namespace right
namespace wrong {
using element = pair;
constexpr auto program = [] {
  // error: ashlar::where: the operands have different element types; write cast<T>(x) for one of them
  (void)where(x < 1.f, x, make<double, layout<"data">>(m, {8}));
  // error: ashlar::element_value: the elements are no pairs of value and index; write element_value(argmax(x))
  (void)element_value(whole);
  auto y = make<element, replicated<1>>(m, {8});
  // error: ashlar::redistribute_into: elements of this type cannot be combined by the layout's reduction; max and min need an order (<), sum and prod their operator
  redistribute_into(y, make<element, partial<replicated<1>, "data", op::max>>(m, {8}));
  // error: ashlar::sort: elements of this type have no order; sort their absolute values or their parts
  (void)sort<0>(y);
  // error: ashlar::full: the layout is partial, and each rank would hold the whole value; make the layout without it, then write as_partial<axis>
  (void)full<float, partial<replicated<1>, "data">>(m, {8}, 1.f);
};
}  // namespace wrong
}  // namespace elements_that_do_not_fit

// The imaginary part of a real tensor.
namespace imaginary_part_of_real_numbers {
constexpr auto right = imag(make<std::complex<double>, layout<"data">>(m, {8}));
// error: ashlar::imag: the elements are real, and have no imaginary part; write zeros_like(x)
constexpr auto wrong = imag(make<double, layout<"data">>(m, {8}));
}  // namespace imaginary_part_of_real_numbers

// Pairs of numbers, which nothing orders.
namespace order_of_complex_numbers {
struct pair {
  float first, second;
  friend constexpr bool operator==(pair const&, pair const&) = default;
};
constexpr auto x = make<pair, layout<"data">>(m, {8});
constexpr auto right = x == x;
// error: ashlar::elementwise: elements of this type have no order; compare by == or !=, or compare their parts or absolute values
constexpr auto wrong = x < x;
}  // namespace order_of_complex_numbers

// Operands of float and of double, in a dry run too.
namespace sum_of_two_element_types {
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto right = x + make<float, layout<"data", none>>(m, {8, 4});
// error: ashlar::elementwise: the operands have different element types; write cast<T>(x) for one of them
constexpr auto wrong = x + make<double, layout<"data", none>>(m, {8, 4});
}  // namespace sum_of_two_element_types

// A choice by numbers that are 0 or 1.
namespace where_of_no_mask {
constexpr auto x = make<int, layout<"data">>(m, {8});
constexpr auto right = where(x != 0, x, -x);
// error: ashlar::where: the elements of the mask are not of type bool; write a comparison, such as mask != 0
constexpr auto wrong = where(x, x, -x);
}  // namespace where_of_no_mask
