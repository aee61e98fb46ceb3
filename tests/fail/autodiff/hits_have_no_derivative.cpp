// The number of hits as a loss: it is constant wherever it has a derivative.
// EXPECT: ashlar::value_and_grad: the operation has no derivative with respect to this operand
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none>>(m, {6, 8});
constexpr auto labels = make<int, layout<"data">>(m, {6});

template <class F>
constexpr int differentiate(F f) {
  auto w = make<float, layout<none, none>>(m, {8, 4});
  (void)value_and_grad<"data">(f)(w);
  return 0;
}

#ifdef ASHLAR_CONTROL
constexpr int r = differentiate([](auto const& w) { return softmax_cross_entropy(einsum<"ij,jk->ik">(x, w), labels); });
#else
constexpr int r = differentiate([](auto const& w) { return accuracy_count(einsum<"ij,jk->ik">(x, w), labels); });
#endif
