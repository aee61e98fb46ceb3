// What you learn here: layouts, rules and plans need neither MPI nor Kokkos. Everything below is decided by the
// compiler; the program only says so.
#include <ashlar/layout/layouts.hpp>
#include <ashlar/ops/ops.hpp>

#include <cstdio>
#include <type_traits>

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

// A layout has one spec per dimension. Axes of one dimension are listed from major to minor.
using rows = layout<"data", none>;
using blocks = layout<"data", "model">;
static_assert(!std::is_same_v<rows, blocks>);
static_assert(!std::is_same_v<layout<axes("data", "model"), none>, layout<axes("model", "data"), none>>);

// What a rank holds of 10 rows on 4 x 2 ranks: the first two pieces have one more.
constexpr grid m{{4, 2}};
constexpr auto value = layout_value_v<grid, rows>;
static_assert(local_shape(shape::of(10, 3), value, m.sizes(), 0) == shape::of(3, 3));
static_assert(local_shape(shape::of(10, 3), value, m.sizes(), 7) == shape::of(2, 3));

// [network]
constexpr auto network = [](auto const& x, auto const& w1, auto const& w2) {
  auto h = relu(einsum<"bi,ih->bh">(x, w1));  //  layout<"data", "model">                   no communication
  auto y = einsum<"bh,ho->bo">(h, w2);        //  partial<layout<"data", none>, "model">    still none
  return all_reduce<"model">(y);              //  layout<"data", none>                      the one collective
};
constexpr auto forward = [](auto const& mesh) {
  (void)network(make<float, layout<"data", none>>(mesh, {128, 784}),
                make<float, layout<none, "model">>(mesh, {784, 200}),
                make<float, layout<"model", none>>(mesh, {200, 10}));
};
static_assert(dry_run(grid{{2, 4}}, forward).count(collective::all_reduce, "model") == 1);
static_assert(dry_run(grid{{2, 4}}, forward).bytes_per_rank() == 2 * 64 * 10 * 4 * 3 / 4);
static_assert(dry_run(grid{{8, 1}}, forward).count() == 0);
// [network]

int main() {
  // The same function answers at run time, for sizes that come then.
  for (int model : {1, 2, 4, 8}) {
    auto const log = dry_run(grid{{8 / model, model}}, forward);
    std::printf("mesh data=%d x model=%d: collectives %d, bytes per rank %ld\n", 8 / model, model, log.count(),
                static_cast<long>(log.bytes_per_rank()));
    if (log.count() != (model > 1)) return 1;
  }
  return 0;
}
