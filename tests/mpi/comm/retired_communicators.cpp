// Communicators of meshes that have ended: all ranks free them together, or none does.
#include <ashlar/comm/collectives/all_reduce.hpp>
#include <ashlar/comm/device_mesh.hpp>
#include <ashlar/comm/retired_communicators.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "support/mpi_main.hpp"
#include "support/own_world.hpp"
#include "support/pmpi_counters.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using grid = mesh<axis<"x">, axis<"y">>;

std::int64_t communicators() {
  pmpi::counts const& c = pmpi::counted();
  return static_cast<std::int64_t>(c.communicators_made) - static_cast<std::int64_t>(c.communicators_freed);
}

std::array<int, 2> rectangle() {
  int const p = testing::ranks(), rows = p % 2 == 0 ? 2 : 1;
  return {rows, p / rows};
}

// The communicators that this rank has, the last one of them of a mesh that has ended.
std::int64_t communicators_after_a_mesh() {
  (void)device_mesh<line>(MPI_COMM_WORLD, {testing::ranks()});
  return communicators();
}

// The communicators of a mesh: one, and two more if the ranks are on several nodes.
std::int64_t communicators_of_a_mesh() {
  auto const before = pmpi::counted();
  (void)device_mesh<line>(MPI_COMM_WORLD, {testing::ranks()});
  return static_cast<std::int64_t>((pmpi::counted() - before).communicators_made);
}

// Adds over the axes of the mask, on all ranks.
void add(communicator const& c) {
  int x = 1;
  comm::all_reduce<op::sum>(c, &x, 1);
  CHECK(x == c.size());
}

}  // namespace

TEST_CASE("retired communicators: hundreds of meshes do not use more and more of them") {
  device_mesh<grid> const first(MPI_COMM_WORLD, rectangle());
  own_world const other;
  std::int64_t const before = communicators();
  std::int64_t most = 0;
  for (int i = 0; i < 300; ++i) {
    device_mesh<grid> const a(i % 2 == 0 ? MPI_COMM_WORLD : static_cast<MPI_Comm>(other), rectangle());
    add(a.communicator(0b10));
    // The program frees its communicator before the mesh ends. Ranks are in other pairs in turn.
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, (testing::rank() + i) / 2, testing::rank(), &part);
    int n = 0;
    MPI_Comm_size(part, &n);
    device_mesh<line> const b(part, {n});
    MPI_Comm_free(&part);
    add(b.communicator());
    if (i % 3 == 0) add(first.communicator());
    most = std::max(most, communicators() - before);
  }
  CAPTURE(most);
  CHECK(most < 60);
}

TEST_CASE("retired communicators: rows of a mesh may make different numbers of calls") {
  std::int64_t const before = communicators_after_a_mesh();
  for (int i = 0; i < 8; ++i) {
    device_mesh<grid> const m(MPI_COMM_WORLD, rectangle());
    for (int k = 0; k < m.coordinate(0); ++k) add(m.communicator(0b10));
  }
  CHECK(communicators_after_a_mesh() == before);
}

TEST_CASE("retired communicators: a mesh may live longer on some ranks") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  std::int64_t const of_a_mesh = communicators_of_a_mesh(), before = communicators_after_a_mesh();
  {
    std::optional<device_mesh<line>> late(std::in_place, MPI_COMM_WORLD, std::array{testing::ranks()});
    if (testing::rank() % 2 == 0) late.reset();
    CHECK(communicators_after_a_mesh() == before + of_a_mesh);
  }
  CHECK(communicators_after_a_mesh() == before);
}

TEST_CASE("retired communicators: those on which the ranks made different calls are kept") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  std::int64_t const of_a_mesh = communicators_of_a_mesh(), before = communicators_after_a_mesh();
  for (int i = 0; i < 3; ++i) {
    device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
    if (testing::rank() == 0) m.communicator().state().desync.note_call(7);
  }
  for (int i = 0; i < 3; ++i) CHECK(communicators_after_a_mesh() == before + 3 * of_a_mesh);
}

TEST_CASE("retired communicators: balances add up to 0 if the ranks of each communicator have made the same calls") {
  // Two rows of two ranks. Ranks 0 and 3 have made `a` calls, ranks 1 and 2 `b`.
  auto const sum = [](std::uint64_t a, std::uint64_t b, bool rows_differ) {
    std::uint64_t total = 0;
    for (int rank = 0; rank < 4; ++rank) {
      comm_detail::retired_communicators r;
      r.add_mesh(5);
      r.expect(5);
      int const row = rank / 2;
      std::uint64_t const calls = (rows_differ ? row == 0 : rank == 0 || rank == 3) ? a : b;
      r.retire({5, 1, 2 * row}, rank % 2, 2, calls, MPI_COMM_NULL);
      total += r.balances()[2];
    }
    return total;
  };
  CHECK(sum(3, 3, false) == 0);
  CHECK(sum(3, 4, true) == 0);
  CHECK(sum(3, 4, false) != 0);
}
