#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid sizes{{2}};

// A mask assigned to a tensor of numbers.
namespace of_other_elements {
constexpr auto right = [] {
  auto x = make<float, layout<"data">>(sizes, {8});
  assign(x, cast<float>(x > 0.f));
  return x;
}();
// error: ashlar::assign: the value has another element type than the tensor; write cast<T>(value)
constexpr auto wrong = [] {
  auto x = make<float, layout<"data">>(sizes, {8});
  assign(x, x > 0.f);
  return x;
}();
}  // namespace of_other_elements

// A row added to a sharded tensor of a lower rank: the sum has more dimensions.
namespace of_other_layout {
constexpr auto matrix = make<float, layout<"data", none>>(sizes, {8, 4});
constexpr auto right = [] {
  auto row = make<float, layout<none>>(sizes, {4});
  auto x = matrix;
  x += row;
  return row;
}();
// error: ashlar::assign: the value has another layout than the tensor; redistribute it to the layout of the tensor
constexpr auto wrong = [] {
  auto row = make<float, layout<none>>(sizes, {4});
  row += matrix;
  return row;
}();
}  // namespace of_other_layout

// An update of a tensor that the function took as const.
namespace update_of_a_const_tensor {
constexpr auto right = [] {
  auto x = make<float, layout<"data">>(sizes, {8});
  [](auto& x) { x += 1.f; }(x);
  return x;
}();
// error: ashlar::assign: the tensor is const; take it by T&
constexpr auto wrong = [] {
  auto x = make<float, layout<"data">>(sizes, {8});
  [](auto const& x) { x += 1.f; }(x);
  return x;
}();
}  // namespace update_of_a_const_tensor

// An update in place after which the halo would hold old cells.
namespace update_of_a_filled_halo {
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
int right() {
  using H = layout<halo("y", 1), halo("x", 1)>;
  auto u = make<double, fresh<H>>(m, {8, 8});
  auto y = redistribute<H>(u);
  y += u;
}
// error: ashlar::assign: the update would leave old cells in a halo that is filled; write auto y = redistribute<H>(x), and update y
int wrong() {
  auto u = make<double, fresh<layout<halo("y", 1), halo("x", 1)>>>(m, {8, 8});
  u += u;
}
}  // namespace update_of_a_filled_halo

// A reduction of the old elements in place of a function of the new ones.
namespace a_tensor_for_a_function {
constexpr int right = [] {
  auto r = make<float, layout<"data">>(sizes, {8});
  (void)all_reduce(assign_and_reduce(r, 2.f * r, [](auto const& x) { return sum(x * x); }));
  return 0;
}();
// error: ashlar::assign_and_reduce: it takes a function of the new elements, not a tensor; write [](auto const& x) { return sum(x * x); }, and all_reduce of the result
constexpr int wrong = [] {
  auto r = make<float, layout<"data">>(sizes, {8});
  (void)assign_and_reduce(r, 2.f * r, all_reduce(sum(r * r)));
  return 0;
}();
}  // namespace a_tensor_for_a_function
