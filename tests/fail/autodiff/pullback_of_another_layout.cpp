// A derivative of the program's own that gives a cotangent of another layout than the operand's.
// EXPECT: ashlar::value_and_grad: the pullback gives a cotangent of another layout than the operand's dual; see docs/explanation/rules\.md
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none>>(m, {6, 8});

struct doubled : user_operation<"ik->ik", "", linearity::linear> {
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const&) {
#ifdef ASHLAR_CONTROL
    return apply(doubled{}, ct);
#else
    return apply(doubled{}, redistribute<layout<none, "data">>(ct));
#endif
  }
};

template <class F>
constexpr int differentiate(F f) {
  auto w = make<float, layout<none, none>>(m, {8, 4});
  (void)value_and_grad<"data">(f)(w);
  return 0;
}
constexpr int r = differentiate([](auto const& w) { return sum(apply(doubled{}, einsum<"ij,jk->ik">(x, w))); });
