// Reductions on real tensors against loops, over whole, sharded and partial dimensions; and views of the same shard.
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "mpi/ops/operations.hpp"
#include <cmath>

using namespace ashlar;
using namespace ashlar::test;

namespace {

template <int... Dims, class Out, class X>
void check_sum_over(std::type_identity<Out>, X const& x) {
  check<Out>(sum<Dims...>(x), reduced(layout_detail::op_sum, (0u | ... | (1u << Dims)), value_of(x)));
}

}  // namespace

TEST_CASE("reductions: over whole, sharded and partial dimensions") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      auto const x = numbers<layout<"x", "y">>(m, e);
      check_sum_over<0>(std::type_identity<partial<layout<"y">, "x">>{}, x);
      check_sum_over<1>(std::type_identity<partial<layout<"x">, "y">>{}, x);
      check<partial<layout<>, axes("x", "y")>>(sum(x), reduced(layout_detail::op_sum, 3, value_of(x)));
      check_sum_over<1>(std::type_identity<layout<"x">>{}, numbers<layout<"x", none>>(m, e));
      check_sum_over<0>(std::type_identity<partial<layout<none>, axes("x", "y")>>{},
                        numbers<partial<layout<"x", none>, "y">>(m, e));
      shape const cube = shape::of(e[1], 2, e[0]);
      check_sum_over<0, 2>(std::type_identity<partial<layout<none>, axes("x", "y")>>{},
                           numbers<layout<"y", none, "x">>(m, cube));
      if (e.size() == 0) continue;  // nothing has no largest element
      check<partial<layout<"y">, "x", op::max>>(max<0>(x), reduced(layout_detail::op_max, 1, value_of(x)));
      check<partial<layout<>, axes("x", "y"), op::min>>(min(x), reduced(layout_detail::op_min, 3, value_of(x)));
      auto const partial_maxima = numbers<partial<layout<none, "y">, "x", op::max>>(m, e);
      check<partial<layout<>, axes("x", "y"), op::max>>(max(partial_maxima),
                                                        reduced(layout_detail::op_max, 3, value_of(partial_maxima)));
    }
    for (shape const& e : {shape::of(7, 2), shape::of(1, 1), shape::of(0, 3)}) {
      auto const x = numbers<layout<"y", "x">>(m, e);
      check<partial<layout<"x">, "y", op::prod>>(prod<0>(x), reduced(layout_detail::op_prod, 1, value_of(x)));
      check<partial<layout<>, axes("x", "y"), op::prod>>(prod(x), reduced(layout_detail::op_prod, 3, value_of(x)));
    }
  });
}

TEST_CASE("reductions: what they leave partial, collectives reduce") {
  on_every_mesh([](auto const& m) {
    auto const x = numbers<layout<"x", "y">>(m, shape::of(13, 5));
    check<layout<>>(all_reduce(sum(x * 2 + 1)),
                    reduced(layout_detail::op_sum, 3, map([](double v) { return 2 * v + 1; }, value_of(x))));
    check<layout<"x">>(all_reduce<"y">(max<1>(x)), reduced(layout_detail::op_max, 2, value_of(x)));
    check<layout<axes("y", "x")>>(reduce_scatter<"x", 0>(sum<0>(x)), reduced(layout_detail::op_sum, 1, value_of(x)));
  });
}

TEST_CASE("views: dimensions joined and cut, without a copy") {
  on_every_mesh([](auto const& m) {
    index_t const p = m.size();
    auto const x = numbers<layout<"x", none, "y">>(m, shape::of(2 * p, 3, 5));
    dense_array expected = value_of(x);
    auto const joined = flatten<0, 1>(x);
    expected.extents = shape::of(6 * p, 5);
    check<layout<"x", "y">>(joined, expected);
    CHECK(joined.data() == x.data());
    auto const cut = unflatten<0>(joined, {p, 2, 3});
    expected.extents = shape::of(p, 2, 3, 5);
    check<layout<"x", none, none, "y">>(cut, expected);
    CHECK(cut.data() == x.data());
  });
}

TEST_CASE("reductions: a NaN on one rank makes the maximum and the minimum NaN on all") {
  auto const check_all = [](auto const& m) {
    double const nan = std::nan("");
    index_t const rows = 13, columns = 5;
    for (index_t bad : {index_t(0), 7 * columns + 2, rows * columns - 1}) {
      std::vector<double> numbers;
      for (index_t g = 0; g < rows * columns; ++g) numbers.push_back(g == bad ? nan : small_number(g, 0));
      auto const x = scatter<layout<"x", "y">>(m, {rows, columns}, numbers);
      auto const check_columns = [&](auto const& y) {
        auto const found = gather_all(y);
        REQUIRE(found.size() == static_cast<std::size_t>(columns));
        for (index_t j = 0; j < columns; ++j)
          CHECK(std::isnan(found[static_cast<std::size_t>(j)]) == (j == bad % columns));
      };
      check_columns(all_reduce(max<0>(x)));
      check_columns(all_reduce(min<0>(x)));
      check_columns(all_reduce(relu(max<0>(x))));
      check_columns(reduce_scatter<"x", 0>(max<0>(x)));
      CHECK(std::isnan(gather_all(all_reduce(max(x)))[0]));
      CHECK(std::isnan(gather_all(all_reduce(min(cast<float>(x))))[0]));
    }
  };
  on_every_mesh(check_all);
  {
    collectives_of_mpi const from_here;
    on_every_mesh(check_all);
  }
  {
    messages_of_mpi const from_here;
    on_every_mesh(check_all);
  }
}
