// labels: waits
// Ranks that do not exchange or add the same halos learn it, on a node and by messages; and unfilled cells in debug builds.
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <cmath>
#include "support/mpi_main.hpp"
#include "support/own_world.hpp"
#include "support/provoked.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using ring = layout<halo("x", 1, boundary::periodic)>;
using wide = layout<halo("x", 2, boundary::periodic)>;

struct number {
  ASHLAR_FUNCTION double operator()(index_t i) const { return static_cast<double>(i); }
};

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }
template <class F>
std::string said_together(F f) {
  MPI_Barrier(MPI_COMM_WORLD);
  std::string const text = said(std::move(f));
  MPI_Barrier(MPI_COMM_WORLD);
  return text;
}
template <class H>
void add(device_mesh<line> const& m) {
  auto x = make<double, halo_sums<H>>(m, {1000});
  Kokkos::deep_copy(x.stored_view(), 1.);
  (void)add_halo(x);
}
void exchange(device_mesh<line> const& m) { (void)exchange_halo(generate<double, ring>(m, {1000}, number{})); }
void exchange_two(device_mesh<line> const& m) {
  auto const u = generate<double, ring>(m, {1000}, number{});
  (void)exchange_halo(bundle(u, u));
}

// What each rank hears if `culprit` calls `other`, and all others `usual`. Ranks that are no neighbours of the culprit may
// hear nothing by messages.
template <class Usual, class Other>
void check_calls(char const* transport, Usual const& usual, Other const& other) {
  variable const by(transport[0] == 'm' ? "ASHLAR_TRANSPORT" : "ASHLAR_RANKS_PER_NODE",
                    transport[0] == 'm' ? "mpi" : "");
  int const p = testing::ranks();
  for (int const culprit : {0, p - 1}) {
    own_world const world;
    device_mesh<line> const m(world, {p});
    std::string const text = said_together([&] {
      if (m.rank() == culprit)
        other(m);
      else
        usual(m);
    });
    int const apart = std::abs(testing::rank() - culprit), distance = std::min(apart, p - apart);
    CAPTURE(text);
    CHECK((contains(text, "ashlar: ") || distance > 1));
    if (distance == 0) CHECK(contains(text, "the ranks do not call the same"));
  }
}

}  // namespace

TEST_CASE("halo: ranks that do not call the same learn it") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  double const patience = std::exchange(comm::tuned.patience, 0.01);
  for (char const* const transport : {"mpi", "node"}) {
    check_calls(transport, add<ring>, exchange);
    check_calls(transport, add<ring>, add<wide>);
    check_calls(transport, exchange, exchange_two);
  }
  comm::tuned.patience = patience;
}

TEST_CASE("halo: a rank that does not add its halo by the deadline is an error") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  for (bool const adds : {true, false}) {
    variable const deadline("ASHLAR_DEADLINE", "0.5");
    own_world const world;
    bool const absent = testing::rank() == testing::ranks() - 1;
    device_mesh<line> const m(world, {testing::ranks()});  // lives until the others' messages have arrived
    std::string const text = said_together([&] {
      if (absent) return;
      if (adds)
        add<ring>(m);
      else
        exchange_two(m);
    });
    bool const near = testing::rank() == 0 || testing::rank() + 2 == testing::ranks();
    CAPTURE(text);
    bool const said_so = contains(text, "the deadline is over") || contains(text, "which has not come");
    CHECK((absent || !near || said_so));
  }
}

TEST_CASE("halo: new unfilled cells are NaN in builds with assertions, until they are exchanged") {
  ASHLAR_NEEDS(tensor_detail::unfilled_cells_are_nan<double>);
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
  auto const u = generate<double, ring>(m, {1000}, number{});
  auto const numbers = [](auto const& x) {
    auto const v = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x.stored_view());
    return std::count_if(v.data(), v.data() + v.size(), [](auto const& e) { return e == e; });
  };
  index_t const own = u.local_region().size();
  CHECK(numbers(u) == own);
  CHECK(numbers(plan_detail::materialize(u + u)) == own);
  CHECK(numbers(exchange_halo(u)) == own + 2);
  CHECK(numbers(make<double, ring>(m, {1000})) == 0);
  CHECK(numbers(make<Kokkos::complex<float>, ring>(m, {1000})) == 0);
}
