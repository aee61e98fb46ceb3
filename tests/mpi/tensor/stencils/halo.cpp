// labels: mpich sanitizers
// Exchanges of halos, compared cell by cell with the definitions of the edges; stencils, with loops over whole arrays.
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <thread>
#include "support/halo_definitions.hpp"
#include "support/halo_meshes.hpp"
#include "support/host_memory.hpp"
#include "support/stored_cells.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using test::three_indices, test::number, test::number_at, test::for_each_stored;

template <class H, corners C, class M, std::size_t N>
void check_exchange(M const& m, std::array<index_t, N> const& n) {
  index_t extents[N];
  for (std::size_t d = 0; d < N; ++d) extents[d] = n[d];
  auto const x = generate<double, H>(m, extents, number{});
  auto const y = exchange_halo<C>(x);
  int wrong = 0;
  for_each_stored(y, [&](three_indices const& v, int outside, double found) {
    if (C == corners::skipped && outside > 1) return;
    wrong += found != number_at(y.widths, n, v);
  });
  CHECK_MESSAGE(wrong == 0, "extents " << n[0] << ", " << (N > 1 ? n[1] : 0));
  if constexpr (C == corners::filled) {  // generate computes fresh cells itself
    CHECK(test::same_stored_cells(y, generate<double, fresh<H>>(m, extents, number{})));
    CHECK(test::same_stored_cells(
        exchange_halo(exchange_halo<corners::skipped>(generate<double, H>(m, extents, number{}))), y));
  }
}

template <class H, class M, std::size_t N>
void check_exchanges(M const& m, std::vector<std::array<index_t, N>> const& extents) {
  for (auto const& n : extents) {
    check_exchange<H, corners::filled>(m, n);
    check_exchange<H, corners::skipped>(m, n);
  }
}
template <class H, std::size_t N>
void check_exchanges(std::vector<std::array<index_t, N>> const& extents) {
  for (auto const& sizes : test::halo_meshes())
    check_exchanges<H>(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), extents);
}

}  // namespace

TEST_CASE("halo: lines with every boundary, widths beyond a shard and the domain") {
  test::for_each_halo_of_lines([]<class H>(auto const& extents) { check_exchanges<H>(extents); });
}

TEST_CASE("halo: planes and blocks, over one axis, two axes, and none") {
  test::for_each_halo_of_planes_and_blocks([]<class H>(auto const& extents) { check_exchanges<H>(extents); });
}

TEST_CASE("halo: blocks over three axes") {
  for (auto const& sizes : test::halo_meshes_3()) {
    device_mesh<test::halo_grid_3> const m(MPI_COMM_WORLD, {sizes[0], sizes[1], sizes[2]});
    test::for_each_halo_on_three_axes([&]<class H>(auto const& extents) { check_exchanges<H>(m, extents); });
  }
}

namespace {

struct blur {
  static constexpr auto reach = box(1, {0, 2});
  double scale = 1;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return scale * (u(-1, 0) + 2 * u(1, 2) - u(0, 1)) + u(0, 0);
  }
};
struct with_index {
  static constexpr auto reach = star(0, 1);
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<2> const& at, auto const& u, auto const& k) const {
    return static_cast<double>(at[0] - at[1]) + u(0, 1) * k(0, 0) - u(0, -1);
  }
};
struct of_five {
  static constexpr auto reach = star(0, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& a, auto const& b, auto const& c,
                                            auto const& d) const {
    return u(0, 1) + 2 * a(0, 0) + 3 * b(0, 0) * c(0, 0) - d(0, 0);
  }
};
struct coefficient {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(i % 3 + j % 2); }
};

}  // namespace

