// The derivative of one function at one cotangent is what value_and_grad makes of it.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::test;

TEST_CASE("vjp: cotangents of all arguments, and zeros for what is not used") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const values = [](int number) { return [number](index_t g, int) { return reals(g, 0, number); }; };
    auto const w = tensor_of<double, layout<none, "model">>(m, shape::of(5, 3), values(0));
    auto const x = tensor_of<double, layout<"data", none>>(m, shape::of(7, 5), values(1));
    auto const ct = tensor_of<double, layout<"data", "model">>(m, shape::of(7, 3), values(2));
    auto const layer = [](auto const& p, auto const& y) { return tanh(einsum<"bi,ih->bh">(y, std::get<0>(p))); };
    auto const p = std::tuple(w, x);
    auto const [dp, dx] = vjp<axes("data", "model")>(layer)(ct, p, x);

    auto const expected = value_and_grad<axes("data", "model")>([&](auto const& q) {
                            return apply(pairing_op{}, layer(std::get<0>(q), std::get<1>(q)), ct);
                          })(std::tuple(p, x))
                              .gradients;
    auto const same = [](auto const& a, auto const& b) {
      static_assert(std::is_same_v<layout_t<decltype(a)>, layout_t<decltype(b)>>);
      auto const mine = shard(a), theirs = shard(b);
      CHECK(std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end()));
    };
    static_assert(std::is_same_v<layout_t<decltype(std::get<0>(dp))>, partial<layout<none, "model">, "data">>);
    for_each_leaf(same, dp, std::get<0>(expected));
    same(dx, std::get<1>(expected));
    for (double unused : shard(std::get<1>(dp))) CHECK(unused == 0);
  });
}
