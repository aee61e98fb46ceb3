#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">>;
constexpr grid m{{2}};

// Redistribution into a tensor that is const.
namespace redistribute_into_a_const_tensor {
constexpr int right = [] {
  auto x = make<float, layout<"x", none>>(m, {4, 6});
  redistribute_into(x, make<float, layout<none, "x">>(m, {4, 6}));
  return 0;
}();
// error: ashlar::assign: the tensor is const; take it by T&
constexpr int wrong = [] {
  auto x = make<float, layout<"x", none>>(m, {4, 6});
  redistribute_into(std::as_const(x), make<float, layout<none, "x">>(m, {4, 6}));
  return 0;
}();
}  // namespace redistribute_into_a_const_tensor

// Redistribution into a tensor of another element type.
namespace redistribute_into_other_elements {
constexpr int right = [] {
  auto x = make<float, layout<"x", none>>(m, {4, 6});
  redistribute_into(x, make<float, layout<none, "x">>(m, {4, 6}));
  return 0;
}();
// error: ashlar::redistribute_into: the tensors have different element types; write cast<T>(x) for the second one
constexpr int wrong = [] {
  auto x = make<float, layout<"x", none>>(m, {4, 6});
  redistribute_into(x, make<double, layout<none, "x">>(m, {4, 6}));
  return 0;
}();
}  // namespace redistribute_into_other_elements

// Redistribution into a tensor of another number of dimensions.
namespace redistribute_into_other_rank {
constexpr int right = [] {
  auto x = make<float, layout<"x", none>>(m, {4, 6});
  redistribute_into(x, make<float, layout<none, "x">>(m, {4, 6}));
  return 0;
}();
// error: ashlar::redistribute_into: the tensors have different numbers of dimensions; give both the same number
constexpr int wrong = [] {
  auto x = make<float, layout<"x", none>>(m, {4, 6});
  redistribute_into(x, make<float, layout<"x">>(m, {4}));
  return 0;
}();
}  // namespace redistribute_into_other_rank