namespace {

// Each of the 27 points has a factor of its own.
struct points_27 {
  static constexpr auto reach = box(1, 1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    auto const line = [&](int i, int j) { return u(i, j, -1) + 2 * u(i, j, 0) + 4 * u(i, j, 1); };
    auto const plane = [&](int i) { return line(i, -1) + 8 * line(i, 0) + 64 * line(i, 1); };
    return plane(-1) + 512 * plane(0) + 262144 * plane(1);
  }
};

template <class H>
void check_points_27() {
  for (auto const& sizes : test::halo_meshes_3())
    for (three_indices const& n : {three_indices{5, 7, 6}, {2, 1, 3}, {0, 4, 4}, {1, 5, 2}}) {
      device_mesh<test::halo_grid_3> const m(MPI_COMM_WORLD, {sizes[0], sizes[1], sizes[2]});
      auto const u = generate<double, H>(m, {n[0], n[1], n[2]}, number{});
      std::vector<double> expected, of_box;
      for (index_t i = 0; i < n[0]; ++i)
        for (index_t j = 0; j < n[1]; ++j)
          for (index_t k = 0; k < n[2]; ++k) {
            double sum = 0, factor = 1;
            for (index_t a : {-1, 0, 1})
              for (index_t b : {-1, 0, 1})
                for (index_t c : {-1, 0, 1}) {
                  sum += factor * number_at(decltype(u)::widths, n, {i + a, j + b, k + c});
                  factor *= 2;
                }
            bool const inner = i > 0 && j > 0 && k > 0 && i + 1 < n[0] && j + 1 < n[1] && k + 1 < n[2];
            expected.push_back(sum);
            of_box.push_back(inner ? sum : number{}(i, j, k));
          }
      CHECK(gather_all(owned(stencil(points_27{}, exchange_halo(u)))) == expected);
      CHECK(gather_all(owned(stencil(points_27{}, exchange_halo_async(u)))) == expected);
      CHECK(gather_all(owned(stencil(points_27{}, inside(1), exchange_halo(u)))) == of_box);
    }
}

}  // namespace

TEST_CASE("stencil: 27 points in three dimensions as loops, beyond all edges") {
  check_points_27<layout<halo("z", 1, 2, boundary::mirror, boundary::copy), halo("y", 2, 1, boundary::periodic),
                         halo("x", 1, boundary::given, boundary::odd)>>();
  check_points_27<
      layout<halo("x", 1, boundary::reflect), halo("z", 1), halo(none, 1, boundary::odd, boundary::given)>>();
}

TEST_CASE("stencil: as loops over the whole array, with and without overlap, on boxes, with indices") {
  using H = layout<halo("y", 1), halo("x", 1, 2, boundary::periodic)>;
  for (auto const& sizes : test::halo_meshes())
    for (auto const& n : {std::array<index_t, 2>{9, 12}, {3, 2}, {1, 17}}) {
      device_mesh<grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
      auto const u = generate<double, H>(m, {n[0], n[1]}, number{});
      auto const k = generate<double, layout<"y", "x">>(m, {n[0], n[1]}, coefficient{});
      auto const at = [&](index_t i, index_t j) {
        return i < 0 || i >= n[0] ? 0. : number{}(i, (j % n[1] + n[1]) % n[1]);
      };
      auto const equal = [&](auto const& found, auto const& expected) {
        auto const all = gather_all(owned(found));
        for (index_t i = 0; i < n[0]; ++i)
          for (index_t j = 0; j < n[1]; ++j)
            if (all[static_cast<std::size_t>(i * n[1] + j)] != expected(i, j)) return false;
        return true;
      };
      auto const blurred = [&](index_t i, index_t j) {
        return 0.5 * (at(i - 1, j) + 2 * at(i + 1, j + 2) - at(i, j + 1)) + at(i, j);
      };
      CHECK(equal(stencil(blur{0.5}, exchange_halo(u)), blurred));
      CHECK(equal(stencil(blur{0.5}, exchange_halo_async(u)), blurred));
      CHECK(equal(stencil(blur{0.5}, inside(1), exchange_halo_async(u)), [&](index_t i, index_t j) {
        return i < 1 || j < 1 || i >= n[0] - 1 || j >= n[1] - 1 ? at(i, j) : blurred(i, j);
      }));
      CHECK(equal(stencil(with_index{}, exchange_halo<corners::skipped>(u), k), [&](index_t i, index_t j) {
        return static_cast<double>(i - j) + at(i, j + 1) * coefficient{}(i, j) - at(i, j - 1);
      }));
      CHECK(equal(stencil(of_five{}, exchange_halo<corners::skipped>(u), k, u, k, 2. * k), [&](index_t i, index_t j) {
        double const here = coefficient{}(i, j);
        return at(i, j + 1) + 3 * at(i, j) * here;
      }));
    }
}

