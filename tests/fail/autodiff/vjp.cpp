#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;

// A function that runs again, and uses a parameter that it is not given: its cotangent would be lost.
namespace remat_of_a_captured_active_value {
constexpr auto right = dry_run(grid{{2}}, [](auto const& m) {
  auto const w = make<float, layout<none, none>>(m, {4, 4});
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
  (void)value_and_grad<"data">([&](auto const& p) {
    auto h = einsum<"bi,ih->bh">(x, p);
    return sum(remat([](auto const& v, auto const& y) { return einsum<"bi,ih->bh">(y, v); })(p, h));
  })(w);
});
// error: ashlar::remat: the function uses a value under differentiation that is none of its arguments; pass it as one
constexpr auto wrong = dry_run(grid{{2}}, [](auto const& m) {
  auto const w = make<float, layout<none, none>>(m, {4, 4});
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
  (void)value_and_grad<"data">([&](auto const& p) {
    auto h = einsum<"bi,ih->bh">(x, p);
    return sum(remat([&](auto const& y) { return einsum<"bi,ih->bh">(y, p); })(h));
  })(w);
});
}  // namespace remat_of_a_captured_active_value

// The derivative of a function that does not use its argument.
namespace of_a_constant {
constexpr auto right = dry_run(grid{{2}}, [](auto const& m) {
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
  (void)vjp<"data">([](auto const& y) { return square(y); })(x, x);
});
// error: ashlar::vjp: the function's value depends on none of its arguments; return what they lead to
constexpr auto wrong = dry_run(grid{{2}}, [](auto const& m) {
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
  (void)vjp<"data">([&](auto const&) { return square(x); })(x, x);
});
}  // namespace of_a_constant

// A cotangent that is sharded otherwise than the function's value.
namespace of_another_layout {
constexpr auto right = dry_run(grid{{2}}, [](auto const& m) {
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
  (void)vjp<"data">([](auto const& y) { return square(y); })(make<float, layout<"data", none>>(m, {8, 4}), x);
});
// error: ashlar::vjp: the cotangent has another layout than the dual of the function's value; redistribute it, see docs/explanation/differentiation.md
constexpr auto wrong = dry_run(grid{{2}}, [](auto const& m) {
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
  (void)vjp<"data">([](auto const& y) { return square(y); })(make<float, layout<none, none>>(m, {8, 4}), x);
});
}  // namespace of_another_layout
