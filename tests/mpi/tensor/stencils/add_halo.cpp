// add_halo is the transpose of exchange_halo: <Fx, y> = <x, F*y>, in integers. Cell by cell it is the sum of all copies.
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>
#include "support/halo_definitions.hpp"
#include "support/halo_meshes.hpp"
#include "support/host_memory.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;

// Integers that look random.
double integer(index_t seed, index_t i) {
  auto const x = static_cast<std::uint64_t>(seed * 1000003 + i + 1) * 0x9e3779b97f4a7c15u;
  return static_cast<double>(static_cast<index_t>(x >> 40) % 2001 - 1000);
}
struct any_integer {
  index_t seed;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j = 0, index_t k = 0) const {
    auto const x = static_cast<std::uint64_t>(((seed * 131 + i) * 131 + j) * 131 + k + 1) * 0x9e3779b97f4a7c15u;
    return static_cast<double>(static_cast<index_t>(x >> 40) % 2001 - 1000);
  }
};

// The sum of products of this rank's stored cells: of owned cells; and of cells that an exchange fills if `halo`.
template <corners C, class X, class Y>
double product(X const& a, Y const& b, bool halo) {
  auto const own = a.local_region();
  shape const stored = a.stored_extents();
  double sum = 0;
  for (index_t i = 0; i < stored.size(); ++i) {
    int outside = 0;
    bool given = false;
    index_t rest = i;
    for (int d = X::rank - 1; d >= 0; --d) {
      auto const& w = X::widths.dim[d];
      index_t const v = own.dim[d].begin - w.lower + rest % stored[d];
      rest /= stored[d];
      outside += v < own.dim[d].begin || v >= own.dim[d].end;
      given = given || layout_detail::cell_at(v, a.extent(d), w).given;
    }
    bool const filled = halo && !given && (C == corners::filled || outside == 1);
    if (outside == 0 || filled) sum += a.stored_data()[i] * b.stored_data()[i];
  }
  return sum;
}

// The sum of all copies of each cell on the ranks that differ from this one along sharding axes only. Rank r has
// integer(r, i) in stored cell i.
template <class Y>
std::vector<double> sums_of_copies(Y const& y, corners which) {
  mesh_shape const sizes = y.mesh().sizes();
  axis_mask const others = ~Y::layout.sharding();
  std::vector<double> sums(static_cast<std::size_t>(y.extents().size()));
  for (int r = 0; r < sizes.ranks(); ++r) {
    if (sizes.position(r, others) != sizes.position(y.mesh().rank(), others)) continue;
    test::for_each_stored_index(local_region(y.extents(), Y::layout, sizes, r), Y::widths,
                                [&](test::three_indices const& v, int outside, index_t i) {
                                  auto const at = test::shown_by(Y::widths, y.extents(), v);
                                  if (at.given || at.sign == 0 || (which == corners::skipped && outside > 1)) return;
                                  sums[static_cast<std::size_t>(at.cell)] += at.sign * integer(r, i);
                                });
  }
  return sums;
}
template <class X, class Y>
void check_cells(X const& found, Y const& y, corners which) {
  auto const sums = sums_of_copies(y, which);
  int wrong = 0, given_not_cleared = 0;
  test::for_each_stored(found, [&](test::three_indices const& v, int outside, double cell) {
    auto const at = test::shown_by(X::widths, found.extents(), v);
    if (outside == 0) wrong += cell != sums[static_cast<std::size_t>(at.cell)];
    given_not_cleared += at.given && cell != 0;
  });
  CHECK(wrong == 0);
  CHECK(given_not_cleared == 0);
}

template <class H, corners C, class M, std::size_t N>
void check_transpose(M const& m, std::array<index_t, N> const& n) {
  index_t extents[N];
  for (std::size_t d = 0; d < N; ++d) extents[d] = n[d];
  auto y = make<double, halo_sums<H>>(m, extents);
  index_t const size = y.stored_extents().size();
  for (index_t i = 0; i < size; ++i) y.stored_data()[i] = integer(m.rank(), i);
  auto const back = add_halo<C>(y);
  static_assert(std::is_same_v<layout_t<decltype(back)>, H>);
  int wrong = 0;  // operations write no operand
  for (index_t i = 0; i < size; ++i) wrong += y.stored_data()[i] != integer(m.rank(), i);
  CHECK(wrong == 0);
  check_cells(back, y, C);
#ifdef ASHLAR_LONG_TESTS
  constexpr index_t seeds = 3;
#else
  constexpr index_t seeds = 1;
#endif
  double sums[2 * seeds];  // of each x: <Fx, y> and <x, F*y>
  for (index_t seed = 0; seed < seeds; ++seed) {
    auto const x = generate<double, H>(m, extents, any_integer{seed});
    sums[seed] = product<C>(x, back, false);
    sums[seeds + seed] = product<C>(exchange_halo<C>(x), y, true);
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2 * seeds, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(std::equal(sums, sums + seeds, sums + seeds));
}

template <class H, class M, std::size_t N>
void check_transposes(M const& m, std::vector<std::array<index_t, N>> const& extents) {
  for (auto const& n : extents) {
    CAPTURE(n[0]);
    check_transpose<H, corners::filled>(m, n);
    check_transpose<H, corners::skipped>(m, n);
  }
}
template <class H, std::size_t N>
void check_transposes(std::vector<std::array<index_t, N>> const& extents) {
  for (auto const& sizes : test::halo_meshes())
    check_transposes<H>(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), extents);
}

}  // namespace

