// Updates in place in dry runs: an iteration of conjugate gradients, and which tensors may be updated.
#include "ashlar/ops/assign.hpp"
#include "ashlar/ops/collectives.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">>;
constexpr grid sizes{{4}};
using vector = layout<"x">;

constexpr auto dot = [](auto const& a, auto const& b) { return all_reduce(sum(a * b)); };
constexpr auto iteration = [](auto& x, auto& r, auto& p, auto const& product, auto& rr) {
  auto const a = rr / dot(p, product);
  x += a * p;
  r -= a * product;
  auto const next = dot(r, r);
  assign(p, r + (next / rr) * p);
  rr = next;
};
constexpr auto run_once = [](auto const& m) {
  auto x = make<double, vector>(m, {100});
  auto r = x, p = x, product = x;
  auto rr = dot(r, r);
  iteration(x, r, p, product, rr);
};
static_assert(dry_run(sizes, run_once).count(collective::all_reduce) == 3);

// The same with the sums in the updates: equal collectives, and partial scalars as sum gives.
constexpr auto squares = [](auto const& v) { return sum(v * v); };
constexpr auto fused_iteration = [](auto& x, auto& r, auto& p, auto const& product, auto& rr) {
  auto const a = rr / dot(p, product);
  x += a * p;
  auto const terms = assign_and_reduce(r, r - a * product, squares);
  static_assert(std::is_same_v<decltype(terms), decltype(sum(r)) const>);
  auto const next = all_reduce(terms);
  assign(p, r + (next / rr) * p);
  rr = next;
};
constexpr auto run_fused = [](auto const& m) {
  auto x = make<double, vector>(m, {100});
  auto r = x, p = x, product = x;
  auto rr = dot(r, r);
  fused_iteration(x, r, p, product, rr);
};
static_assert(dry_run(sizes, run_fused).count(collective::all_reduce) == 3);
static_assert(dry_run(sizes, run_fused).bytes_per_rank() == dry_run(sizes, run_once).bytes_per_rank());

// Partial sums may be added and scaled. The result of an update is the tensor itself, of static extents too.
constexpr bool test_updates() {
  auto terms = make<float, partial<layout<none>, "x">>(sizes, {8});
  auto const other = make<float, vector>(sizes, {8});
  auto fixed = make<float, vector>(sizes, static_extents<8>{});
  (terms += terms) *= 2.f;
  (fixed -= other) /= 2;
  return std::is_same_v<decltype(terms += terms), decltype(terms)&> &&
         std::is_same_v<decltype(fixed *= 2), decltype(fixed)&> && fixed.extents() == shape::of(8);
}
static_assert(test_updates());
