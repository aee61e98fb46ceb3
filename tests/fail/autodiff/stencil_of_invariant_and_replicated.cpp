// A stencil of two fields under differentiation: one is invariant over an axis, and the other is replicated over it.
// EXPECT: ashlar::value_and_grad: an operand under differentiation is invariant over an axis on which another varies; write as_replicated<axis>
// ONE ERROR
#include "ashlar/autodiff/autodiff.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto u = make<double, stale<layout<halo("y", 1)>>>(m, {8});
constexpr auto weight = make<double, partial<layout<"y">, "data">>(m, {8});

struct conduct {
  static constexpr auto reach = star(1);
  static constexpr linearity kind = linearity::multilinear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& v, auto const& k) const { return k(0) * (v(1) - v(-1)); }
};

constexpr auto loss = [](auto const& v) {
  auto const w = as_replicated<"data">(v);
#ifdef ASHLAR_CONTROL
  return all_reduce(sum(stencil(conduct{}, exchange_halo(w), w) * weight));
#else
  return all_reduce(sum(stencil(conduct{}, exchange_halo(w), v) * weight));
#endif
};
constexpr auto y = value_and_grad<none>(loss)(u);
