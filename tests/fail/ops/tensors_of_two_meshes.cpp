// Functions of tensors that live on different meshes.
// EXPECT: ashlar::concatenate: the operands live on different meshes; make all tensors of one program on one mesh
// EXPECT: ashlar::matmul_into: the operands live on different meshes; make all tensors of one program on one mesh
// EXPECT: ashlar::redistribute_into: the tensors live on different meshes; write y = redistribute<L>\(x, mesh\)
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

constexpr mesh<axis<"model">> other{{4}};
#ifdef ASHLAR_CONTROL
constexpr auto b = make<double, layout<none, "model">>(m, {8, 8});
#else
constexpr auto b = make<double, layout<none, "model">>(other, {8, 8});
#endif

constexpr auto program = [] {
  auto a = make<double, layout<none, "model">>(m, {8, 8});
  (void)concatenate<0>(a, b);
  auto c = make<double, layout<none, "model">>(m, {8, 8});
  matmul_into(c, 1., make<double, replicated<2>>(m, {8, 8}), b);
  redistribute_into(a, b);
};
