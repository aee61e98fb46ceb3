#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid sizes{{2}};

// A parameter that a loss updates in place, with a sum.
namespace assign_and_reduce_under_differentiation {
constexpr auto right = dry_run(sizes, [](auto const& m) {
  (void)value_and_grad<"data">([](auto const& parameter) { return sum(parameter * parameter); })(
      make<float, layout<"data">>(m, {8}));
});
// error: ashlar::assign: a tensor under differentiation is not updated in place; write auto y = x + z
constexpr auto wrong = dry_run(sizes, [](auto const& m) {
  (void)value_and_grad<"data">([](auto const& parameter) {
    auto y = parameter;
    return assign_and_reduce(y, 2.f * y, [](auto const& x) { return sum(x * x); });
  })(make<float, layout<"data">>(m, {8}));
});
}  // namespace assign_and_reduce_under_differentiation

// A loss adds a product with a parameter to a tensor in place.
namespace matmul_into_under_differentiation {
constexpr auto right = dry_run(sizes, [](auto const& m) {
  (void)value_and_grad<"data">([](auto const& parameter) {
    return sum(matmul(parameter, parameter, to_layout<layout<>>));
  })(make<float, layout<"data">>(m, {8}));
});
// error: ashlar::assign: a tensor under differentiation is not updated in place; write auto y = x + z
constexpr auto wrong = dry_run(sizes, [](auto const& m) {
  (void)value_and_grad<"data">([](auto const& parameter) {
    auto y = stop_gradient(sum(parameter * parameter));
    matmul_into(y, 1.f, parameter, parameter);
    return sum(parameter);
  })(make<float, layout<"data">>(m, {8}));
});
}  // namespace matmul_into_under_differentiation

// A parameter that a loss updates in place.
namespace update_under_differentiation {
constexpr auto right = dry_run(sizes, [](auto const& m) {
  (void)value_and_grad<"data">([](auto const& parameter) {
    auto const y = parameter + 1.;
    return sum(y);
  })(make<double, layout<"data">>(m, {8}));
});
// error: ashlar::assign: a tensor under differentiation is not updated in place; write auto y = x + z
constexpr auto wrong = dry_run(sizes, [](auto const& m) {
  (void)value_and_grad<"data">([](auto const& parameter) {
    auto y = parameter;
    y += 1.;
    return sum(y);
  })(make<double, layout<"data">>(m, {8}));
});
}  // namespace update_under_differentiation
