// Redistribution on a mesh whose links say what a message costs: other steps, the same values.
#include "ashlar/ops/async.hpp"
#include "ashlar/tensor/backend.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::test;

using counted_grid = mesh<axis<"far">, axis<"near">>;

template <>
inline constexpr link_model ashlar::planning::links_of<counted_grid>{
    .message_bytes = 20'000, .tensor_bytes = 1 << 20, .sizes = counted_grid{{16, 8}}.sizes()};

namespace {

using rows = layout<axes("far", "near"), none>;
using columns = layout<none, axes("far", "near")>;
using summands = partial<layout<none, none>, axes("far", "near")>;

template <class From, class To>
void check(device_mesh<counted_grid> const& m, shape const& e, int steps) {
  auto const x = tensor_of<std::int64_t, From>(m, e, small_number);
  auto const expected = denoted<std::int64_t>(e, x.layout, m.sizes(), small_number);
  auto const collectives = m.collectives_run();
  auto const y = redistribute<To>(x);
  bool const both = m.sizes().size[0] > 1 && m.sizes().size[1] > 1;
  if (both) CHECK(static_cast<int>(m.collectives_run() - collectives) == steps);
  CHECK(denotes(y, expected));
  CHECK(denotes(redistribute_async<To>(x).wait(), expected));
}

}  // namespace

TEST_CASE("redistribute: where messages cost, in more steps to the same values") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<counted_grid> const m(MPI_COMM_WORLD, sizes);
    for (shape const& e : {shape::of(13, 7), shape::of(3, 16), shape::of(0, 5)}) {
      check<rows, layout<none, none>>(m, e, 2);
      check<rows, columns>(m, e, 3);
      check<summands, layout<none, none>>(m, e, 3);
      check<summands, rows>(m, e, 2);
      check<layout<"far", "near">, layout<"near", "far">>(m, e, 3);
      check<columns, partial<layout<"far", none>, "near">>(m, e, 2);
    }
  });
}
