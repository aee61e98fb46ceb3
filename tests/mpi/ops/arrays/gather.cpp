// take, scatter_add, take_along and losses of an index or a label outside: one error on every rank, which names it.
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/mpi_main.hpp"
#include "support/own_world.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using whole = layout<none>;
using split = layout<"x">;

// 0 1 2 .., but `wrong` at one place.
struct index_of_place {
  index_t at, wrong;
  KOKKOS_FUNCTION int operator()(index_t i) const { return static_cast<int>(i == at ? wrong : i % 4); }
};
struct index_of_line : index_of_place {
  KOKKOS_FUNCTION int operator()(index_t i, index_t j) const { return i == at && j == 1 ? static_cast<int>(wrong) : 2; }
};
struct number_of_place {
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(10 * i + j); }
};

constexpr index_t places = 7;

template <class L>
auto index_with(device_mesh<line> const& m, index_t at, index_t wrong) {
  return generate<int, L>(m, {places}, index_of_place{at, wrong});
}
template <class L>
auto rows_of(device_mesh<line> const& m, index_t n, index_t width = 2) {
  return generate<double, L>(m, {n, width}, number_of_place{});
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

// A collective of tensors.
auto const reduces = [](auto const& m) { (void)all_reduce(sum(ones<double, split>(m, {testing::ranks()}))); };

// What each rank says of f(m) and of next(m) after it, on a mesh of its own.
template <class F, class Next>
std::string said_by_ranks(F f, Next next) {
  double const patience = std::exchange(comm::tuned.patience, 0.01);
  MPI_Barrier(MPI_COMM_WORLD);
  std::string text;
  {
    own_world const world;
    text = said([&] {
      device_mesh<line> const m(world, {testing::ranks()});
      f(m);
      next(m);
    });
  }
  MPI_Barrier(MPI_COMM_WORLD);
  comm::tuned.patience = patience;
  return text;
}

// Every rank says the sentence, with the line of the index, and nothing else.
template <class F, class Next>
void check_ranks_say(std::string const& sentence, F f, Next next) {
  std::string const text = said_by_ranks(f, next);
  CAPTURE(sentence);
  CAPTURE(text);
  CHECK(text.find(sentence) == 0);
  CHECK(contains(text, "; called at gather.cpp:"));
}
template <class F>
void check_ranks_say(std::string const& sentence, F f) {
  check_ranks_say(sentence, f, reduces);
}

}  // namespace

TEST_CASE("an index that every rank has throws at once, and the mesh goes on") {
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
  auto const says = [&](std::string const& sentence, auto f) {
    std::string const text = said(f);
    CAPTURE(text);
    CHECK(contains(text, sentence + "; called at gather.cpp:"));
    CHECK(item(all_reduce(sum(ones<double, split>(m, {5})))) == 5);
  };
  auto const table = rows_of<layout<none, none>>(m, 6);
  auto const split_table = rows_of<layout<"x", none>>(m, 6);
  auto const index = index_with<whole>(m, 3, 77), below = index_with<whole>(m, 2, -1),
             last = index_with<whole>(m, 0, 6);
  std::string const rows = " is outside the 6 rows of the table; write drop_outside ";
  says("ashlar::take: index 77 at (3)" + rows + "for a row of 0", [&] { (void)take(table, index); });
  says("ashlar::take: index -1 at (2)" + rows + "for a row of 0", [&] { (void)take(split_table, below); });
  says("ashlar::take: index 6 at (0)" + rows + "for a row of 0", [&] { (void)embedding(split_table, last); });
  auto const update = rows_of<layout<none, none>>(m, places);
  says("ashlar::scatter_add: index 77 at (3)" + rows + "to drop its row",
       [&] { (void)scatter_add(update, index, table); });
  says("ashlar::scatter_add: index 6 at (0)" + rows + "to drop its row",
       [&] { (void)scatter_add(update, last, split_table); });
  says("ashlar::take_along: index 3 at (4, 1) is outside the 3 elements of a line; clamp the index", [&] {
    (void)take_along<1>(rows_of<layout<none, none>>(m, places, 3),
                        generate<int, layout<none, none>>(m, {places, 2}, index_of_line{{4, 3}}));
  });
  auto const logits = rows_of<layout<none, none>>(m, places, 4);
  auto const classes = index_with<whole>(m, 5, 4);
  says(
      "ashlar::nn::softmax_cross_entropy: label 4 at (5) is outside the 4 classes; give rows without a label the weight 0",
      [&] { (void)softmax_cross_entropy(logits, classes); });
  says(
      "ashlar::nn::softmax_cross_entropy: label -1 at (2) is outside the 4 classes; give rows without a label the weight 0",
      [&] { (void)softmax_cross_entropy(logits, below, ones<double, whole>(m, {places})); });
  says("ashlar::nn::sharded_cross_entropy: label 4 at (5) is outside the 4 classes",
       [&] { (void)sharded_cross_entropy(rows_of<layout<none, "x">>(m, places, 4), classes); });
}

