// What you learn here: to find needless communication in a ledger. The two versions compute the same.
// [program]
#include <ashlar/layout/layouts.hpp>
#include <ashlar/ops/ops.hpp>
#include <ashlar/plan/print_ledger.hpp>

#include <iostream>

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

constexpr auto product = [](auto const& m) {
  auto x = make<float, layout<"data", "model">>(m, {4096, 1024});
  auto w = make<float, layout<"model", none>>(m, {1024, 1024});
  return einsum<"bi,ih->bh">(x, w);  // partial<layout<"data", none>, "model">
};
constexpr auto slow = [](auto const& m) {
  auto y = all_reduce<"model">(product(m));        // every rank gets all columns
  (void)redistribute<layout<"data", "model">>(y);  // and keeps some of them
};
constexpr auto fast = [](auto const& m) {
  (void)reduce_scatter<"model", 1>(product(m));  // each rank gets its columns
};
static_assert(!dry_run(grid{{2, 4}}, slow).waste().empty());
static_assert(dry_run(grid{{2, 4}}, fast).waste().empty());

int main() { std::cout << "slow:\n" << dry_run(grid{{2, 4}}, slow) << "fast:\n" << dry_run(grid{{2, 4}}, fast); }