TEST_CASE("halo: what the ledger counts is what a rank receives") {
  using H = layout<halo("y", 1, 2, boundary::mirror), halo("x", 1, boundary::periodic)>;
  for (auto const& sizes : test::halo_meshes())
    for (auto const& n : {std::array<index_t, 2>{9, 12}, {3, 2}, {5, 5}}) {
      device_mesh<grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
      recorder<grid> notes;
      auto const u = generate<double, H>(m, {n[0], n[1]}, number{});
      m.record(&notes);
      (void)exchange_halo(u);
      (void)add_halo(make<double, halo_sums<H>>(m, {n[0], n[1]}));
      m.record(nullptr);
      auto const& step = ops_detail::halo_step<grid, H>;
      layout_detail::halo_traffic most;
      for (int r = 0; r < m.sizes().ranks(); ++r) {
        auto const in =
            tensor_detail::halo_transfers_of({u.extents(), u.layout, u.widths, m.sizes(), step.axes, true}, r).in;
        layout_detail::halo_traffic const here{static_cast<index_t>(in.total),
                                               static_cast<index_t>(in.messages.size())};
        if (here.cells > most.cells || (here.cells == most.cells && here.neighbours > most.neighbours)) most = here;
      }
      REQUIRE(notes.log.count() == (m.sizes().ranks() > 1 ? 2 : 0));
      for (plan_detail::collective_record const& r : notes.log) {
        CHECK(r.bytes_per_rank == most.cells * 8);
        CHECK(r.neighbours == most.neighbours);
      }
    }
}

TEST_CASE("halo: the transfers of one rank of a million do not grow with the mesh") {
  using H = layout<halo("y", 2), halo("x", 1, boundary::periodic), none>;
  mesh_shape const sizes = grid{{1024, 1024}}.sizes();
  auto const layout = layout_value_v<grid, owned_layout_t<H>>;
  auto const t = tensor_detail::halo_transfers_of(
      {shape::of(9000, 4100, 3), layout, layout_detail::halo_of<H>::widths, sizes, 3u, true}, 1024 * 511 + 1023);
  CHECK(t.in.messages.size() == 8);
  CHECK(t.out.messages.size() == 8);
  CHECK(t.boxes <= 1000);
}

TEST_CASE("halo: copies between tensors with and without halos") {
  using H = layout<halo("y", 1, boundary::given), halo("x", 2)>;
  device_mesh<grid> const m(MPI_COMM_WORLD, {test::halo_meshes().back()[0], test::halo_meshes().back()[1]});
  auto const plain = generate<double, layout<"y", "x">>(m, {5, 7}, number{});
  auto const u = redistribute<H>(plain);
  static_assert(std::is_same_v<layout_t<decltype(u)>, H>);
  CHECK(gather_all(owned(u)) == gather_all(plain));
  // Given cells are 0 where no operand has any.
  auto const check_given = [](auto const& v) {
    int wrong = 0;
    for_each_stored(
        v, [&](three_indices const& at, int, double found) { wrong += (at[0] < 0 || at[0] >= 5) && found != 0; });
    CHECK(wrong == 0);
  };
  check_given(u);
  check_given(redistribute<fresh<H>>(plain));
  check_given(scatter<fresh<H>>(m, {5, 7}, gather(plain)));
  check_given(normal<double, fresh<H>>(m, {5, 7}, prng_key{7}));
}

