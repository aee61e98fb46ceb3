// The collectives on real ranks: the layouts in their types, their values, and what they ask of MPI.
#include "ashlar/ops/collectives.hpp"
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/products/products.hpp"
#include "ashlar/ops/bundle.hpp"
#include "support/dense.hpp"
#include "support/pmpi_counters.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;
using numbers = std::vector<std::int64_t>;

template <class L, class X>
constexpr bool has_layout = std::is_same_v<layout_t<X>, L>;

// Calls f(mesh, extents) for every mesh, and extents that divide and that do not.
template <class F>
void on_every_mesh(F f) {
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    index_t const p = m.size();
    for (shape const& e : {shape::of(2 * p, p), shape::of(p + 1, 5), shape::of(1, 13), shape::of(0, 3)}) f(m, e);
  });
}

template <class L>
auto make_numbers(device_mesh<grid> const& m, shape const& e) {
  return tensor_of<std::int64_t, L>(m, e, small_number);
}
template <class X>
numbers value_of(X const& x) {
  return denoted<std::int64_t>(x.extents(), x.layout, x.mesh().sizes(), small_number);
}

}  // namespace

TEST_CASE("all_gather: the minor-most axes of a dimension are replicated") {
  on_every_mesh([](auto const& m, shape const& e) {
    auto const x = make_numbers<layout<"x", "y">>(m, e);
    auto const rows = all_gather<"y">(x);
    static_assert(has_layout<layout<"x", none>, decltype(rows)>);
    CHECK(denotes(rows, value_of(x)));
    auto const columns = all_gather<"x">(x);
    static_assert(has_layout<layout<none, "y">, decltype(columns)>);
    CHECK(denotes(columns, value_of(x)));
    auto const nested = make_numbers<layout<none, axes("y", "x")>>(m, e);
    auto const outer = all_gather<"x">(nested);
    static_assert(has_layout<layout<none, "y">, decltype(outer)>);
    CHECK(denotes(outer, value_of(nested)));
    auto const all = all_gather<axes("y", "x")>(nested);
    static_assert(has_layout<layout<none, none>, decltype(all)>);
    CHECK(denotes(all, value_of(nested)));
  });
}

TEST_CASE("all_to_all: an axis moves to another dimension") {
  on_every_mesh([](auto const& m, shape const& e) {
    auto const x = make_numbers<layout<axes("x", "y"), none>>(m, e);
    auto const blocks = all_to_all<"y", 1>(x);
    static_assert(has_layout<layout<"x", "y">, decltype(blocks)>);
    CHECK(denotes(blocks, value_of(x)));
    auto const columns = all_to_all<axes("x", "y"), 1>(x);
    static_assert(has_layout<layout<none, axes("x", "y")>, decltype(columns)>);
    CHECK(denotes(columns, value_of(x)));
    CHECK(denotes(all_to_all<axes("x", "y"), 0>(columns), value_of(x)));
  });
}

TEST_CASE("all_reduce: what is partial over an axis, or all that is partial") {
  on_every_mesh([](auto const& m, shape const& e) {
    auto const x = make_numbers<partial<layout<"x", none>, "y">>(m, e);
    auto const y = all_reduce<"y">(x);
    static_assert(has_layout<layout<"x", none>, decltype(y)>);
    CHECK(denotes(y, value_of(x)));

    auto const sums = make_numbers<partial<layout<none, none>, axes("x", "y")>>(m, e);
    auto const sum_over_y = all_reduce<"x">(sums);
    static_assert(has_layout<partial<layout<none, none>, "y">, decltype(sum_over_y)>);
    CHECK(denotes(sum_over_y, value_of(sums)));
    CHECK(denotes(all_reduce<axes("x", "y")>(sums), value_of(sums)));

    auto const nested = make_numbers<partial<partial<layout<none, none>, "y">, "x", op::max>>(m, e);
    auto const maxima = all_reduce<"y">(nested);
    static_assert(has_layout<partial<layout<none, none>, "x", op::max>, decltype(maxima)>);
    CHECK(denotes(maxima, value_of(nested)));
    auto const whole = all_reduce(nested);
    static_assert(has_layout<layout<none, none>, decltype(whole)>);
    CHECK(denotes(whole, value_of(nested)));

    index_t const before = m.collectives_run();
    auto const same = all_reduce(whole);
    CHECK(same.data() == whole.data());
    CHECK(m.collectives_run() == before);
  });
}

