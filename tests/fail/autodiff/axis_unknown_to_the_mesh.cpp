// Differentiation over an axis that the mesh does not have.
// EXPECT: ashlar::value_and_grad: the mesh has no axis of this name
// ONE ERROR
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none>>(m, {6, 8});
constexpr int f() {
  (void)value_and_grad<"data">([](auto const& w) { return sum(einsum<"ij,jk->ik">(x, w)); })(
      make<float, layout<none, none>>(m, {8, 4}));
  return 0;
}
constexpr int r = f();
#else
constexpr auto x = make<float, layout<"data", none>>(m, {6, 8});
constexpr int f() {
  (void)value_and_grad<"batch">([](auto const& w) { return sum(einsum<"ij,jk->ik">(x, w)); })(
      make<float, layout<none, none>>(m, {8, 4}));
  return 0;
}
constexpr int r = f();
#endif
