// Transposes, in place and on the way to another layout, against loops.
#include "ashlar/ops/products/transpose.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/products/products.hpp"
#include "ashlar/tensor/memory_use.hpp"
#include "mpi/ops/operations.hpp"
#include "support/host_memory.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

template <int... Order>
dense_array transposed(dense_array const& a) {
  dense_array y;
  for (int d : {Order...}) y.extents.extent[y.extents.rank++] = a.extents[d];
  for (index_t i = 0; i < a.extents.size(); ++i) {
    index_t at = 0;
    int k = 0;
    ((at += i / y.extents.stride(k) % y.extents[k] * a.extents.stride(Order), ++k), ...);
    y.element.push_back(a[at]);
  }
  return y;
}

template <class From, class To, int... Order>
void check_transpose(device_mesh<xy_grid> const& m, shape const& e) {
  auto const x = numbers<From>(m, e);
  dense_array const expected = transposed<Order...>(value_of(x));
  using in_place = layout_t<decltype(transpose<Order...>(x))>;
  check<in_place>(transpose<Order...>(x), expected);
  check<To>(transpose<Order...>(x, to_layout<To>), expected);
  check<To>(redistribute<To>(transpose<Order...>(x)), expected);
}

}  // namespace

TEST_CASE("transpose of matrices: plans of every first step, and of none") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      check_transpose<layout<"x", none>, layout<none, "x">, 1, 0>(m, e);                  // nothing
      check_transpose<layout<"x", none>, layout<"x", none>, 1, 0>(m, e);                  // all_to_all
      check_transpose<layout<"x", "y">, layout<"x", "y">, 1, 0>(m, e);                    // permute
      check_transpose<layout<"x", "y">, layout<none, none>, 1, 0>(m, e);                  // all_gather
      check_transpose<layout<none, none>, layout<"x", "y">, 1, 0>(m, e);                  // slice
      check_transpose<partial<layout<none, none>, "x">, layout<"x", none>, 1, 0>(m, e);   // reduce_scatter
      check_transpose<partial<layout<none, none>, "x">, layout<none, none>, 1, 0>(m, e);  // all_reduce
      check_transpose<layout<none, none>, partial<layout<none, none>, "x">, 1, 0>(m, e);  // pad
      check_transpose<layout<axes("x", "y"), none>, layout<"y", "x">, 1, 0>(m, e);        // exchange
      check_transpose<layout<cyclic("x", 2), none>, layout<cyclic("x", 2), "y">, 1, 0>(m, e);
    }
  });
}

TEST_CASE("transpose of more dimensions, and of an expression") {
  on_every_mesh([](auto const& m) {
    shape const e = shape::of(m.size() + 1, 3, 4);
    check_transpose<layout<"x", none, "y">, layout<"x", "y", none>, 2, 0, 1>(m, e);
    check_transpose<layout<none, "y", none>, layout<"y", none, none>, 0, 2, 1>(m, e);
    auto const x = numbers<layout<"x", none>>(m, shape::of(5, 7));
    check<layout<"x", none>>(transpose<1, 0>(2 * x, to_layout<layout<"x", none>>),
                             map([](double a) { return 2 * a; }, transposed<1, 0>(value_of(x))));
  });
}

TEST_CASE("transpose to another layout: on a node no copy is made on the way") {
  device_mesh<xy_grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  index_t const n = 64 * world_size();
  auto const x = numbers<layout<"x", none>>(m, shape::of(n, n));
  auto const shards_held = [&](auto f) {
    auto const before = memory_in_use().bytes;
    reset_peak_memory();
    (void)f();
    return (memory_in_use().peak - before) / (static_cast<std::size_t>(x.local_size()) * sizeof(std::int64_t));
  };
  auto const on_the_way = shards_held([&] { return transpose<1, 0>(x, to_layout<layout<"x", none>>); });
  auto const before = shards_held([&] { return redistribute<layout<"x", none>>(transpose<1, 0>(x)); });
  CHECK(on_the_way <= before);
  if (host_reads_tensors && (m.communicator().state().node || m.size() == 1)) CHECK(on_the_way == 1);
}
