// labels: mpich
// Exchanges by messages of rows that derived datatypes describe, in memory that other ranks cannot see.
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include "support/halo_meshes.hpp"
#include "support/host_memory.hpp"
#include "support/pmpi_counters.hpp"
#include "support/stored_cells.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;

struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j, index_t k) const {
    return static_cast<double>(1000000 * (i + 1) + 1000 * j + k);
  }
};

// The halo of an adopted tensor after an exchange, compared with the one that generate computes. True if it made derived datatypes.
template <class H>
bool makes_types(device_mesh<grid> const& m, std::array<index_t, 3> const& n) {
  auto const expected = generate<double, fresh<H>>(m, {n[0], n[1], n[2]}, number{});
  shape const stored = expected.stored_extents();
  Kokkos::View<double***, Kokkos::LayoutRight> const mine("mine", stored[0], stored[1], stored[2]);
  auto x = adopt<H>(m, mine, {n[0], n[1], n[2]});
  assign(x, generate<double, H>(m, {n[0], n[1], n[2]}, number{}));
  auto const before = pmpi::counted();
  auto const filled = exchange_halo(x);
  auto const made = (pmpi::counted() - before).types_made;
  CHECK(test::same_stored_cells(filled, expected));
  (void)exchange_halo(x);  // the types are kept
  CHECK((pmpi::counted() - before).types_made == made);
  return made > 0;
}

template <class H>
void check_rows(std::vector<std::array<index_t, 3>> const& extents, bool by_types) {
  for (auto const& sizes : test::halo_meshes()) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
    for (auto const& n : extents) {
      bool const types = makes_types<H>(m, n);
      if (sizes[0] == testing::ranks() && sizes[0] > 1 && sizes[0] < n[0]) CHECK(types == by_types);
    }
  }
}

}  // namespace

TEST_CASE("halo: rows of cells are sent where they are") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  check_rows<layout<halo("y", 2, boundary::mirror), halo("x", 1), halo(none, 1)>>({{9, 5, 130}, {17, 90, 2}}, true);
  check_rows<layout<halo("y", 1, boundary::odd), halo("x", 2, boundary::copy), none>>({{12, 3, 70}, {5, 9, 200}},
                                                                                      false);
}
