#include <ashlar/comm/device_mesh.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ashlar/comm/collectives/all_reduce.hpp"
#include "support/pmpi_counters.hpp"
#include "support/provoked.hpp"

using namespace ashlar;
using test::said;

namespace {

using line = mesh<axis<"x">>;
using grid = mesh<axis<"data">, axis<"model">>;
using box = mesh<axis<"x">, axis<"y">, axis<"z">>;

int world_size() {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  return p;
}

// The world ranks of a mask's communicator, found out by asking, against those that differ in its axes only, in order.
template <class Mesh>
void check_communicators(device_mesh<Mesh> const& m, std::vector<int> const& sizes) {
  int const r = m.rank(), k = int(sizes.size());
  std::vector<int> mine(std::size_t(k), 0);
  for (int a = k - 1, rest = r; a >= 0; rest /= sizes[std::size_t(a--)])
    mine[std::size_t(a)] = rest % sizes[std::size_t(a)];
  for (int a = 0; a < k; ++a) CHECK(m.coordinate(a) == mine[std::size_t(a)]);

  for (unsigned mask = 0; mask < 1u << k; ++mask) {
    std::vector<int> expected;
    for (int q = 0; q < m.size(); ++q) {
      bool member = true;
      for (int a = k - 1, rest = q; a >= 0; rest /= sizes[std::size_t(a--)])
        member = member && (mask >> a & 1 || rest % sizes[std::size_t(a)] == mine[std::size_t(a)]);
      if (member) expected.push_back(q);
    }
    communicator const& c = m.communicator(mask);
    REQUIRE(c.size() == int(expected.size()));
    CHECK(expected[std::size_t(c.rank())] == r);
    if (c.size() == 1 && m.size() > 1) CHECK(c.get() == MPI_COMM_NULL);
    std::vector<int> found(expected.size(), r);
    comm::all_gather(c, &r, 1, found.data());
    CHECK(found == expected);
  }
  CHECK(m.communicator().size() == m.size());
}

}  // namespace

TEST_CASE("device_mesh: coordinates and communicators of every factorisation") {
  int const p = world_size();
  check_communicators(device_mesh<line>(MPI_COMM_WORLD, {p}), {p});
  for (int a = 1; a <= p; ++a)
    for (int b = 1; a * b <= p; ++b) {
      if (p % (a * b) != 0) continue;
      int const d = p / (a * b);
      if (d == 1) check_communicators(device_mesh<grid>(MPI_COMM_WORLD, {a, b}), {a, b});
      device_mesh<box> const m(MPI_COMM_WORLD, {a, b, d});
      check_communicators(m, {a, b, d});
      CHECK(m.shape() == box{{a, b, d}});
    }
}

TEST_CASE("device_mesh: sizes that are known at run time") {
  int const sizes[] = {world_size(), 1};
  device_mesh<grid> const m(MPI_COMM_WORLD, std::span<int const>(sizes));
  CHECK(m.shape().size<"data">() == world_size());
}

TEST_CASE("device_mesh: static sizes need not be given, and are checked") {
  using pair = mesh<axis<"data", 2>, axis<"model", 1>>;
  using half = mesh<axis<"data", 2>, axis<"model">>;
  if (world_size() == 2) {
    CHECK(device_mesh<pair>(MPI_COMM_WORLD).communicator(0b01).size() == 2);
  } else {
    CHECK(said([] { device_mesh<pair> m(MPI_COMM_WORLD); }) ==
          "ashlar::device_mesh: the axes data=2, model=1 need 2 ranks and the communicator has " +
              std::to_string(world_size()) + "; start as many as needed or choose other sizes");
  }
  CHECK(said([] {
          device_mesh<half> m(MPI_COMM_WORLD, {3, 1});
        }).find("differs from the axis' static size") != std::string::npos);
}

TEST_CASE("device_mesh: one size that is left out is what the others leave") {
  CHECK(device_mesh<line>(MPI_COMM_WORLD).shape().size<"x">() == world_size());
  using half = mesh<axis<"data", 2>, axis<"model">>;
  if (world_size() % 2 == 0) {
    device_mesh<half> const m(MPI_COMM_WORLD);
    CHECK(m.shape() == half{{2, world_size() / 2}});
  } else {
    CHECK(said([] {
            device_mesh<half> m(MPI_COMM_WORLD);
          }).find("and the communicator has " + std::to_string(world_size())) != std::string::npos);
  }
}

TEST_CASE("device_mesh: sizes that do not fit are an error on every rank") {
  int const p = world_size();
  CHECK(said([&] {
          device_mesh<grid> m(MPI_COMM_WORLD, {p, 2});
        }) == "ashlar::device_mesh: the axes data=" + std::to_string(p) + ", model=2 need " + std::to_string(2 * p) +
                  " ranks and the communicator has " + std::to_string(p) +
                  "; start as many as needed or choose other sizes");
  int const huge = 1 << 30;
  CHECK(said([&] {
          device_mesh<box> m(MPI_COMM_WORLD, {huge, huge, huge});
        }).find("ranks and the communicator has") != std::string::npos);
  CHECK(said([&] { device_mesh<grid> m(MPI_COMM_WORLD, {0, p}); }).find("1 or more") != std::string::npos);
  CHECK(said([&] { device_mesh<grid> m(MPI_COMM_WORLD, {-1, -p}); }).find("1 or more") != std::string::npos);
  std::vector<int> const too_many(20, 1);
  CHECK(said([&] {
          device_mesh<grid> m(MPI_COMM_WORLD, std::span<int const>(too_many));
        }).find("one size for each axis") != std::string::npos);
  if (p > 1) {
    int r = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    int const sizes[] = {r == p - 1 ? 1 : p, r == p - 1 ? p : 1};  // each would fit
    CHECK(said([&] { device_mesh<grid> m(MPI_COMM_WORLD, sizes); }) ==
          "ashlar::device_mesh: the sizes of the axes differ between ranks: value 0 is " + std::to_string(p) +
              " on rank 0 and 1 on rank " + std::to_string(p - 1) + "; give all ranks the same");
  }
}