TEST_CASE("an index that some ranks have is an error on every rank in the next collective") {
  for (char const* const transport : {"mpi", ""}) {
    variable const by("ASHLAR_TRANSPORT", transport);
    check_ranks_say("ashlar::take: index 77 at (5) is outside the 6 rows of the table",
                    [](auto const& m) { (void)take(rows_of<layout<none, none>>(m, 6), index_with<split>(m, 5, 77)); });
    check_ranks_say("ashlar::scatter_add: index 6 at (0) is outside the 6 rows of the table", [](auto const& m) {
      (void)scatter_add(rows_of<layout<"x", none>>(m, places), index_with<split>(m, 0, 6),
                        rows_of<layout<none, none>>(m, 6));
    });
    check_ranks_say("ashlar::take_along: index 3 at (4, 1) is outside the 3 elements", [](auto const& m) {
      (void)take_along<1>(rows_of<layout<"x", none>>(m, places, 3),
                          generate<int, layout<"x", none>>(m, {places, 2}, index_of_line{{4, 3}}));
    });
    check_ranks_say("ashlar::nn::softmax_cross_entropy: label 4 at (5) is outside the 4 classes", [](auto const& m) {
      (void)softmax_cross_entropy(rows_of<layout<"x", none>>(m, places, 4), index_with<split>(m, 5, 4));
    });
  }
}

TEST_CASE("an index that one rank has found reaches all ranks by whatever they call next") {
  auto const wrong = [](auto const& m) { (void)take(rows_of<layout<none, none>>(m, 6), index_with<split>(m, 5, 77)); };
  std::string const sentence = "ashlar::take: index 77 at (5) is outside the 6 rows of the table; write drop_outside";
  for (char const* const transport : {"mpi", ""}) {
    variable const by("ASHLAR_TRANSPORT", transport);
    check_ranks_say(sentence, wrong, [](auto const& m) { (void)gather(ones<double, split>(m, {places})); });
    check_ranks_say(sentence, wrong, [](auto const& m) { comm::collectively(m.communicator(), [] {}); });
    check_ranks_say(sentence, wrong, [](auto const& m) {
      comm::require_equal(m.communicator(), std::vector<index_t>{m.rank()}, "ranks");
    });
    check_ranks_say(sentence, wrong, [](auto const& m) {
      int one = 1;
      comm::broadcast(m.communicator(), &one, 1, 0);
    });
    check_ranks_say(sentence, wrong, [](auto const& m) {
      int one = 1;
      comm::all_reduce<op::sum>(m.communicator(), &one, 1);
    });
    // A rank that waits for none with the error learns it in the next call.
    check_ranks_say(sentence, wrong, [](auto const& m) {
      (void)roll<0>(ones<double, split>(m, {places}), 1);
      reduces(m);
    });
    check_ranks_say(sentence, wrong,
                    [](auto const& m) { (void)all_gather_async<"x">(ones<double, split>(m, {places})).wait(); });
    // A call in which no rank waits brings nobody the sentence, so the next one does.
    check_ranks_say(sentence, wrong, [](auto const& m) {
      (void)all_gather<"x">(ones<double, split>(m, {0}));
      reduces(m);
    });
    // MPI's own collectives, with and without a comparison before them.
    for (int const agree_every : {1, 1000}) {
      auto const tuned = comm::tuned;
      comm::tuned.forced.reset();  // whatever ASHLAR_ALGORITHM says
      comm::tuned.exchange_ranks = 1;
      comm::tuned.agree_every = static_cast<std::uint64_t>(agree_every);
      check_ranks_say(sentence, wrong, [](auto const& m) {
        for (int i = 0; i < 3; ++i) (void)all_gather<"x">(ones<double, split>(m, {places}));
      });
      comm::tuned = tuned;
    }
  }
}

