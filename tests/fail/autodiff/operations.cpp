#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto w = make<float, layout<none, "model">>(m, {4, 6});
constexpr auto v = make<float, layout<"model", none>>(m, {6, 2});

// A collective over an axis that the mesh does not have, under differentiation.
namespace all_reduce_over_a_wrong_axis {
constexpr auto right = [] {
  return value_and_grad<"data">([](auto const& p) {
    auto const h = einsum<"bi,ih->bh">(x, std::get<0>(p));
    auto const y = all_reduce<"model">(einsum<"bh,ho->bo">(h, std::get<1>(p)));
    return sum(relu(y));
  })(std::tuple(w, v));
}();
// error: ashlar::all_reduce: the mesh has no axis of this name; name one of its axes
constexpr auto wrong = [] {
  return value_and_grad<"data">([](auto const& p) {
    auto const h = einsum<"bi,ih->bh">(x, std::get<0>(p));
    auto const y = all_reduce<"modle">(einsum<"bh,ho->bo">(h, std::get<1>(p)));
    return sum(relu(y));
  })(std::tuple(w, v));
}();
}  // namespace all_reduce_over_a_wrong_axis

// A nonlinear function of a tensor that is still partial, under differentiation.
namespace forgotten_all_reduce {
constexpr auto right = [] {
  return value_and_grad<"data">([](auto const& p) {
    auto const h = einsum<"bi,ih->bh">(x, std::get<0>(p));
    auto const y = all_reduce<"model">(einsum<"bh,ho->bo">(h, std::get<1>(p)));
    return sum(relu(y));
  })(std::tuple(w, v));
}();
// error: ashlar::elementwise: the function does not commute with the operand's reduction over the axis; all_reduce or reduce_scatter first
constexpr auto wrong = [] {
  return value_and_grad<"data">([](auto const& p) {
    auto const h = einsum<"bi,ih->bh">(x, std::get<0>(p));
    auto const y = einsum<"bh,ho->bo">(h, std::get<1>(p));
    return sum(relu(y));
  })(std::tuple(w, v));
}();
}  // namespace forgotten_all_reduce

// A function of a maximum that is still partial: its derivative at the maximum is known on no rank alone.
namespace function_of_a_partial_maximum {
constexpr grid m{{2, 2}};
template <class F>
constexpr int differentiate(F f) {
  auto w = make<float, layout<none, "model">>(m, {8, 4});
  (void)value_and_grad<"data">(f)(w);
  return 0;
}
constexpr int right = differentiate([](auto const& w) {
  return sum(all_gather<"data", invariant>(redistribute<layout<"data">>(exp(all_reduce<"model">(max<1>(w))))));
});
// error: ashlar::elementwise: the function does not commute with the operand's reduction over the axis; all_reduce or reduce_scatter first
constexpr int wrong = differentiate([](auto const& w) {
  return sum(all_gather<"data", invariant>(redistribute<layout<"data">>(all_reduce<"model">(exp(max<1>(w))))));
});
}  // namespace function_of_a_partial_maximum

// An invariant value under differentiation meets one that is sharded over the axis: the message says as_replicated.
namespace invariant_meets_sharded {
constexpr grid m{{2, 2}};
template <class F>
constexpr int differentiate(F f) {
  auto w = make<float, layout<none, none>>(m, {8, 4});
  (void)value_and_grad<"data">(f)(w);
  return 0;
}
constexpr auto x = make<float, layout<"data", none>>(m, {6, 8});
constexpr auto v = make<float, layout<none, "model">>(m, {4, 4});
constexpr int right = differentiate(
    [](auto const& w) { return sum(einsum<"ij,jk->ik">(einsum<"ij,jk->ik">(x, as_replicated<"model">(w)), v)); });
// error: ashlar::value_and_grad: an operand under differentiation is invariant over an axis on which another varies; write as_replicated<axis>(operand), an all-reduce in the backward pass, or value_and_grad<axis>(f) if the loss is a sum over it
constexpr int wrong =
    differentiate([](auto const& w) { return sum(einsum<"ij,jk->ik">(einsum<"ij,jk->ik">(x, w), v)); });
}  // namespace invariant_meets_sharded

// A stencil of two fields under differentiation: one is invariant over an axis, and the other is replicated over it.
namespace stencil_of_invariant_and_replicated {
using grid = mesh<axis<"data">, axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto u = make<double, layout<halo("y", 1)>>(m, {8});
constexpr auto weight = make<double, partial<layout<"y">, "data">>(m, {8});
struct conduct {
  static constexpr auto reach = star(1);
  static constexpr linearity kind = linearity::multilinear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& v, auto const& k) const { return k(0) * (v(1) - v(-1)); }
};
constexpr auto right = value_and_grad<none>([](auto const& v) {
  auto const w = as_replicated<"data">(v);
  return all_reduce(sum(stencil(conduct{}, exchange_halo(w), w) * weight));
})(u);
// error: ashlar::value_and_grad: an operand under differentiation is invariant over an axis on which another varies; write as_replicated<axis>(operand), an all-reduce in the backward pass, or value_and_grad<axis>(f) if the loss is a sum over it
constexpr auto wrong = value_and_grad<none>([](auto const& v) {
  auto const w = as_replicated<"data">(v);
  return all_reduce(sum(stencil(conduct{}, exchange_halo(w), v) * weight));
})(u);
}  // namespace stencil_of_invariant_and_replicated