TEST_CASE("reduce_scatter: each rank keeps a piece of a dimension") {
  on_every_mesh([](auto const& m, shape const& e) {
    auto const x = make_numbers<partial<layout<"x", none>, "y">>(m, e);
    auto const inner = reduce_scatter<"y", 0>(x);
    static_assert(has_layout<layout<axes("x", "y"), none>, decltype(inner)>);
    CHECK(denotes(inner, value_of(x)));
    auto const columns = reduce_scatter<"y", 1>(x);
    static_assert(has_layout<layout<"x", "y">, decltype(columns)>);
    CHECK(denotes(columns, value_of(x)));
    auto const minima = make_numbers<partial<layout<none, none>, axes("x", "y"), op::min>>(m, e);
    auto const scattered = reduce_scatter<"x", 1>(minima);
    static_assert(has_layout<partial<layout<none, "x">, "y", op::min>, decltype(scattered)>);
    CHECK(denotes(scattered, value_of(minima)));
  });
}

TEST_CASE("as_partial: the same value as summands") {
  on_every_mesh([](auto const& m, shape const& e) {
    auto const x = make_numbers<layout<"x", none>>(m, e);
    auto const sums = as_partial<"y">(x);
    static_assert(has_layout<partial<layout<"x", none>, "y">, decltype(sums)>);
    CHECK(denotes(sums, value_of(x)));
    auto const maxima = as_partial<"y", op::max>(x);
    static_assert(has_layout<partial<layout<"x", none>, "y", op::max>, decltype(maxima)>);
    CHECK(denotes(maxima, value_of(x)));
    CHECK(shard(maxima) == shard(x));  // a maximum over equal numbers: no identity is needed
    auto const products = as_partial<"y", op::prod>(x);
    CHECK(denotes(products, value_of(x)));
    CHECK(m.collectives_run() == 0);
  });
}

TEST_CASE("counters: a collective is one call of MPI where MPI's collectives serve, and none over axes of size 1") {
  collectives_of_mpi const scope;
  on_every_mesh([](auto const& m, shape const& e) {
    std::uint64_t const x_larger = m.sizes().size[0] > 1, both_larger = m.size() > 1;
    auto const calls = [&](auto collective_on_tensor, collective v) {
      auto const before = pmpi::counted();
      index_t const all = m.collectives_run(), those = m.collectives_run(v);
      collective_on_tensor();
      pmpi::counts const mpi = pmpi::counted() - before;
      CHECK(m.collectives_run() - all == m.collectives_run(v) - those);
      CHECK(mpi.communicators_made == 0);
      return std::pair(static_cast<std::uint64_t>(m.collectives_run(v) - those), mpi);
    };
    bool const empty = e.size() == 0, even = e[0] % m.size() == 0 && e[1] % m.size() == 0;
    auto const check = [&](auto const& result, std::uint64_t expected, std::uint64_t pmpi::counts::*counter) {
      CHECK(result.first == expected);
      if (empty || even) {
        CHECK(result.second.*counter == (empty ? 0 : expected));
        CHECK(result.second.communication() == result.second.*counter);
      }
    };
    auto const rows = make_numbers<layout<"x", none>>(m, e);
    check(calls([&] { (void)all_gather<"x">(rows); }, collective::all_gather), x_larger, &pmpi::counts::all_gather);
    check(calls([&] { (void)all_to_all<"x", 1>(rows); }, collective::all_to_all), x_larger, &pmpi::counts::all_to_all);
    check(calls([&] { (void)as_partial<"y">(rows); }, collective::exchange), 0, &pmpi::counts::sends);
    check(calls([&] { (void)redistribute<layout<"x", "y">>(rows); }, collective::exchange), 0, &pmpi::counts::sends);
    auto const sums = make_numbers<partial<layout<none, none>, axes("x", "y")>>(m, e);
    check(calls([&] { (void)all_reduce<"x">(sums); }, collective::all_reduce), x_larger, &pmpi::counts::all_reduce);
    check(calls([&] { (void)reduce_scatter<axes("x", "y"), 0>(sums); }, collective::reduce_scatter), both_larger,
          &pmpi::counts::reduce_scatter);
    check(calls([&] { (void)all_reduce<"x">(bundle(sums, sums)); }, collective::all_reduce), x_larger,
          &pmpi::counts::all_reduce);
  });
}