TEST_CASE("if every rank has found an index, every rank says one of them; where all compare, the first rank's") {
  auto const wrong = [](auto const& m) {
    index_t const p = testing::ranks();
    (void)take(rows_of<layout<none, none>>(m, 6),
               generate<int, split>(m, {p}, [] KOKKOS_FUNCTION(index_t i) { return static_cast<int>(70 + i); }));
  };
  for (char const* const transport : {"mpi", ""}) {
    variable const by("ASHLAR_TRANSPORT", transport);
    check_ranks_say("ashlar::take: index 7", wrong);
    check_ranks_say("ashlar::take: index 70 at (0)", wrong,
                    [](auto const& m) { comm::collectively(m.communicator(), [] {}); });
  }
  one_node const node;
  check_ranks_say("ashlar::take: index 70 at (0)", wrong);
}

TEST_CASE("an index outside a table that other ranks share, on a mesh of two axes") {
  ASHLAR_NEEDS(testing::ranks() == 4);
  using grid = mesh<axis<"x">, axis<"y">>;
  for (char const* const transport : {"mpi", ""}) {
    variable const by("ASHLAR_TRANSPORT", transport);
    double const patience = std::exchange(comm::tuned.patience, 0.01);
    auto const check = [&](std::string const& sentence, auto f) {
      MPI_Barrier(MPI_COMM_WORLD);
      own_world const world;
      std::string const text = said([&] {
        device_mesh<grid> const m(world, {2, 2});
        auto const index = generate<int, layout<"y">>(m, {places}, index_of_place{5, 77});
        f(m, index);
        comm::collectively(m.communicator(), [] {});
      });
      MPI_Barrier(MPI_COMM_WORLD);
      CAPTURE(text);
      CHECK(text.find(sentence) == 0);
    };
    auto const rows = [](auto const& m, auto layout_of, index_t n, index_t width) {
      return generate<double, decltype(layout_of)>(m, {n, width}, number_of_place{});
    };
    using by_x = layout<"x", none>;
    check("ashlar::take: index 77 at (5) is outside the 6 rows",
          [&](auto const& m, auto const& index) { (void)take(rows(m, by_x{}, 6, 2), index); });
    check("ashlar::take: index 77 at (5) is outside the 6 rows",
          [&](auto const& m, auto const& index) { (void)embedding(rows(m, by_x{}, 6, 2), index); });
    check("ashlar::scatter_add: index 77 at (5) is outside the 6 rows", [&](auto const& m, auto const& index) {
      (void)scatter_add(rows(m, layout<"y", none>{}, places, 2), index, rows(m, by_x{}, 6, 2));
    });
    check("ashlar::nn::sharded_cross_entropy: label 77 at (5) is outside the 4 classes",
          [&](auto const& m, auto const& index) {
            (void)sharded_cross_entropy(rows(m, layout<"y", "x">{}, places, 4), index);
          });
    comm::tuned.patience = patience;
  }
}

TEST_CASE("drop_outside, rows of weight 0 and labels of -1 take any index") {
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
  auto const table = rows_of<layout<none, none>>(m, 6);
  auto const index = index_with<split>(m, 3, 77);  // 0 1 2 77 0 1 2
  CHECK(gather_all(take(table, index, drop_outside)) ==
        std::vector<double>{0, 1, 10, 11, 20, 21, 0, 0, 0, 1, 10, 11, 20, 21});
  auto const [value, slope] =
      value_and_grad<"x">([&](auto const& t) { return sum(take(t, index, drop_outside)); })(table);
  CHECK(item(all_reduce(value)) == 126);
  CHECK(gather_all(all_reduce(slope)) == std::vector<double>{2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0});
  CHECK(gather_all(all_reduce(scatter_add(rows_of<layout<"x", none>>(m, places), index, table, drop_outside))) ==
        std::vector<double>{40, 42, 60, 62, 80, 82, 0, 0, 0, 0, 0, 0});

  auto const logits = zeros<double, layout<"x", none>>(m, {places, 4});
  auto const weights = cast<double>(index < 4);
  CHECK(item(all_reduce(softmax_cross_entropy(logits, index, weights))) == doctest::Approx(6 * std::log(4.)));
  CHECK(std::isnan(item(all_reduce(softmax_cross_entropy(logits, index_with<split>(m, 3, -1))))));
  CHECK(item(all_reduce(softmax_cross_entropy(logits, index_with<split>(m, 3, 3)))) == doctest::Approx(std::log(4.)));
}
