#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;

// A variable keeps its layout, and the halo of the result of a stencil is not filled.
namespace assign_a_tensor_of_another_layout {
using line = mesh<axis<"x">>;
using field = layout<halo("x", 1)>;
template <class L>
using tensor_of = sharded_tensor<double, L, line>;
namespace right {
void columns(tensor_of<layout<none, "x">>& y, tensor_of<layout<"x", none>> const& x) {
  y = redistribute<layout<none, "x">>(x);
}
void step(tensor_of<fresh<field>>& u, tensor_of<field> const& v) { u = exchange_halo(v); }
}  // namespace right
namespace wrong {
// error: ashlar::sharded_tensor: a variable keeps its layout, mesh and element type, and the assigned tensor has others; write auto y = x, redistribute<L>(x), or cast<T>(x)
void columns(tensor_of<layout<none, "x">>& y, tensor_of<layout<"x", none>> const& x) { y = x; }
// error: ashlar::sharded_tensor: a variable keeps its layout and the state of its halo, and the assigned tensor has others; write auto v = exchange_halo(u) beside the variable, or exchange_halo(x) for a variable of fresh<H>
void step(tensor_of<fresh<field>>& u, tensor_of<field> const& v) { u = v; }
}  // namespace wrong
}  // namespace assign_a_tensor_of_another_layout

// A function of new elements that needs all of them before its reduction.
namespace assign_and_reduce_of_a_softmax {
auto right(sharded_tensor<float, layout<"data", none>, grid>& x) {
  assign(x, 2.f * x);
  return sum(softmax(x));
}
// error: ashlar::assign_and_reduce: the function reads the new elements in one reduction, such as sum(x * x), and in elementwise operations below it; do all else with the result
auto wrong(sharded_tensor<float, layout<"data", none>, grid>& x) {
  return assign_and_reduce(x, 2.f * x, [](auto const& next) { return sum(softmax(next)); });
}
}  // namespace assign_and_reduce_of_a_softmax

// A function of new elements that gives all of them.
namespace assign_and_reduce_of_no_reduction {
auto right(sharded_tensor<float, layout<"data">, grid>& x) {
  return assign_and_reduce(x, 2.f * x, [](auto const& next) { return sum(next * next); });
}
// error: ashlar::assign_and_reduce: the function gives one reduction of the new elements; return sum(x * x), or max(abs(x))
auto wrong(sharded_tensor<float, layout<"data">, grid>& x) {
  return assign_and_reduce(x, 2.f * x, [](auto const& next) { return next * next; });
}
}  // namespace assign_and_reduce_of_no_reduction

// A function of new elements that also communicates.
namespace assign_and_reduce_with_an_all_reduce_inside {
auto right(sharded_tensor<float, layout<"data">, grid>& x) {
  return all_reduce(assign_and_reduce(x, 2.f * x, [](auto const& next) { return sum(next * next); }));
}
// error: ashlar::assign_and_reduce: the function returns its reduction as it is; do all else, such as all_reduce, with the result
auto wrong(sharded_tensor<float, layout<"data">, grid>& x) {
  return assign_and_reduce(x, 2.f * x, [](auto const& next) { return all_reduce(sum(next * next)); });
}
}  // namespace assign_and_reduce_with_an_all_reduce_inside

// An update of an expression, which has no memory.
namespace of_an_expression {
void right(sharded_tensor<float, layout<"data">> const& x) {
  auto y = (2.f * x).evaluate();
  y += 1.f;
}
// error: ashlar::assign: an expression has no memory of its own; write auto x = (expression).evaluate(), then update x
void wrong(sharded_tensor<float, layout<"data">> const& x) {
  auto y = 2.f * x;
  y += 1.f;
}
}  // namespace of_an_expression

// An expression of other elements, or of another layout, assigned to a variable.
namespace assign_an_expression_of_another_type {
template <class T, class L>
using tensor_of = sharded_tensor<T, L, mesh<axis<"x">>>;
void right(tensor_of<double, layout<"x">>& x, tensor_of<float, layout<"x">> const& y) { x = cast<double>(y + 1.f); }
namespace wrong {
// error on each line: ashlar::sharded_tensor: a variable keeps its layout, mesh and element type, and the assigned tensor has others; write auto y = x, redistribute<L>(x), or cast<T>(x)
void elements(tensor_of<double, layout<"x">>& x, tensor_of<float, layout<"x">> const& y) { x = y + 1.f; }
void layouts(tensor_of<double, layout<"x">>& x, tensor_of<double, layout<none>> const& y) { x = y + 1.; }
}  // namespace wrong
}  // namespace assign_an_expression_of_another_type
