// The layouts of 1024 ranks, and the cost of a program there, on one processor and without MPI and Kokkos.
#include <ashlar/layout/layouts.hpp>
#include <ashlar/ops/ops.hpp>

#include <cstdio>

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{64, 16}};

// Each element of an uneven array is on exactly one rank.
template <class L>
constexpr bool covers_once(index_t rows, index_t columns) {
  constexpr layout_value v = layout_value_v<grid, L>;
  shape const global = shape::of(rows, columns);
  index_t elements = 0;
  for (int r = 0; r < 1024; ++r) elements += local_shape(global, v, m.sizes(), r).size();
  return elements == rows * columns;
}
static_assert(covers_once<layout<"data", "model">>(1000, 77));
static_assert(covers_once<layout<axes("data", "model"), none>>(1000, 77));
static_assert(local_shape(shape::of(1000, 77), layout_value_v<grid, layout<"data", "model">>, m.sizes(), 0) ==
              shape::of(16, 5));
static_assert(local_shape(shape::of(1000, 77), layout_value_v<grid, layout<"data", "model">>, m.sizes(), 1023) ==
              shape::of(15, 4));

// Two products and their one collective.
constexpr auto network = [](auto const& handle) {
  auto const x = make<float, layout<"data", none>>(handle, {4096, 1024});
  auto const h = relu(einsum<"bi,ih->bh">(x, make<float, layout<none, "model">>(handle, {1024, 4096})));
  auto const y = einsum<"bh,ho->bo">(h, make<float, layout<"model", none>>(handle, {4096, 1024}));
  (void)all_reduce<"model">(y);
};
constexpr auto cost = dry_run(m, network);
static_assert(cost.count() == 1 && cost.count(collective::all_reduce, "model") == 1);
static_assert(cost.bytes_per_rank() == 2 * (64 * 1024) * 4 * 15 / 16);

// A transposition of the sharding is one all_to_all: a rank keeps 1 part of 64, and receives 63.
constexpr auto turned = dry_run(m, [](auto const& handle) {
  (void)redistribute<layout<none, "data">>(make<float, layout<"data", none>>(handle, {4096, 4096}));
});
static_assert(turned.count(collective::all_to_all, "data") == 1);

int main() {
  bool const right = covers_once<layout<cyclic("data", 2), "model">>(999, 31) && cost.count() == 1;
  std::printf("layouts_1024: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
