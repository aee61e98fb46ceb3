// A derivative of which no axis says over what the loss is summed.
// EXPECT: ashlar::value_and_grad: name the axis over which the loss is summed
// ONE ERROR
#include "ashlar/autodiff/autodiff.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto w = make<float, layout<none, "model">>(m, {4, 6});
constexpr auto v = make<float, layout<"model", none>>(m, {6, 2});

#ifdef ASHLAR_CONTROL
constexpr auto g = [] {
  return value_and_grad<"data">([](auto const& p) {
    auto const h = einsum<"bi,ih->bh">(x, std::get<0>(p));
    auto const y = all_reduce<"model">(einsum<"bh,ho->bo">(h, std::get<1>(p)));
    return sum(relu(y));
  })(std::tuple(w, v));
}();
#else
constexpr auto g = [] {
  return value_and_grad([](auto const& p) {
    auto const h = einsum<"bi,ih->bh">(x, std::get<0>(p));
    auto const y = all_reduce<"model">(einsum<"bh,ho->bo">(h, std::get<1>(p)));
    return sum(relu(y));
  })(std::tuple(w, v));
}();
#endif
