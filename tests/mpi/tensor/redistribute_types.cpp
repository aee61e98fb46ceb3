// Redistribution through the typed interface: a sample of pairs of layouts.
#include "ashlar/tensor/backend.hpp"
#include "support/dense.hpp"
#include "support/simulated_mesh.hpp"
#include <doctest/doctest.h>
#include <array>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using grid = mesh<axis<"x">, axis<"y">>;

// Layouts of two dimensions that may be partial, in the order of for_each_layout.
constexpr int typed_layouts = 18;
constexpr auto codes = [] {
  std::array<unsigned long long, typed_layouts> all{};
  std::size_t n = 0;
  for_each_layout(2, 2, sums, [&](layout_value const& v) { all[n++] = layout_detail::encode(v); });
  return all;
}();
template <int I>
using layout_at =
    layout_detail::layout_from_t<plan_detail::mesh_context<grid, layout<>>, codes[static_cast<std::size_t>(I)], 0, 2>;

template <int From, int To>
void check_typed(device_mesh<grid> const& m, shape const& e) {
  auto const x = tensor_of<std::int64_t, layout_at<From>>(m, e, small_number);
  auto const y = redistribute<layout_at<To>>(x);
  static_assert(std::is_same_v<layout_t<decltype(y)>, layout_at<To>>);
  CAPTURE(From);
  CAPTURE(To);
  CHECK(y.extents() == e);
  auto const expected = denoted<std::int64_t>(e, x.layout, m.sizes(), small_number);
  CHECK(denotes(y, expected));
  if constexpr (x.layout.partial() != 0) CHECK(denotes(redistribute_async<layout_at<To>>(x).wait(), expected));
}

}  // namespace

TEST_CASE("redistribute: types, each layout into another, and in long tests into three") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    [&]<int... I>(std::integer_sequence<int, I...>) {
      for (shape const& e : {shape::of(world_size(), 13), shape::of(5, 1), shape::of(1, 24)})
#ifdef ASHLAR_LONG_TESTS
        (..., (check_typed<I, (I + 5) % typed_layouts>(m, e), check_typed<I, (I + 11) % typed_layouts>(m, e),
               check_typed<I, (3 * I + 1) % typed_layouts>(m, e)));
#else
        (..., check_typed<I, (I + 5) % typed_layouts>(m, e));
#endif
    }(std::make_integer_sequence<int, typed_layouts>{});
  });
}

TEST_CASE("redistribute: to the layout that a tensor has is free, and shares the shard") {
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  auto const x = tensor_of<float, layout<"x">>(m, shape::of(13), small_number);
  auto const same = redistribute<layout<"x">>(x);
  CHECK(same.data() == x.data());
  CHECK(m.collectives_run() == 0);
}
