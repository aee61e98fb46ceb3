#include "ashlar/autodiff/autodiff.hpp"
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

// Differentiation over an axis that the mesh does not have.
namespace axis_unknown_to_the_mesh {
constexpr int right = [] {
  (void)value_and_grad<"data">([](auto const& w) { return sum(einsum<"ij,jk->ik">(x, w)); })(
      make<float, layout<none, none>>(m, {8, 4}));
  return 0;
}();
// error: ashlar::value_and_grad: the mesh has no axis of this name; name the axis over which the loss is summed
constexpr int wrong = [] {
  (void)value_and_grad<"batch">([](auto const& w) { return sum(einsum<"ij,jk->ik">(x, w)); })(
      make<float, layout<none, none>>(m, {8, 4}));
  return 0;
}();
}  // namespace axis_unknown_to_the_mesh

// A loss that no parameter leads to, beside another result.
namespace loss_beside_others_depends_on_no_parameter {
constexpr int right = differentiate([](auto const& w) {
  auto const y = einsum<"ij,jk->ik">(x, w);
  return build<with_aux>(sum(y), y);
});
// error: ashlar::value_and_grad: the loss depends on no parameter; return what the parameters lead to
constexpr int wrong = differentiate([](auto const& w) { return build<with_aux>(sum(x), einsum<"ij,jk->ik">(x, w)); });
}  // namespace loss_beside_others_depends_on_no_parameter

// A loss that no parameter leads to.
namespace loss_depends_on_no_parameter {
constexpr int right = differentiate([](auto const& w) { return sum(einsum<"ij,jk->ik">(x, w)); });
// error: ashlar::value_and_grad: the function returns a scalar, or build<with_aux>(scalar, others), that depends on the parameters
constexpr int wrong = differentiate([](auto const&) { return sum(x); });
}  // namespace loss_depends_on_no_parameter

// A function that returns a matrix.
namespace loss_is_no_scalar {
constexpr int right = differentiate([](auto const& w) { return sum(einsum<"ij,jk->ik">(x, w)); });
// error: ashlar::value_and_grad: the function returns a scalar; take the mean or the sum of it
constexpr int wrong = differentiate([](auto const& w) { return einsum<"ij,jk->ik">(x, w); });
}  // namespace loss_is_no_scalar

// A loss that is replicated, not invariant, over the differentiated axis.
namespace loss_is_replicated {
constexpr int right = differentiate([](auto const& w) { return sum(einsum<"ij,jk->ik">(x, w)); });
// error: ashlar::value_and_grad: the loss is replicated over the axis, so its gradient would be counted once per rank; name an axis over which it is partial, or make it invariant by all_reduce or all_gather<axis, invariant>
constexpr int wrong = differentiate([](auto const& w) { return sum(w); });
}  // namespace loss_is_replicated

// A derivative that is given its parameters beside the function.
namespace with_its_parameters {
using grid = mesh<axis<"data">>;
constexpr abstract_mesh<grid> m(grid{{2}});
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto w = make<float, layout<none, none>>(m, {4, 6});
constexpr auto loss = [](auto const& p, auto const& in) { return sum(einsum<"bi,ij->bj">(in, p)); };
constexpr auto right = [] {
  auto const [value, gradient] = value_and_grad<"data">(loss)(w, x);
  return all_reduce<"data">(gradient);
}();
// error: ashlar::value_and_grad: it takes the function alone and gives a function; write value_and_grad<"axis">(f)(parameters)
constexpr auto wrong = [] {
  auto const [value, gradient] = value_and_grad<"data">(loss, w, x);
  return value + gradient;
}();
}  // namespace with_its_parameters

// A derivative of which no axis says over what the loss is summed.
namespace without_an_axis {
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto w = make<float, layout<none, "model">>(m, {4, 6});
constexpr auto v = make<float, layout<"model", none>>(m, {6, 2});
constexpr auto right = [] {
  return value_and_grad<"data">([](auto const& p) {
    auto const h = einsum<"bi,ih->bh">(x, std::get<0>(p));
    auto const y = all_reduce<"model">(einsum<"bh,ho->bo">(h, std::get<1>(p)));
    return sum(relu(y));
  })(std::tuple(w, v));
}();
// error: ashlar::value_and_grad: name the axis over which the loss is summed, as in value_and_grad<"data">(f), or write value_and_grad<none>(f)
constexpr auto wrong = [] {
  return value_and_grad([](auto const& p) {
    auto const h = einsum<"bi,ih->bh">(x, std::get<0>(p));
    auto const y = all_reduce<"model">(einsum<"bh,ho->bo">(h, std::get<1>(p)));
    return sum(relu(y));
  })(std::tuple(w, v));
}();
}  // namespace without_an_axis