TEST_CASE("counters: a permute is one message at most") {
  messages_of_mpi const scope;
  on_every_mesh([](auto const& m, shape const& e) {
    auto const x = make_numbers<layout<axes("x", "y"), none>>(m, e);
    auto const before = pmpi::counted();
    auto const y = redistribute<layout<axes("y", "x"), none>>(x);
    auto const mpi = pmpi::counted() - before;
    CHECK(m.collectives_run(collective::permute) == m.collectives_run());
    CHECK(mpi.collectives() == 0);
    if (e[0] % m.size() == 0) {  // pieces of equal size go whole
      CHECK(mpi.sends <= 1);
      CHECK(mpi.receives == mpi.sends);
    }
    CHECK(denotes(y, value_of(x)));
  });
}

namespace {

constexpr auto program = [](auto const& m) {
  auto const a = make<float, layout<"x", none>>(m, {12, 7});
  auto const b = make<float, layout<none, "y">>(m, {7, 11});
  auto const c = einsum<"ij,jk->ik">(a, b);
  auto const d = redistribute<layout<"y", "x">>(c);
  auto const norm = all_reduce(sum(d * 2.f));
  (void)all_reduce<"x">(bundle(sum<0>(c), as_partial<"x">(norm)));
  (void)reduce_scatter<"x", 0>(sum<0>(all_gather<"y">(c)));
};

}  // namespace

TEST_CASE("recorder: a program's ledger at run time is that of its dry run, again and again") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    recorder<grid> notes;
    m.record(&notes);
    constexpr int times = 50;
    for (int i = 0; i < times; ++i) program(m);
    m.record(nullptr);
    program(m);  // not noted
    ledger<grid> const expected = dry_run(m.shape(), program);
    REQUIRE(notes.log.count() == times * expected.count());
    CHECK((times + 1) * expected.count() == m.collectives_run());
    CHECK((m.size() == 1) == (expected.count() == 0));
    REQUIRE(notes.log.end() - notes.log.begin() == expected.end() - expected.begin());
    for (int i = 0; i < expected.end() - expected.begin(); ++i) {
      plan_detail::collective_record const &ran = notes.log[i], &planned = expected[i];
      CHECK(ran.times == times * planned.times);
      CHECK(ran.what == planned.what);
      CHECK(ran.axes == planned.axes);
      CHECK(ran.bytes_per_rank == planned.bytes_per_rank);
      CHECK(ran.when == planned.when);
      CHECK(ran.line == planned.line);
      CHECK(std::string_view(ran.file) == planned.file);
    }
  });
}

TEST_CASE("collectives: the operand and the result change apart, whether or not anything had to move") {
  on_every_mesh([](auto const& m, shape const& e) {
    auto x = make_numbers<layout<"x", "y">>(m, e);
    numbers const before = value_of(x), sevens(before.size(), 7);
    auto gathered = all_gather<"y">(x);
    auto again = redistribute<layout<"x", "y">>(gathered);
    auto const third = all_gather<"x">(x);
    fill(x, 7);
    CHECK(denotes(gathered, before));
    CHECK(denotes(again, before));
    CHECK(denotes(third, before));
    CHECK(denotes(x, sevens));
    fill(gathered, 7);
    CHECK(denotes(again, before));
    fill(again, 7);
    CHECK(denotes(third, before));
    auto y = make_numbers<layout<"x", "y">>(m, e);
    auto moved = all_to_all<"y", 0>(y);
    fill(moved, 7);
    CHECK(denotes(y, before));
    auto [reduced] = all_reduce<"x">(bundle(as_partial<"x">(third)));
    fill(reduced, 7);
    CHECK(denotes(third, before));
  });
}

TEST_CASE("collectives: the same calls with hundreds of shapes, again and again") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    int wrong = 0;
    for (int repeat = 0; repeat < 2; ++repeat)
      for (index_t rows = 0; rows < 20; ++rows)
        for (index_t columns = 0; columns < 20; ++columns) {
          auto const x = make_numbers<layout<"x", "y">>(m, shape::of(rows, columns));
          wrong += !denotes(redistribute<layout<"y", "x">>(x), value_of(x));
        }
    CHECK(wrong == 0);
  });
}
