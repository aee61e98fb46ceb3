// What the derivatives of products that overlap with their communication communicate.
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;

// Both operands under differentiation, a cotangent for each.
template <class Lx, class Lw, class F>
constexpr ledger<grid> training(F f) {
  return dry_run(grid{{2, 2}}, [f](auto const& m) {
    auto const x = make<float, Lx>(m, {24, 8});
    auto const w = make<float, Lw>(m, {8, 6});
    (void)value_and_grad<"data">([f](auto const& p) { return sum(f(std::get<0>(p), std::get<1>(p))); })(
        std::tuple(x, w));
  });
}

constexpr auto reduced = training<layout<"data", "model">, layout<"model", none>>([](auto const& x, auto const& w) {
  return einsum<"bi,ih->bh">(x, w, to_layout<layout<"data", none>>.in_chunks(4));
});
static_assert(reduced.count(pass::forward) == 4 && reduced.count(collective::all_reduce, "model") == 4 &&
              reduced.count(pass::backward) == 0);

constexpr auto scattered = training<layout<"data", "model">, layout<"model", none>>([](auto const& x, auto const& w) {
  return einsum<"bi,ih->bh">(x, w, to_layout<layout<axes("data", "model"), none>>.in_chunks(4));
});
static_assert(scattered.count(pass::forward, collective::reduce_scatter, "model") == 4 &&
              scattered.count(pass::backward, collective::all_gather, "model") == 1 && scattered.count() == 5);

constexpr auto gathered_rows =
    training<layout<axes("data", "model"), none>, layout<none, "model">>([](auto const& x, auto const& w) {
      return einsum<"bi,ih->bh">(x, w, to_layout<layout<"data", "model">>.in_chunks(3));
    });
static_assert(gathered_rows.count(pass::forward, collective::all_gather, "model") == 3 &&
              gathered_rows.count(pass::backward, collective::all_gather, "model") == 3);
static_assert(gathered_rows.count(pass::backward, collective::reduce_scatter, "model") == 3 &&
              gathered_rows.count() == 9);

}  // namespace