TEST_CASE("halo: a view of the program's own is exchanged in place, and keeps its given cells") {
  using H = layout<halo("y", 1, boundary::given), halo("x", 1, boundary::copy)>;
  index_t const n = 11;
  for (auto const& sizes : test::halo_meshes()) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
    auto const like = generate<double, H>(m, {n, n}, number{});
    shape const stored = like.stored_extents();
    Kokkos::View<double**, Kokkos::LayoutRight> const view("mine", static_cast<std::size_t>(stored[0]),
                                                           static_cast<std::size_t>(stored[1]));
    // [adopt]
    auto u = adopt<H>(m, view, {n, n});
    // [adopt]
    Kokkos::deep_copy(u.owned_view(), like.owned_view());
    set_boundary(
        u, KOKKOS_LAMBDA(index_t i, index_t) { return i < 0 ? -5. : 7.; });
    update_halo(u);
    CHECK(u.stored_data() == view.data());
    int wrong = 0;
    for_each_stored(u, [&](three_indices const& v, int, double found) {
      index_t const column = std::min(std::max<index_t>(v[1], 0), n - 1);
      wrong += found != (v[0] < 0 ? -5. : v[0] >= n ? 7. : number{}(v[0], column));
    });
    CHECK(wrong == 0);
    Kokkos::View<double**, Kokkos::LayoutRight> const small("small", 1, 1);
    CHECK_THROWS_WITH_AS(
        (adopt<H>(m, m.rank() == 0 ? small : view, {n, n})),
        doctest::Contains("ashlar::adopt: the view has the extents of this rank's cells and their halo"),
        ashlar::error);
  }
}

TEST_CASE("halo: ranks of a node read memory, and messages go to other nodes alone") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  using rows = mesh<axis<"y">>;
  using H = layout<halo("y", 1), none>;
  device_mesh<rows> const m(MPI_COMM_WORLD);
  int const p = m.size(), rank = m.rank();
  bool const in_memory =
      ASHLAR_LINUX && comm::tuned.shared_memory && comm_detail::shared_memory_setting().value.value_or(true);
  int const of_a_node = in_memory ? comm_detail::ranks_per_node_setting().value.value_or(p) : 1;
  auto const node_of = [&](int q) { return q / of_a_node; };
  auto const neighbours = [&](auto const& counts) {
    return (rank > 0 && counts(rank - 1)) + (rank + 1 < p && counts(rank + 1));
  };
  int const far = neighbours([&](int q) { return node_of(q) != node_of(rank); });
  auto const messages = [&](auto const& f) {
    auto const before = m.counters().mpi_sends;
    f();
    return static_cast<int>(m.counters().mpi_sends - before);
  };
  index_t const n = 3 * p, columns = 70000;  // a message of a face waits for its receiver
  auto const u = generate<double, H>(m, {n, columns}, number{});
  auto const v = generate<float, H>(m, {n, columns}, number{});
  auto s = make<double, halo_sums<H>>(m, {n, columns});
  Kokkos::deep_copy(s.stored_view(), 1);
  // Row i of s has 1 in all its copies: in the shard of its owner, and in the halo of each neighbour.
  auto const are_sums = [&](auto const& y) {
    auto const own = y.owned_view();
    region const here = y.local_region();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < own.extent(0); ++i) {
      index_t const row = here.dim[0].begin + static_cast<index_t>(i);
      bool const stored_twice = (row % 3 == 0 && row > 0) || (row % 3 == 2 && row + 1 < n);
      for (std::size_t j = 0; j < own.extent(1); ++j) wrong += own(i, j) != (stored_twice ? 2 : 1);
    }
    return wrong == 0;
  };
  auto const filled = generate<double, fresh<H>>(m, {n, columns}, number{});
  for (int turn = 0; turn < 3; ++turn) {
    CHECK(messages([&] { (void)exchange_halo(u); }) == far);
    CHECK(messages([&] { (void)exchange_halo(bundle(u, v)); }) == far);
    CHECK(messages([&] { CHECK(are_sums(add_halo(s))); }) == far);
    CHECK(messages([&] {
            auto first = exchange_halo_async(u);  // still under way while others begin and end
            auto second = exchange_halo_async(bundle(u, v));
            CHECK(are_sums(add_halo(s)));
            while (!second.ready()) std::this_thread::yield();
            (void)second.wait();
            CHECK(test::same_stored_cells(first.wait(), filled));
          }) == 3 * far);
    CHECK(messages([&] {  // another call completes an exchange
            auto const first = exchange_halo_async(u);
            CHECK(test::same_stored_cells(exchange_halo(u), filled));
          }) == 2 * far);
  }
  // The memory of rank 0 is its own: the ranks of its node send messages to each other, and ranks of other nodes do not.
  shape const stored = u.stored_extents();
  auto const rows_of = static_cast<std::size_t>(stored[0]), columns_of = static_cast<std::size_t>(stored[1]);
  using view = Kokkos::View<double**, Kokkos::LayoutRight>;
  view const mine("mine", rows_of, columns_of);
  auto on_node = make<double, H>(m, {n, columns});
  auto w = adopt<H>(m, rank == 0 ? mine : view(on_node.stored_data(), rows_of, columns_of), {n, columns});
  Kokkos::deep_copy(w.owned_view(), u.owned_view());
  int const all = node_of(rank) == 0 ? neighbours([](int) { return true; }) : far;
  CHECK(messages([&] { (void)exchange_halo(w); }) == all);
  CHECK(test::same_stored_cells(exchange_halo(w), filled));
  CHECK(messages([&] { (void)exchange_halo(bundle(v, w)); }) == all);
  CHECK(messages([&] { (void)exchange_halo_async(w).wait(); }) == all);
  CHECK(messages([&] {
          auto first = exchange_halo_async(w);
          CHECK(are_sums(add_halo(s)));
          CHECK(test::same_stored_cells(first.wait(), filled));
        }) == all + far);
}

