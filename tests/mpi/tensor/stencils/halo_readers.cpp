// Ranks of a node that read a halo late: their neighbours go on, and wait before they write what is still read.
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <unistd.h>
#include <cmath>
#include <optional>
#include <random>
#include <string_view>
#include <vector>
#include "support/host_memory.hpp"
#include "support/mpi_main.hpp"
#include "support/own_world.hpp"
#include "support/provoked.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using ring = layout<halo("x", 1, boundary::periodic)>;
using field = sharded_tensor<double, ring, line>;

constexpr index_t cells = 5000;  // too many for their ranks to copy them for the others
struct number {
  ASHLAR_FUNCTION double operator()(index_t i) const { return static_cast<double>(i); }
};
struct below_zero {
  ASHLAR_FUNCTION double operator()(index_t) const { return -1; }
};
struct sum_of_both {
  static constexpr auto reach = star(1);
  ASHLAR_FUNCTION double operator()(auto const& u) const { return Kokkos::fmod(u(-1) + u(1), 1024.); }
};

bool ranks_share_memory() {
  return std::string_view(device_mesh<line>(MPI_COMM_WORLD, {testing::ranks()}).transport()) == "shared memory";
}

// One rank begins an exchange by `begin`, and ends it when the others have ended theirs. They call write(field) then, which
// may change any cell.
template <class Begin, class Write>
void check_late_rank(Begin const& begin, Write const& write) {
  for (int const late : {0, testing::ranks() - 1}) {
    device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
    std::optional<field> u = generate<double, ring>(m, {cells}, number{});
    auto exchange = std::optional(begin(*u));
    int token = 0;
    if (m.rank() != late) {
      (void)exchange->wait();
      exchange.reset();  // u has its memory alone
      MPI_Send(&token, 1, MPI_INT, late, 7, MPI_COMM_WORLD);
      write(u);
      continue;
    }
    for (int i = 1; i < testing::ranks(); ++i)
      MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(10000);  // others would write by now if they did not wait
    (void)exchange->wait();
    auto const own = u->local_region().dim[0];
    auto const stored = u->stored_view();
    CHECK(stored(0) == static_cast<double>((own.begin + cells - 1) % cells));
    CHECK(stored(stored.size() - 1) == static_cast<double>(own.end % cells));
  }
}
constexpr auto one_field = [](field const& u) { return exchange_halo_async(u); };
constexpr auto two_fields = [](field const& u) {
  return exchange_halo_async(bundle(u, generate<double, ring>(u.mesh(), {cells}, number{})));
};
template <class Write>
void check_late_rank(Write const& write) {
  check_late_rank(one_field, write);
  check_late_rank(two_fields, write);
}

}  // namespace

TEST_CASE("halo: ranks end an exchange before a neighbour has read their cells, and write them after it has") {
  ASHLAR_NEEDS(testing::ranks() > 1 && host_reads_tensors && ranks_share_memory());
  check_late_rank([](std::optional<field>& u) { *u += *u; });
  check_late_rank([](std::optional<field>& u) { assign(*u, 0. * *u); });
  check_late_rank([](std::optional<field>& u) { std::fill_n(u->stored_data(), u->stored_extents().size(), -1.); });
  check_late_rank([](std::optional<field>& u) {
    device_mesh<line> const m = u->mesh();
    u.reset();
    std::vector<field> all;  // one of them has the memory
    for (int i = 0; i < 4; ++i) all.push_back(generate<double, ring>(m, {cells}, below_zero{}));
  });
}

TEST_CASE(
    "halo: a rank that reads its neighbours' cells until after the deadline is an error of those that write them") {
  ASHLAR_NEEDS(testing::ranks() > 1 && host_reads_tensors && ranks_share_memory());
  variable const deadline("ASHLAR_DEADLINE", "0.6");
  own_world const world;
  device_mesh<line> const m(world, {testing::ranks()});
  std::optional<field> u = generate<double, ring>(m, {cells}, number{});
  auto exchange = std::optional(exchange_halo_async(*u));
  bool const late = m.rank() == 0, near = m.rank() == 1 || m.rank() == testing::ranks() - 1;
  std::string text;
  if (!late) {
    (void)exchange->wait();
    exchange.reset();
    text = said([&] { *u += *u; });
  }
  MPI_Barrier(world);
  if (late) (void)exchange->wait();
  CAPTURE(text);
  CHECK(text.empty() == !(near && !late));
  if (near && !late) CHECK(text.find(" s on its node to write memory that rank 0 reads") != std::string::npos);
  MPI_Barrier(world);
}

TEST_CASE("halo: sweeps and updates in place by ranks that stop now and then have the values of one rank's sweeps") {
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
  constexpr index_t n = 3001;
  auto u = generate<double, ring>(m, {n}, number{});
  std::vector<double> expected(n), next(n);
  for (index_t i = 0; i < n; ++i) expected[static_cast<std::size_t>(i)] = static_cast<double>(i);
  std::mt19937 random(static_cast<unsigned>(7 + m.rank()));
  auto const stop = [&] {
    if (random() % 4 == 0) usleep(static_cast<useconds_t>(random() % 300));
  };
  for (int sweep = 0; sweep < 60; ++sweep) {
    for (std::size_t i = 0; i < n; ++i) {
      next[i] = std::fmod(expected[(i + n - 1) % n] + expected[(i + 1) % n], 1024.);
      if (sweep % 3 == 0) next[i] += 1;
    }
    std::swap(expected, next);
    stop();
    u = sweep % 2 == 0 ? stencil(sum_of_both{}, exchange_halo(u)) : stencil(sum_of_both{}, exchange_halo_async(u));
    stop();
    if (sweep % 3 == 0) u += 1.;
    if (sweep % 5 == 0) (void)exchange_halo(u);
    if (sweep % 5 == 0) u += 0. * u;
  }
  auto const own = u.local_region().dim[0];
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, u.owned_view());
  for (index_t i = 0; i < own.size(); ++i) CHECK(found(i) == expected[static_cast<std::size_t>(own.begin + i)]);
}
