// What multi-head attention and transformers are made of beside attention, on all meshes.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::test;

TEST_CASE("select is linear") {
  check_linear<"data">([](auto const& x) { return select(x, 1); },
                       operand<layout<none, "data", "model">>{shape::of(3, 5, 4)});
  check_linear<"data">([](auto const& x) { return select(x, 0) + select(x, 2) * 2.; },
                       operand<layout<none, axes("model", "data")>>{shape::of(3, 7)});
  check_linear<"model">([](auto const& x) { return select(select(x, 2), 0); },
                        operand<partial<layout<none, none, "model">, "data">>{shape::of(3, 2, 5)});
}

TEST_CASE("select lies where its operand does, and keeps what it saw") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto x = tensor_of<double, layout<none, "data">>(m, shape::of(2, 9),
                                                   [](index_t g, int) { return static_cast<double>(g); });
  auto const second = select(x, 1);
  CHECK(second.data() == std::as_const(x).data() + second.local_size());
  auto const before = shard(second);
  fill(x, -1.);
  CHECK(shard(second) == before);
  CHECK_THROWS_WITH_AS(
      select(x, 2),
      doctest::Contains("the index is one of the first dimension's, counted from 0; found (2) and (2, 9)"), error);
  CHECK_THROWS_WITH_AS(select(x, -1), doctest::Contains("ashlar::select"), error);
}

TEST_CASE("chain evaluates between layers") {
  auto const square_and_add = [](auto const& x, auto const& p, std::size_t i) {
    return x * p + square(x) * static_cast<double>(i + 1);
  };
  check_smooth<"data">(
      reals, [=](auto const& x, auto const& p, auto const& q) { return chain(std::tuple(p, q), x, square_and_add); },
      operand<layout<"data", none>>{shape::of(5, 3)}, operand<layout<none>>{shape::of(3)},
      operand<layout<none>>{shape::of(3)});
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x =
      tensor_of<double, layout<"data">>(m, shape::of(9), [](index_t g, int) { return static_cast<double>(g); });
  auto const y = chain(stack<3>(2.), x, [](auto const& a, double factor, std::size_t) { return a * factor; });
  static_assert(std::is_same_v<decltype(y), decltype(x)>);  // no expression of three factors
  CHECK(shard(y) == shard(x * 8.));
}

TEST_CASE("all_reduce of a bundle of all that is partial: one message for each set of axes") {
  for_each_factorisation([](auto const& sizes) {
    CAPTURE(sizes[0]);
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const of = [&]<class L>(std::type_identity<L>, index_t n) {
      return tensor_of<double, L>(m, shape::of(n, 3), [](index_t g, int s) { return small_number(g, s); });
    };
    auto const a = of(std::type_identity<partial<layout<none, "model">, "data">>{}, 7);
    auto const b = of(std::type_identity<partial<layout<none, none>, axes("data", "model")>>{}, 5);
    auto const c = of(std::type_identity<layout<"data", none>>{}, 4);
    auto const d = of(std::type_identity<partial<layout<none, "model">, "data", op::max>>{}, 2);
    auto const before = m.collectives_run();
    auto const [ra, rest, rd] = all_reduce(bundle(a, std::tuple(b, c, a), d));
    auto const [rb, rc, again] = rest;
    auto const sent = m.collectives_run() - before;
    CHECK(sent == (sizes[0] > 1 ? 2 : 0) + (sizes[0] * sizes[1] > 1 ? 1 : 0));
    static_assert(std::is_same_v<layout_t<decltype(ra)>, layout<none, "model">> &&
                  std::is_same_v<layout_t<decltype(rb)>, layout<none, none>>);
    static_assert(std::is_same_v<layout_t<decltype(rc)>, layout<"data", none>>);
    CHECK(shard(ra) == shard(all_reduce(a)));
    CHECK(shard(rb) == shard(all_reduce(b)));
    CHECK(shard(rc) == shard(c));
    CHECK(shard(again) == shard(ra));
    CHECK(shard(rd) == shard(all_reduce(d)));
    auto const [nothing] = all_reduce(bundle(c * 2.));
    CHECK(shard(nothing) == shard(c * 2.));
  });
}
