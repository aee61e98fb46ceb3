// An invariant value under differentiation meets one that is sharded over the axis: the message says as_replicated.
// EXPECT: ashlar::value_and_grad: an operand under differentiation is invariant over an axis on which another varies; write as_replicated<axis>
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
template <class F>
constexpr int differentiate(F f) {
  auto w = make<float, layout<none, none>>(m, {8, 4});
  (void)value_and_grad<"data">(f)(w);
  return 0;
}
constexpr auto x = make<float, layout<"data", none>>(m, {6, 8});
constexpr auto v = make<float, layout<none, "model">>(m, {4, 4});
constexpr int r = differentiate(
    [](auto const& w) { return sum(einsum<"ij,jk->ik">(einsum<"ij,jk->ik">(x, as_replicated<"model">(w)), v)); });
#else
template <class F>
constexpr int differentiate(F f) {
  auto w = make<float, layout<none, none>>(m, {8, 4});
  (void)value_and_grad<"data">(f)(w);
  return 0;
}
constexpr auto x = make<float, layout<"data", none>>(m, {6, 8});
constexpr auto v = make<float, layout<none, "model">>(m, {4, 4});
constexpr int r = differentiate([](auto const& w) { return sum(einsum<"ij,jk->ik">(einsum<"ij,jk->ik">(x, w), v)); });
#endif