TEST_CASE("device_mesh: it makes its communicators at construction, and no more") {
  int const p = world_size();
  (void)device_mesh<line>(MPI_COMM_WORLD, {p});
  auto const start = pmpi::counted();
  {
    device_mesh<grid> const m(MPI_COMM_WORLD, {p % 2 ? 1 : 2, p % 2 ? p : p / 2});
    auto const made = pmpi::counted();
    std::vector<device_mesh<grid>> copies;
    float x = 1;
    for (int i = 0; i < 10000; ++i) {
      copies.push_back(m);
      x += float(copies.back().communicator(unsigned(i)).size() + copies.back().coordinate(1));
    }
    comm::all_reduce<op::sum>(copies.back().communicator(0b10), &x, 1);
    comm::all_reduce<op::sum>(copies.back().communicator(0b01), &x, 1);
    CHECK(copies.back() == m);
    auto const since = pmpi::counted() - made;
    CHECK(since.communicators_made == 0);
    CHECK(m.counters().all_reduce.calls ==
          std::uint64_t(m.communicator(0b10).size() > 1) + (m.communicator(0b01).size() > 1));
    // A duplicate, and one for each axis if both are larger than 1.
    CHECK((made - start).communicators_made == (p % 2 == 0 && p > 2 ? 3 : 1));
  }
  // The next mesh frees the communicators of the last one.
  (void)device_mesh<line>(MPI_COMM_WORLD, {p});
  CHECK((pmpi::counted() - start).communicators_freed == (pmpi::counted() - start).communicators_made);
}

TEST_CASE("device_mesh: on a part of the ranks, and two at once") {
  communicator const c(MPI_COMM_WORLD);
  communicator const half = c.split(c.rank() % 2, c.rank());
  if (half.get() == MPI_COMM_NULL) return;  // a world of one rank has no parts
  device_mesh<line> const m(half.get(), {half.size()});
  device_mesh<line> const whole(MPI_COMM_WORLD, {c.size()});
  int a = 1, b = 1;
  comm::all_reduce<op::sum>(m.communicator(), &a, 1);
  comm::all_reduce<op::sum>(whole.communicator(), &b, 1);
  CHECK(a == half.size());
  CHECK(b == c.size());
  CHECK_FALSE(m == whole);
}

TEST_CASE("device_mesh: communicators of axes by name") {
  int const p = world_size(), q = p % 2 == 0 ? 2 : 1;
  device_mesh<grid> const m(MPI_COMM_WORLD, {p / q, q});
  CHECK(&m.communicator("model") == &m.communicator(0b10));
  CHECK(&m.communicator("data") == &m.communicator(0b01));
  CHECK(&m.communicator("model", "data") == &m.communicator());
  CHECK(said([&] { (void)m.communicator("z"); }) ==
        "ashlar::device_mesh: the mesh has no axis 'z'; its axes are data, model");
}

TEST_CASE("device_mesh: a Cartesian communicator gives the sizes, and MPI divides ranks among several axes") {
  using plane = mesh<axis<"y">, axis<"x">>;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const sizes[]{1, ranks}, periodic[]{0, 1};
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periodic, 0, &cart);
  device_mesh<plane> const m(cart);
  CHECK(m.sizes() == plane{{1, ranks}}.sizes());
  int here[2]{};
  MPI_Cart_coords(cart, m.rank(), 2, here);
  CHECK(here[0] == m.coordinate(0));
  CHECK(here[1] == m.coordinate(1));
  MPI_Comm_free(&cart);

  int divided[2]{};
  MPI_Dims_create(ranks, 2, divided);
  CHECK(device_mesh<plane>(MPI_COMM_WORLD).sizes() == plane{{divided[0], divided[1]}}.sizes());
  device_mesh<mesh<axis<"y">, axis<"one", 1>, axis<"x">>> const three(MPI_COMM_WORLD);
  CHECK(three.sizes().size[1] == 1);
  CHECK(three.size() == ranks);
}

TEST_CASE("an inter-communicator is one error on every rank, and a merged one is a mesh") {
  int const p = world_size();
  if (p < 2) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm part = MPI_COMM_NULL, both = MPI_COMM_NULL, merged = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 3, &both);
  char const* const sentence = ": the communicator is an inter-communicator, which joins two groups of ranks; merge";
  CHECK(said([&] { device_mesh<line> const m(both); }).starts_with(std::string("ashlar::device_mesh") + sentence));
  CHECK(said([&] { device_mesh<line> const m(both, {p}); }).starts_with(std::string("ashlar::device_mesh") + sentence));
  CHECK(said([&] { communicator const c(both); }).starts_with(std::string("ashlar::communicator") + sentence));
  MPI_Intercomm_merge(both, rank > 0, &merged);
  CHECK(device_mesh<line>(merged).size() == p);
  for (MPI_Comm* c : {&merged, &both, &part}) MPI_Comm_free(c);
}
