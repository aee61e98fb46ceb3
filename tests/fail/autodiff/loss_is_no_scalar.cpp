// A function that returns a matrix.
// EXPECT: ashlar::value_and_grad: the function returns a scalar; take the mean or the sum
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
constexpr int r = differentiate([](auto const& w) { return sum(einsum<"ij,jk->ik">(x, w)); });
#else
template <class F>
constexpr int differentiate(F f) {
  auto w = make<float, layout<none, none>>(m, {8, 4});
  (void)value_and_grad<"data">(f)(w);
  return 0;
}
constexpr auto x = make<float, layout<"data", none>>(m, {6, 8});
constexpr int r = differentiate([](auto const& w) { return einsum<"ij,jk->ik">(x, w); });
#endif
