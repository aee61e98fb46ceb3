// Step 2 of the tutorial: layouts and ledgers without MPI and without Kokkos.
// [program]
#include <ashlar/layout/layouts.hpp>
#include <ashlar/ops/ops.hpp>
#include <ashlar/plan/draw.hpp>
#include <ashlar/plan/print_ledger.hpp>

#include <iostream>

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

constexpr auto forward = [](auto const& m) {
  auto x = make<float, layout<"data", none>>(m, {128, 784});
  auto w = make<float, layout<none, "model">>(m, {784, 200});
  auto h = relu(einsum<"bi,ih->bh">(x, w));  // layout<"data", "model">: no communication
  auto s = sum<1>(h);                        // partial<layout<"data">, "model">: still none
  (void)all_reduce<"model">(s);              // layout<"data">: the one collective
};

// The compiler lists the collectives for 8 ranks.
constexpr auto ledger_of_8 = dry_run(grid{{2, 4}}, forward);
static_assert(ledger_of_8.count() == 1);
static_assert(ledger_of_8.bytes_per_rank() == 64 * 4 * 2 * 3 / 4);

int main() {
  std::cout << "10 x 6 elements of layout<\"data\", \"model\"> on 2 x 4 ranks:\n";
  planning::draw<layout<"data", "model">>(std::cout, grid{{2, 4}}, {10, 6});
  for (int model : {1, 4})  // the same function, for sizes of the run time
    std::cout << 8 / model << " x " << model << " ranks:\n" << dry_run(grid{{8 / model, model}}, forward);
}
