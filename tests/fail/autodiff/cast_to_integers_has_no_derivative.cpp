// Numbers rounded to integers under differentiation: constant wherever they have a derivative.
// EXPECT: ashlar::value_and_grad: the operation has no derivative with respect to this operand
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none>>(m, {6, 8});

template <class F>
constexpr int differentiate(F f) {
  auto w = make<float, layout<none, none>>(m, {8, 4});
  (void)value_and_grad<"data">(f)(w);
  return 0;
}

#ifdef ASHLAR_CONTROL
constexpr int r = differentiate([](auto const& w) { return sum(cast<double>(einsum<"ij,jk->ik">(x, w))); });
#else
constexpr int r = differentiate([](auto const& w) { return sum(cast<int>(einsum<"ij,jk->ik">(x, w))); });
#endif