TEST_CASE(
    "add_halo: the transpose, and the sum of all copies, on lines with every boundary, widths beyond a shard and the domain") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  test::for_each_halo_of_lines([]<class H>(auto const& extents) { check_transposes<H>(extents); });
}

TEST_CASE(
    "add_halo: the transpose, and the sum of all copies, on planes and blocks, over one axis, two axes, and none") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  test::for_each_halo_of_planes_and_blocks([]<class H>(auto const& extents) { check_transposes<H>(extents); });
}

TEST_CASE("add_halo: the transpose, and the sum of all copies, on blocks over three axes") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  for (auto const& sizes : test::halo_meshes_3()) {
    device_mesh<test::halo_grid_3> const m(MPI_COMM_WORLD, {sizes[0], sizes[1], sizes[2]});
    test::for_each_halo_on_three_axes([&]<class H>(auto const& extents) { check_transposes<H>(m, extents); });
  }
}

TEST_CASE(
    "add_halo: sums are linear, temporaries are summed in place, and the ledger counts the bytes of the exchange") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  using H = layout<halo("y", 1, 2, boundary::mirror), halo("x", 1, boundary::periodic)>;
  for (auto const& sizes : test::halo_meshes()) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
    auto const sums = [&](double a) {
      auto y = make<double, halo_sums<H>>(m, {9, 12});
      for (index_t i = 0; i < y.stored_extents().size(); ++i) y.stored_data()[i] = a * integer(m.rank(), i);
      return y;
    };
    auto const a = sums(1), b = sums(3);
    static_assert(std::is_same_v<layout_t<decltype(2. * a - b)>, halo_sums<H>>);
    auto const factor = scatter<layout<>>(m, std::vector{4.});
    CHECK(gather_all(add_halo(2. * a - b * factor)) == gather_all(-10. * add_halo(a)));
    auto c = sums(2);
    double const* const memory = c.stored_data();
    auto const d = add_halo(std::move(c));
    CHECK(d.stored_data() == memory);
    CHECK(gather_all(d) == gather_all(2. * add_halo(a)));
    auto e = sums(2);
    double const* const memory_of_e = e.stored_data();
    auto const f = add_halo<corners::skipped>(std::move(e));
    CHECK(f.stored_data() == memory_of_e);
    CHECK(gather_all(f) == gather_all(2. * add_halo<corners::skipped>(a)));
    recorder<grid> there, back;
    m.record(&there);
    (void)exchange_halo(d);
    m.record(&back);
    (void)add_halo(a);
    m.record(nullptr);
    CHECK(back.log.bytes_per_rank(collective::add_halo) == there.log.bytes_per_rank(collective::exchange_halo));
    CHECK(back.log.count() == there.log.count());
  }
}

namespace {

// The sums of terms that round: some are integers times 1e15.
template <class H, std::size_t N>
std::vector<double> rounded_sums(device_mesh<grid> const& m, index_t const (&n)[N]) {
  auto y = make<double, halo_sums<H>>(m, n);
  for (index_t i = 0; i < y.stored_extents().size(); ++i)
    y.stored_data()[i] = integer(m.rank(), i) * ((i + m.rank()) % 3 == 0 ? 1e15 : 1);
  return gather_all(add_halo(y));
}

}  // namespace

TEST_CASE("add_halo: terms that round are added in one order, in the memory of a node and by messages") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  for (auto const& sizes : test::halo_meshes()) {
    int const of[]{sizes[0], sizes[1]};
    device_mesh<grid> const m(MPI_COMM_WORLD, of);
    bool const before = std::exchange(comm::tuned.shared_memory, false);
    device_mesh<grid> const by_messages(MPI_COMM_WORLD, of);
    comm::tuned.shared_memory = before;
    // Several ranks add to a cell: halos are wider than a shard, or corners are cells of three neighbours.
    auto const same = [&]<class H, std::size_t N>(std::type_identity<H>, index_t const(&n)[N]) {
      auto const a = rounded_sums<H>(m, n), b = rounded_sums<H>(by_messages, n);
      REQUIRE(a.size() == b.size());
      CHECK(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
    };
    same(std::type_identity<layout<halo("y", 5, boundary::periodic)>>(), {11});
    same(std::type_identity<layout<halo("y", 2), halo("x", 2)>>(), {16, 17});
    same(std::type_identity<layout<halo("x", 4, boundary::mirror), halo("y", 3, boundary::periodic)>>(), {9, 7});
  }
}
