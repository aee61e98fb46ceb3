#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// Functions of tensors that live on different meshes.
namespace tensors_of_two_meshes {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr mesh<axis<"model">> other{{4}};
namespace right {
constexpr auto b = make<double, layout<none, "model">>(m, {8, 8});
constexpr auto program = [] {
  auto a = make<double, layout<none, "model">>(m, {8, 8});
  (void)concatenate<0>(a, b);
  auto c = make<double, layout<none, "model">>(m, {8, 8});
  matmul_into(c, 1., make<double, replicated<2>>(m, {8, 8}), b);
  redistribute_into(a, b);
};
}  // namespace right
namespace wrong {
constexpr auto b = make<double, layout<none, "model">>(other, {8, 8});
constexpr auto program = [] {
  auto a = make<double, layout<none, "model">>(m, {8, 8});
  // error: ashlar::concatenate: the operands live on different meshes; make all tensors of one program on one mesh
  (void)concatenate<0>(a, b);
  auto c = make<double, layout<none, "model">>(m, {8, 8});
  // error: ashlar::matmul_into: the operands live on different meshes; make all tensors of one program on one mesh
  matmul_into(c, 1., make<double, replicated<2>>(m, {8, 8}), b);
  // error: ashlar::redistribute_into: the tensors live on different meshes; write y = redistribute<L>(x, mesh)
  redistribute_into(a, b);
};
}  // namespace wrong
}  // namespace tensors_of_two_meshes
