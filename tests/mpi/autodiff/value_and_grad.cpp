// What value_and_grad returns beside derivatives: the tree, values that ride along, zeros for what is not used.
#include "support/adjoint.hpp"
#include "support/two.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

double number(index_t g, int) { return small_number(g, 0); }
constexpr auto w_of = [](auto const& m) {
  return tensor_of<double, layout<none, "model">>(m, shape::of(5, 3), number);
};
constexpr auto x_of = [](auto const& m) { return tensor_of<double, layout<"data", none>>(m, shape::of(7, 5), number); };

// True if a tensor and a copy of it have their elements at an address.
template <class X>
bool are_elements_of(X const& x, double const* first) {
  auto const copy = x;
  return x.data() == first && copy.data() == first;
}

// x w, dense.
std::vector<double> product() {
  std::vector<double> y(21);
  for (index_t b = 0; b < 7; ++b)
    for (index_t h = 0; h < 3; ++h)
      for (index_t i = 0; i < 5; ++i)
        y[static_cast<std::size_t>(b * 3 + h)] += number(b * 5 + i, 0) * number(i * 3 + h, 0);
  return y;
}

}  // namespace

TEST_CASE("gradients are a tree like the parameters; what the loss does not use has a gradient of zeros") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const w = w_of(m);
    auto const p = build<two>(build<two>(w, w), x_of(m));
    auto const before = m.collectives_run();
    auto const [value, g] = value_and_grad<"data">(
        [](auto const& q, auto const& x) { return sum(einsum<"bi,ih->bh">(x, q.first.second)); })(p, p.second);
    CHECK(m.collectives_run() == before);
    static_assert(std::is_same_v<layout_t<decltype(value)>, partial<layout<>, axes("data", "model")>>);
    static_assert(std::is_same_v<layout_t<decltype(g.first.first)>, partial<layout<none, "model">, "data">>);
    static_assert(std::is_same_v<layout_t<decltype(g.second)>, layout<"data", none>>);
    auto const y = product();
    CHECK(item(all_reduce(value)) == std::accumulate(y.begin(), y.end(), 0.));
    CHECK(denotes(g.first.first, std::vector<double>(15)));
    CHECK(denotes(g.second, std::vector<double>(35)));
    std::vector<double> column_sums(15);
    for (index_t b = 0; b < 7; ++b)
      for (index_t i = 0; i < 15; ++i) column_sums[static_cast<std::size_t>(i)] += number(b * 5 + i / 3, 0);
    CHECK(denotes(g.first.second, column_sums));
  });
}

TEST_CASE("values ride along, under differentiation or not, alone or in a tree") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const f = [](auto const& w, auto const& x) {
      auto const y = einsum<"bi,ih->bh">(x, w);
      return build<with_aux>(sum(y), build<two>(y, x * 2.));
    };
    auto const [value, aux, g] = value_and_grad<"data">(f)(w_of(m), x_of(m));
    CHECK(denotes(aux.first, product()));
    std::vector<double> twice;
    for (index_t i = 0; i < 35; ++i) twice.push_back(2 * number(i, 0));
    CHECK(denotes(aux.second, twice));
    // They leave value and gradient as they are without them.
    auto const [value_alone, g_alone] =
        value_and_grad<"data">([&](auto const& w, auto const& x) { return f(w, x).value; })(w_of(m), x_of(m));
    CHECK(shard(g) == shard(g_alone));
    CHECK(shard(value) == shard(value_alone));
  });
}

TEST_CASE(
    "a collective whose operand needs no gradient, or whose result the loss does not use, costs nothing backward") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const rows = tensor_of<double, layout<"data", "model">>(m, shape::of(7, 5), number);
    auto const before = m.collectives_run();
    auto const [value, g] = value_and_grad<"data">([&](auto const& w) {
      (void)all_gather<"model">(w);
      return sum(einsum<"bi,ih->bh">(all_gather<"model">(rows), w));
    })(w_of(m));
    CHECK(m.collectives_run() - before == (sizes[1] > 1 ? 2 : 0));
  });
}

TEST_CASE("differentiation leaves parameters alone, and runs again to the same bits") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const w = w_of(m);
    auto const run = [&] {
      return value_and_grad<"data">([](auto const& q, auto const& x) { return sum(tanh(einsum<"bi,ih->bh">(x, q))); })(
          w, x_of(m));
    };
    auto const first = run();
    auto const second = run();
    CHECK(shard(w) == shard(w_of(m)));
    CHECK(shard(first.gradients) == shard(second.gradients));
    CHECK(shard(first.value) == shard(second.value));
  });
}

TEST_CASE("a tape shares memory to which the program has a pointer; what value_and_grad returns does not") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto w = w_of(m);
  auto x = x_of(m);
  std::fill_n(w.data(), w.local_size(), 2.);
  std::fill_n(x.data(), x.local_size(), 3.);
  auto const* const memory_of_x = std::as_const(x).data();
  bool shared = true;
  auto const [value, aux, g] = value_and_grad<"data">([&](auto const& q, auto const& rows) {
    shared = shared && are_elements_of(rows, memory_of_x);
    return build<with_aux>(sum(einsum<"bi,ih->bh">(rows, q)), build<two>(rows, q));
  })(w, x);
  CHECK(shared);
  std::fill_n(w.data(), w.local_size(), 0.);
  std::fill_n(x.data(), x.local_size(), 0.);
  for (double const v : shard(aux.first)) CHECK(v == 3);
  for (double const v : shard(aux.second)) CHECK(v == 2);
  CHECK(item(all_reduce(value)) == 7 * 3 * 5 * 6);
}

TEST_CASE("the collectives of a differentiated program are those of its dry run, one by one") {
  auto const program = [](auto const& m) {
    auto const w = uniform<double, layout<"data", "model">>(m, {5, 3}, prng_key{1});
    auto const v = uniform<double, layout<"model", none>>(m, {3, 5}, prng_key{2});
    auto const x = uniform<double, layout<"data", none>>(m, {7, 5}, prng_key{3});
    auto const f = [&](auto const& p) {
      auto const y = tanh(einsum<"bi,ij->bj">(x, all_gather<"data">(p.first)));
      auto const z = reduce_scatter<"model", 0>(einsum<"bi,ij->bj">(y, p.second));
      return sum(square(all_to_all<"model", 1>(z)));
    };
    auto const [value, g] = value_and_grad<"data">(f)(build<two>(w, v));
    (void)all_reduce<"data">(bundle(g.second));
    (void)all_reduce(value);
  };
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const expected = dry_run(m.shape(), program);
    auto const found = recorded(m, program);
    CHECK(m.collectives_run() == expected.count());
    REQUIRE(found.count() == expected.count());
    for (int i = 0; i < expected.count(); ++i) {
      plan_detail::collective_record const &a = found[i], &b = expected[i];
      CHECK(a.what == b.what);
      CHECK(a.axes == b.axes);
      CHECK(a.bytes_per_rank == b.bytes_per_rank);
      CHECK(a.when == b.when);
      CHECK(a.line == b.line);
    }
    if (sizes[0] > 1 && sizes[1] > 1) CHECK(expected.count() == 8);
  });
}
