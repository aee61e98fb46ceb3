// Functions that run again in the backward pass: gradients are those of the function itself, memory is not.
#include "support/adjoint.hpp"
#include "ashlar/ops/random.hpp"
#include "ashlar/tensor/memory_use.hpp"
#include "support/two.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

constexpr auto layer = [](auto const& w, auto const& x) {
  return tanh(einsum<"bi,ih->bh">(x, all_gather<"data">(w)) / 4.);
};

}  // namespace

TEST_CASE("remat: derivatives of a layer that gathers its weights") {
  check_smooth<axes("data", "model")>(
      reals, [](auto const& w, auto const& x) { return remat(layer)(w, x); },
      operand<layout<"data", none>>{shape::of(5, 3)}, operand<layout<"data", none>>{shape::of(7, 5)});
}

TEST_CASE("remat: trees, random numbers, arguments without a derivative, results that nobody uses") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const values = [](int number) { return [number](index_t g, int) { return reals(g, 0, number); }; };
    auto const p = build<two>(tensor_of<double, layout<"data", none>>(m, shape::of(5, 5), values(0)),
                              tensor_of<double, layout<none>>(m, shape::of(5), values(1)));
    auto const x = tensor_of<double, layout<"data", none>>(m, shape::of(7, 5), values(2));
    auto const block = [](auto const& q, auto const& h, prng_key key) {
      auto const y = dropout(tanh(einsum<"bi,ih->bh">(h, all_gather<"data">(q.first)) / 4. + q.second), 0.3, key);
      return build<two>(y * 2., std::tuple(square(y), h));
    };
    auto const gradients_with = [&](auto const& f) {
      return value_and_grad<"data">([&](auto const& q) {
        auto const once = f(q, x, prng_key{7});
        auto const twice = f(q, once.first, prng_key{8});
        return sum(twice.first) + sum(std::get<0>(once.second));
      })(p);
    };
    auto const expected = gradients_with(block), found = gradients_with(remat(block));
    for_each_leaf(
        [](auto const& a, auto const& b) {
          auto const mine = shard(a), theirs = shard(b);
          CHECK(std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end()));
        },
        expected, found);
  });
}

TEST_CASE("remat: what lies between arguments and results is not kept, and a backward pass gives up what it has used") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  constexpr index_t rows = 64, width = 64, blocks = 16;
  std::size_t const array = rows * width * sizeof(double);
  auto const w = tensor_of<double, layout<none, none>>(m, shape::of(width, width),
                                                       [](index_t g, int) { return reals(g, 0, 0) / 16; });
  auto const x =
      tensor_of<double, layout<"data", none>>(m, shape::of(rows, width), [](index_t g, int) { return reals(g, 0, 1); });
  auto const block = [](auto const& v, auto const& h) {
    return tanh(einsum<"bi,ih->bh">(tanh(einsum<"bi,ih->bh">(h, v)), v));
  };
  auto const peak_of = [&](auto const& f) {
    std::size_t const before = memory_in_use().bytes;
    reset_peak_memory();
    (void)value_and_grad<"data">([&](auto const& v) {
      auto h = redistribute<layout<"data", none>>(f(v, x));
      for (index_t i = 1; i < blocks; ++i) h = redistribute<layout<"data", none>>(f(v, h));
      return sum(h);
    })(w);
    CHECK(memory_in_use().bytes == before);
    return memory_in_use().peak - before;
  };
  std::size_t const kept = peak_of(block), again = peak_of(remat(block));
  CHECK(kept >= 4 * blocks * array);        // two products and their functions a block
  CHECK(kept <= (4 * blocks + 8) * array);  // cotangents do not gather beside them
  CHECK(again <= (blocks + 10) * array);    // one argument a block, and one block
}

namespace {

constexpr auto program_of = [](auto const& f) {
  return [f](auto const& m) {
    auto const w = make<double, layout<"data", none>>(m, {8, 8});
    (void)value_and_grad<"data">([&](auto const& p) {
      return sum(f(p, f(p, make<double, layout<"data", none>>(m, {4, 8}))));
    })(w);
  };
};
constexpr auto kept = dry_run(grid{{2, 2}}, program_of(layer)), again = dry_run(grid{{2, 2}}, program_of(remat(layer)));
static_assert(kept.count(collective::all_gather) == 2 && again.count(collective::all_gather) == 4);
static_assert(again.count(pass::forward, collective::all_gather) == 2 &&
              again.count(pass::backward, collective::all_gather) == 2);
static_assert(kept.count(collective::reduce_scatter) == 2 && again.count(collective::reduce_scatter) == 2);

}  // namespace
