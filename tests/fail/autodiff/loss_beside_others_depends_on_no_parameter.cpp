// A loss that no parameter leads to, beside another result.
// EXPECT: ashlar::value_and_grad: the loss depends on no parameter; return what the parameters lead to
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
constexpr int r = differentiate([](auto const& w) {
  auto const y = einsum<"ij,jk->ik">(x, w);
  return build<with_aux>(sum(y), y);
});
#else
constexpr int r = differentiate([](auto const& w) { return build<with_aux>(sum(x), einsum<"ij,jk->ik">(x, w)); });
#endif