TEST_CASE("halo: a rank that asks whether an exchange is ready lets the messages of another one move") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  using rows = mesh<axis<"y">>;
  using H = layout<halo("y", 1), none>;
  if (testing::ranks() < 3) return;
  device_mesh<rows> const m(MPI_COMM_WORLD), other(MPI_COMM_WORLD);
  index_t const n = 3 * m.size();
  auto const large = generate<double, H>(m, {n, 400000}, number{});
  auto const small = generate<double, H>(other, {n, 30}, number{});
  auto first = exchange_halo_async(large);
  int token = 0;
  if (m.rank() == 2) {  // rank 0 begins the second exchange after this rank has the cells of rank 1
    (void)first.wait();
    MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  if (m.rank() == 0) MPI_Recv(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  auto second = exchange_halo_async(small);
  while (!second.ready()) std::this_thread::yield();
  CHECK(test::same_stored_cells(second.wait(), generate<double, fresh<H>>(other, {n, 30}, number{})));
  if (m.rank() != 2) (void)first.wait();
  CHECK(test::same_stored_cells(exchange_halo(large), generate<double, fresh<H>>(m, {n, 400000}, number{})));
}

TEST_CASE("halo: a mesh goes on after another thread has asked for the end of an exchange") {
  using rows = mesh<axis<"y">>;
  using H = layout<halo("y", 1), none>;
  if (testing::ranks() == 1) return;
  device_mesh<rows> const m(MPI_COMM_WORLD);
  auto const u = generate<double, H>(m, {3 * m.size(), 7}, number{});
  auto pending = exchange_halo_async(u);
  std::string said;
  std::thread([&] {
    try {
      (void)pending.wait();
    } catch (error const& e) {
      said = e.what();
    }
  }).join();
  CHECK(said.find("thread") != std::string::npos);
  auto const plain = generate<double, layout<"y", none>>(m, {3 * m.size(), 7}, number{});
  CHECK(gather_all(all_gather<"y">(plain)) == gather_all(plain));
}
