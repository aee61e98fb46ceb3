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

// What each rank says of f(m) and of a collective after it, on a mesh of its own.
template <class F>
std::string said_by_ranks(F f) {
  double const patience = std::exchange(comm::tuned.patience, 0.01);
  MPI_Barrier(MPI_COMM_WORLD);
  std::string text;
  {
    own_world const world;
    text = said([&] {
      device_mesh<line> const m(world, {testing::ranks()});
      f(m);
      (void)all_reduce(sum(ones<double, split>(m, {testing::ranks()})));
    });
  }
  MPI_Barrier(MPI_COMM_WORLD);
  comm::tuned.patience = patience;
  return text;
}

// Every rank has an error. Some may learn only that another has given up.
template <class F>
void check_ranks_say(std::string const& sentence, F f) {
  std::string const text = said_by_ranks(f);
  CAPTURE(sentence);
  CAPTURE(text);
  CHECK(contains(text, "gather.cpp:"));
  int says = contains(text, sentence) && contains(text, "; called at gather.cpp:") ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &says, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(says >= 1);
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
  says("ashlar::softmax_cross_entropy: label 4 at (5) is outside the 4 classes; give rows without a label the weight 0",
       [&] { (void)softmax_cross_entropy(logits, classes); });
  says(
      "ashlar::softmax_cross_entropy: label -1 at (2) is outside the 4 classes; give rows without a label the weight 0",
      [&] { (void)softmax_cross_entropy(logits, below, ones<double, whole>(m, {places})); });
  says("ashlar::sharded_cross_entropy: label 4 at (5) is outside the 4 classes",
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
    check_ranks_say("ashlar::softmax_cross_entropy: label 4 at (5) is outside the 4 classes", [](auto const& m) {
      (void)softmax_cross_entropy(rows_of<layout<"x", none>>(m, places, 4), index_with<split>(m, 5, 4));
    });
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
