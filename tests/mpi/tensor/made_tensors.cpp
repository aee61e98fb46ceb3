// Tensors that the ranks do not make alike: the next call of the mesh says so on every rank.
#include "ashlar/comm/desync/made_tensors.hpp"
#include "ashlar/ops/collectives.hpp"
#include "ashlar/ops/math.hpp"
#include "ashlar/ops/random.hpp"
#include "ashlar/ops/reduce.hpp"
#include "ashlar/ops/select.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/stencils/make_haloed.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/tensor/storage.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include "support/own_world.hpp"
#include "support/pmpi_counters.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

#include <array>
#include <utility>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using rows = layout<"x", none>;

struct ones_of_two {
  KOKKOS_FUNCTION double operator()(index_t, index_t) const { return 1; }
};

device_mesh<line> all_ranks() { return device_mesh<line>(MPI_COMM_WORLD, {testing::ranks()}); }
bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

constexpr std::array constructors{"make",   "generate", "generate with a halo", "zeros", "ones", "uniform", "normal",
                                  "arange", "full"};

// Constructor i of a tensor with n rows.
void construct(device_mesh<line> const& m, std::size_t i, index_t n) {
  switch (i) {
    case 0:
      (void)make<double, rows>(m, {n, 10});
      return;
    case 1:
      (void)generate<double, rows>(m, {n, 10}, ones_of_two{});
      return;
    case 2:
      (void)generate<double, layout<halo("x", 1), none>>(m, {n, 10}, ones_of_two{});
      return;
    case 3:
      (void)zeros<double, rows>(m, {n, 10});
      return;
    case 4:
      (void)ones<double, rows>(m, {n, 10});
      return;
    case 5:
      (void)uniform<double, rows>(m, {n, 10}, prng_key{1});
      return;
    case 6:
      (void)normal<double, rows>(m, {n, 10}, prng_key{1});
      return;
    case 7:
      (void)arange<double, layout<"x">>(m, n);
      return;
    default:
      (void)full<double, rows>(m, {n, 10}, 2.);
      return;
  }
}

// What a collective of equal extents on every rank says after f.
template <class F>
std::string said_after(F f) {
  MPI_Barrier(MPI_COMM_WORLD);
  std::string const text = said([&, m = all_ranks()] {
    f(m);
    (void)all_reduce<"x">(tensor_of<double, partial<layout<none>, "x">>(m, shape::of(64), small_number));
  });
  MPI_Barrier(MPI_COMM_WORLD);
  return text;
}

struct transport {
  variable chosen;
  double const patience = std::exchange(comm::tuned.patience, 0.01);
  explicit transport(char const* name) : chosen("ASHLAR_TRANSPORT", name) {}
  ~transport() { comm::tuned.patience = patience; }
};

}  // namespace

TEST_CASE("made tensors: extents that differ between ranks are an error on every rank that names both lines") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  for (char const* const name : {"mpi", ""}) {
    transport const by(name);
    int const culprit = testing::ranks() - 1;
    for (std::size_t i = 0; i < constructors.size(); ++i) {
      bool const differs = testing::rank() == culprit;
      std::string const text = said_after([&](auto const& m) { construct(m, i, differs ? 7 : 6); });
      CAPTURE(std::string(constructors[i]));
      CAPTURE(text);
      CHECK(text.find("ashlar: the ranks do not make the same tensors: before call 1 of the mesh, all_reduce over x, "
                      "made_tensors.cpp:") == 0);
      CHECK(contains(text, ", tensor 1 is {6"));
      CHECK(contains(text, " and {7"));
      CHECK(contains(text, ", on rank " + std::to_string(culprit)));
    }
  }
}

TEST_CASE("made tensors: the sum of rows that a rank gives in another number") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  transport const by("");
  std::string const text = said_after([](auto const& m) {
    auto const x = generate<double, rows>(m, {6 + testing::rank(), 10}, ones_of_two{});
    (void)all_reduce<"x">(sum(x));
  });
  CHECK(contains(text, "tensor 1 is {"));  // any two of the ranks
  CHECK(contains(text, ", on rank "));

  unsigned const line_of_0 = __LINE__ + 4, line_of_others = __LINE__ + 6;
  std::string const lines = said_after([](auto const& m) {
    // clang-format off
    if (testing::rank() == 0)
      (void)zeros<double, rows>(m, {6, 10});
    else
      (void)ones<double, rows>(m, {6, 11});
    // clang-format on
  });
  CHECK(contains(lines, "tensor 1 is {6, 10}, made_tensors.cpp:" + std::to_string(line_of_0) +
                            ", on rank 0 and {6, 11}, made_tensors.cpp:" + std::to_string(line_of_others) +
                            ", on rank "));
}

