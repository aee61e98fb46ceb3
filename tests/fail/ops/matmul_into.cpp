#include "ashlar/ops/ops.hpp"
#include <complex>

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};

// A complex product is not added to a real tensor. A real operand is, times a complex one, to a complex tensor.
namespace matmul_into_a_real_tensor_of_complex_operands {
constexpr auto right = [] {
  auto const a = make<double, layout<"p", "q">>(m, {8, 4});
  auto const b = make<std::complex<double>, layout<"p", "q">>(m, {4, 6});
  auto c = make<std::complex<double>, layout<"p", "q">>(m, {8, 6});
  matmul_into(c, 1., a, b);
  return c;
}();
// error: ashlar::matmul_into: an operand has another element type than the tensor; write cast<T>(x) for it
constexpr auto wrong = [] {
  auto const a = make<double, layout<"p", "q">>(m, {8, 4});
  auto const b = make<std::complex<double>, layout<"p", "q">>(m, {4, 6});
  auto c = make<double, layout<"p", "q">>(m, {8, 6});
  matmul_into(c, 1., a, b);
  return c;
}();
}  // namespace matmul_into_a_real_tensor_of_complex_operands

// The operands have the element type of the tensor.
namespace matmul_into_a_tensor_of_other_elements {
constexpr auto right = [] {
  auto const a = make<double, layout<"p", "q">>(m, {8, 4});
  auto const b = make<double, layout<"p", "q">>(m, {4, 6});
  auto c = make<double, layout<"p", "q">>(m, {8, 6});
  matmul_into(c, 1., a, cast<double>(cast<float>(b)));
  return c;
}();
// error: ashlar::matmul_into: an operand has another element type than the tensor; write cast<T>(x) for it
constexpr auto wrong = [] {
  auto const a = make<double, layout<"p", "q">>(m, {8, 4});
  auto const b = make<double, layout<"p", "q">>(m, {4, 6});
  auto c = make<double, layout<"p", "q">>(m, {8, 6});
  matmul_into(c, 1., a, cast<float>(b));
  return c;
}();
}  // namespace matmul_into_a_tensor_of_other_elements

// The tensor has the dimensions of the product.
namespace matmul_into_a_tensor_of_other_rank {
constexpr auto right = [] {
  auto const a = make<double, layout<"p", "q">>(m, {8, 4});
  auto const b = make<double, layout<"p", "q">>(m, {4, 6});
  auto c = make<double, layout<"p", "q">>(m, {8, 6});
  matmul_into(c, 1., a, b);
  return c;
}();
// error: ashlar::matmul_into: the product has another number of dimensions than the tensor; make the tensor with the extents of the product
constexpr auto wrong = [] {
  auto const a = make<double, layout<"p", "q">>(m, {8, 4});
  auto const b = make<double, layout<"p", "q">>(m, {4, 6});
  auto c = make<double, layout<"p", "q">>(m, {8, 6});
  matmul_into(c, 1., a, make<double, layout<"q">>(m, {4}));
  return c;
}();
}  // namespace matmul_into_a_tensor_of_other_rank

// The operands are matrices, or batches of matrices.
namespace of_other_ranks {
constexpr auto right = [] {
  auto const a = make<double, layout<"p", "q">>(m, {8, 4});
  auto const b = make<double, layout<"p", "q">>(m, {4, 6});
  auto c = make<double, layout<"p", "q">>(m, {8, 6});
  matmul_into(c, 1., a, b);
  return c;
}();
// error: ashlar::matmul_into: the operands have other numbers of dimensions than two matrices, or batches of them, or a matrix and a vector; write c += alpha * einsum<E>(a, b, to_layout<L>)
constexpr auto wrong = [] {
  auto const a = make<double, layout<"p", "q">>(m, {8, 4});
  auto const b = make<double, layout<"p", "q">>(m, {4, 6});
  auto c = make<double, layout<"p", "q">>(m, {8, 6});
  matmul_into(c, 1., a, make<double, layout<>>(m, {}));
  return c;
}();
}  // namespace of_other_ranks
