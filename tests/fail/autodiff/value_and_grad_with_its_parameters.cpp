// A derivative that is given its parameters beside the function.
// EXPECT: ashlar::value_and_grad: it takes the function alone and gives a function; write value_and_grad<.*>\(f\)\(parameters\)
// ONE ERROR
#include "ashlar/autodiff/autodiff.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr abstract_mesh<grid> m(grid{{2}});
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto w = make<float, layout<none, none>>(m, {4, 6});
constexpr auto loss = [](auto const& p, auto const& in) { return sum(einsum<"bi,ij->bj">(in, p)); };

#ifdef ASHLAR_CONTROL
constexpr auto g = [] {
  auto const [value, gradient] = value_and_grad<"data">(loss)(w, x);
  return all_reduce<"data">(gradient);
}();
#else
constexpr auto g = [] {
  auto const [value, gradient] = value_and_grad<"data">(loss, w, x);
  return value + gradient;
}();
#endif