TEST_CASE("made tensors: an argument that makes replicas differ is an error on every rank that names both") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  int const culprit = testing::ranks() - 1;
  auto const own = [&](auto right, auto wrong) { return testing::rank() == culprit ? wrong : right; };
  auto const whole = [](auto const& m) { return zeros<double, layout<none, none>>(m, {4, 3}); };
  auto const says = [&](auto f, std::string const& right, std::string const& wrong) {
    for (char const* const name : {"mpi", ""}) {
      transport const by(name);
      std::string const text = said_after(f);
      CAPTURE(text);
      CHECK(contains(text, right));
      CHECK(contains(text, wrong));
      CHECK(contains(text, "on rank " + std::to_string(culprit)));
    }
  };
  says([&](auto const& m) { (void)full<double, layout<none>>(m, {3}, own(1., 1.5)); }, "{3} with value 1",
       "{3} with value 1.5");
  says([&](auto const& m) { (void)full<int, layout<none>>(m, {3}, own(-1, 2)); }, "{3} with value -1",
       "{3} with value 2");
  says(
      [&](auto const& m) {
        (void)uniform<double, rows>(m, {4, 3}, prng_key{own(7u, 8u)});
      },
      "{4, 3} with key 7", "{4, 3} with key 8");
  says([&](auto const& m) { (void)dropout(whole(m), 0.5, prng_key{own(1u, 2u)}); }, "{4, 3} with key 1",
       "{4, 3} with key 2");
  says(
      [&](auto const& m) {
        auto x = whole(m);
        fill(x, own(2., 3.));
      },
      "{4, 3} with value 2", "{4, 3} with value 3");
  says([&](auto const& m) { (void)select(whole(m), own(0, 3)); }, "{4, 3} with index 0", "{4, 3} with index 3");
  unsigned const of_culprit = __LINE__ + 4, of_others = __LINE__ + 6;
  auto const in_two_lines = [&](auto const& m) {
    // clang-format off
    if (testing::rank() == culprit)
      (void)generate<double, layout<none, none>>(m, {4, 3}, ones_of_two{});
    else
      (void)generate<double, layout<none, none>>(m, {4, 3}, ones_of_two{});
    // clang-format on
  };
  says(in_two_lines, "{4, 3} with line " + std::to_string(of_others) + ", made_tensors.cpp",
       "{4, 3} with line " + std::to_string(of_culprit) + ", made_tensors.cpp");
}

TEST_CASE("made tensors: the parts of a sharded tensor may have values, and be written in lines, of each rank's own") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  transport const by("");
  CHECK(said_after([&](auto const& m) {
          auto x = full<double, rows>(m, {4, 3}, 1. + testing::rank());
          fill(x, 2. + testing::rank());
          auto terms = make<double, partial<layout<none>, "x">>(m, {3});
          fill(terms, 3. + testing::rank());
          if (testing::rank() == 0)
            (void)generate<double, rows>(m, {4, 3}, ones_of_two{});
          else
            (void)generate<double, rows>(m, {4, 3}, ones_of_two{});
        }) == "");
}

TEST_CASE("made tensors: one tensor too many on a rank") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  for (char const* const name : {"mpi", ""}) {
    transport const by(name);
    std::string const text = said_after([](auto const& m) {
      (void)make<double, rows>(m, {6, 10});
      if (testing::rank() == 1) (void)make<float, rows>(m, {6, 10});
    });
    CAPTURE(text);
    CHECK(contains(text, "2 on rank 1"));  // and 1 on any other rank
    CHECK(contains(text, ", of which tensor 2 is {6, 10}, made_tensors.cpp:"));
  }
}

TEST_CASE("made tensors: in another order, by hundreds, and none at all are no error") {
  for (char const* const name : {"mpi", ""}) {
    transport const by(name);
    CHECK(said_after([](auto const& m) {
            for (index_t i = 0; i < 300; ++i) (void)make<double, rows>(m, {testing::rank() % 2 == 0 ? i : 299 - i, 10});
          }) == "");
    CHECK(said_after([](auto const&) {}) == "");
    auto const m = all_ranks();
    for (index_t i = 0; i < 40; ++i) {
      auto const x = generate<double, rows>(m, {i, 3}, ones_of_two{});
      CHECK(item(all_reduce<"x">(sum(x))) == 3. * static_cast<double>(i));
    }
  }
}

TEST_CASE("made tensors: a constructor sends nothing, and a step does not send or allocate more than without them") {
  for (char const* const name : {"mpi", ""}) {
    transport const by(name);
    auto const m = all_ranks();
    auto const x = tensor_of<double, partial<layout<none>, "x">>(m, shape::of(64), small_number);
    auto const reduce = [&] {
      auto const before = pmpi::counted();
      (void)all_reduce<"x">(x);
      return pmpi::counted() - before;
    };
    auto const counted_over_calls = [&](bool makes) {
      pmpi::counts const before = pmpi::counted();
      std::size_t const allocations = tensor_detail::pool<Kokkos::HostSpace>::allocations();
      for (int i = 0; i < 64; ++i) {  // a whole number of the intervals between comparisons
        if (makes) {
          pmpi::counts const start = pmpi::counted();
          (void)make<double, rows>(m, {i, 10});
          CHECK(pmpi::counted() == start);
        }
        (void)reduce();
      }
      return std::pair((pmpi::counted() - before).communication(),
                       tensor_detail::pool<Kokkos::HostSpace>::allocations() - allocations);
    };
    for (int i = 0; i < 64; ++i) (void)reduce();
    auto const without = counted_over_calls(false);
    (void)counted_over_calls(true);
    auto const with = counted_over_calls(true);
    CHECK(with.first == without.first);
    CHECK(with.second == without.second);
  }
}
