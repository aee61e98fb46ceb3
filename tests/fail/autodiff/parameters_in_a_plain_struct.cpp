// A struct of parameters with names, whose members have fixed types. The gradients would need another struct.
// EXPECT: ashlar::value_and_grad: a parameter is no tensor; a struct of tensors has a type parameter and a name for each: template .* struct affine
// ONE ERROR
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
using matrix = decltype(make<float, layout<none, none>>(m, {8, 4}));
using vector = decltype(make<float, layout<none>>(m, {4}));

#ifdef ASHLAR_CONTROL
template <class Kernel, class Bias>
struct dense {
  Kernel kernel;
  Bias bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
using parameters = dense<matrix, vector>;
#else
struct parameters {
  matrix kernel;
  vector bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
#endif
constexpr auto loss = [](auto const& p, auto const& x) { return sum(einsum<"bi,ih->bh">(x, p.kernel) + p.bias); };
constexpr int f() {
  parameters const p{make<float, layout<none, none>>(m, {8, 4}), make<float, layout<none>>(m, {4})};
  auto [value, gradients] = value_and_grad<"data">(loss)(p, make<float, layout<"data", none>>(m, {6, 8}));
  return 0;
}
constexpr int r = f();
