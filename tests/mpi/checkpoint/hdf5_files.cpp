// Tensors in HDF5 files: round trips over layouts, chunks and filters, boxes, and files that are not as expected.
#include "ashlar/tensor/tensor.hpp"
#include "support/hdf5_file.hpp"
#include "support/dense.hpp"
#include "support/file_size_limit.hpp"
#include "support/host_memory.hpp"
#include "support/mpi_main.hpp"
#include "support/peak_memory.hpp"
#include "support.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <optional>

using namespace ashlar;
using namespace ashlar::datasets;
using namespace ashlar::io;
using namespace ashlar::training;
using test::said;
using testing::shared_folder, testing::grid, testing::grids, testing::mesh_of;

namespace {

// Element g of every array.
template <class T>
T value(index_t g) {
  if constexpr (requires { typename T::value_type; })
    return T(value<typename T::value_type>(g), value<typename T::value_type>(-g));
  else
    return static_cast<T>((g * 37) % 101);
}
template <class T, class L>
auto values(device_mesh<grid> const& m, shape const& n) {
  return test::tensor_of<T, L>(m, n, [](index_t g, int) { return value<T>(g); });
}
// True if the elements are those of a box of an array of extents n, from index `begin` on.
template <class X>
bool has_values(X const& x, shape const& n, std::vector<index_t> begin = {}) {
  using T = element_t<X>;
  begin.resize(static_cast<std::size_t>(n.rank));
  std::vector<T> all(static_cast<std::size_t>(x.extents().size()));
  for (index_t k = 0; k < x.extents().size(); ++k) {
    index_t rest = k, g = 0;
    for (int d = n.rank - 1; d >= 0; --d) {
      g += (begin[static_cast<std::size_t>(d)] + rest % x.extents()[d]) * n.stride(d);
      rest /= x.extents()[d];
    }
    all[static_cast<std::size_t>(k)] = value<T>(g);
  }
  return test::denotes(x, all);
}

std::vector<hdf5_options> all_options(int rank, bool wide = false) {
  auto const chunk = [&](index_t a, index_t b, index_t c) {
    std::vector<index_t> all{a, b, c};
    all.resize(static_cast<std::size_t>(rank));
    return all;
  };
  return {{},
          {.chunk = chunk(4, wide ? 1000 : 3, 2)},
          {.chunk = chunk(100, 1000, 1), .deflate = 1},
          {.chunk = chunk(2, wide ? 999 : 5, 4), .shuffle = true},
          {.deflate = 6, .shuffle = true}};
}

template <class T, class L>
void check_round_trips(device_mesh<grid> const& m, std::filesystem::path const& path, shape const& n) {
  auto const x = values<T, L>(m, n);
  for (hdf5_options const& o : all_options(n.rank, n.size() > 10000)) {
    if (n.rank == 0 && (!o.chunk.empty() || o.deflate != 0 || o.shuffle)) continue;
    test::create_hdf5(path, "fields/u", x, o);
    CHECK(has_values(test::read_hdf5<T, L>(m, path, "fields/u"), n));
    if constexpr (L::rank == 2) {
      CHECK(has_values(test::read_hdf5<T, layout<"y", "x">>(m, path, "/fields/u"), n));
      CHECK(has_values(test::read_hdf5<T, layout<none, cyclic("x", 2)>>(m, path, "fields/u"), n));
    }
  }
}

}  // namespace

TEST_CASE("hdf5: a saved tensor comes back in every layout, contiguous, in chunks and compressed") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  for (auto const& sizes : grids()) {
    auto const m = mesh_of(sizes);
    std::vector<shape> extents{shape::of(0, 4), shape::of(1, 1), shape::of(13, 7)};
    if (sizes == grids()[grids().size() / 2]) extents.push_back(shape::of(7, 9001));  // 2 x 2, where ranks allow it
    for (shape const& n : extents) {
      check_round_trips<double, layout<none, none>>(m, path, n);
      check_round_trips<double, layout<"x", "y">>(m, path, n);
      check_round_trips<double, layout<axes("y", "x"), none>>(m, path, n);
      check_round_trips<double, layout<none, "y">>(m, path, n);
      check_round_trips<double, layout<cyclic("x", 2), cyclic("y", 3)>>(m, path, n);
    }
    check_round_trips<float, layout<"y", none, cyclic("x", 1)>>(m, path, shape::of(5, 6, 7));
    check_round_trips<float, layout<>>(m, path, shape{});
    check_round_trips<std::int16_t, layout<axes("x", "y")>>(m, path, shape::of(1001));
  }
}

#ifdef ASHLAR_LONG_TESTS
TEST_CASE_TEMPLATE("hdf5: each element type comes back", T, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double, Kokkos::complex<float>,
                   Kokkos::complex<double>) {
#else
TEST_CASE_TEMPLATE("hdf5: an element type of each kind comes back", T, std::int8_t, std::uint32_t, double,
                   Kokkos::complex<float>) {
#endif
  shared_folder const folder;
  auto const m = mesh_of(grids().back());
  check_round_trips<T, layout<"x", "y">>(m, folder.path / "x.h5", shape::of(6, 11));
}

TEST_CASE("hdf5: bool comes back, float becomes double") {
  shared_folder const folder;
  auto const m = mesh_of(grids().back());
  auto const x = values<float, layout<"x", none>>(m, shape::of(6, 5));
  test::create_hdf5(folder.path / "mask.h5", "mask", x > 50.f);
  auto const mask = test::read_hdf5<bool, layout<none, "y">>(m, folder.path / "mask.h5", "mask");
  std::vector<unsigned char> expected;
  for (index_t g = 0; g < 30; ++g) expected.push_back(value<float>(g) > 50);
  CHECK(test::denotes(cast<unsigned char>(mask), expected));
  for (hdf5_options const& o : all_options(2)) {
    test::create_hdf5(folder.path / "x.h5", "x", x, o);
    CHECK(has_values(test::read_hdf5<double, layout<none, "x">>(m, folder.path / "x.h5", "x"), shape::of(6, 5)));
  }
}

TEST_CASE("hdf5: a box of a dataset, in every kind of storage") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  for (auto const& sizes : grids()) {
    auto const m = mesh_of(sizes);
    shape const n = shape::of(20, 17);
    for (hdf5_options const& o : all_options(2)) {
      test::create_hdf5(path, "u", values<double, layout<"x", none>>(m, n), o);
      CHECK(has_values(test::read_hdf5<double, layout<"x", "y">>(m, path, "u", {{3, 5}, {11, 7}}), n, {3, 5}));
      CHECK(has_values(test::read_hdf5<double, layout<cyclic("y", 2), none>>(m, path, "u", {{0, 16}, {20, 1}}), n,
                       {0, 16}));
      CHECK(has_values(test::read_hdf5<double, layout<none, "x">>(m, path, "u", {{20, 0}, {0, 17}}), n, {20, 0}));
      CHECK(has_values(test::read_hdf5<double, layout<none, "x">>(m, path, "u", {{7, 0}, {1, 17}}), n, {7, 0}));
    }
    CHECK_SAYS(said([&] {
                 (void)test::read_hdf5<double, layout<none, "x">>(m, path, "u", {{3, 5}, {18, 7}});
               }),
               "expected a box within u of 20 x 17, found extents 18 x 7 from index 3 x 5 on");
    CHECK_SAYS(said([&] {
                 (void)test::read_hdf5<double, layout<none, "x">>(m, path, "u", {{-1, 5}, {1, 7}});
               }),
               "expected a box within u");
    CHECK_SAYS(said([&] {
                 (void)test::read_hdf5<double, layout<none, "x">>(m, path, "u", {{3}, {1}});
               }),
               "expected a box within u");
  }
}

// 96 MiB are more than a shard of three ranks and the memory that a rank may take: two chunks of 1 MiB, and 40 MiB, of
// which HDF5's cache takes 32.
TEST_CASE("hdf5: a rank takes its shard, two chunks and a limited buffer") {
  ASHLAR_NEEDS(test::host_reads_tensors && test::freed_memory_serves_again && test::begin_peak_memory());
  shared_folder const folder;
  auto const path = folder.path / "u.h5";
  index_t const rows = 3 << 12, columns = 1 << 10, most_bytes = 20 << 20;
  device_mesh<grid> const m = mesh_of({test::world_size(), 1});
  // All chunks that begin at the same first index have 16 MiB, and 1 MiB in long tests.
  std::vector<hdf5_options> all{{}, {.chunk = {4096, 32}, .deflate = 1, .shuffle = true}};
#ifdef ASHLAR_LONG_TESTS
  all.push_back({.chunk = {256, 1024}, .deflate = 1});
#endif
  for (hdf5_options const& o : all) {
    auto const x = generate<float, layout<"y", none>>(
        m, {rows, columns}, [] KOKKOS_FUNCTION(index_t i, index_t j) { return static_cast<float>(i + j); });
    (void)x.data();
    REQUIRE(test::begin_peak_memory());
    index_t before = test::peak_memory();
    test::create_hdf5(path, "u", x, o);
    CHECK(test::peak_memory() - before < most_bytes);
    REQUIRE(test::begin_peak_memory());
    before = test::peak_memory();
    auto const y = test::read_hdf5<float, layout<"y", none>>(m, path, "u");
    CHECK(test::peak_memory() - before < x.local_size() * 4 + most_bytes);
    CHECK(item(all_reduce(max(abs(x - y)))) == 0);
  }
}

TEST_CASE("hdf5: a file that is not as expected is one error on every rank") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  auto const load = [&](char const* name) {
    return said([&] { (void)test::read_hdf5<double, layout<"x", "y">>(m, path, name); });
  };
  CHECK_SAYS(load("u"), "ashlar::io::hdf5_file: " + path.string() + ": cannot be opened");
  comm::on_root(c, [&] { test::write(path, test::bytes(2000, 7)); });
  CHECK_SAYS(load("u"), "expected an HDF5 file, found another");
  test::create_hdf5(path, "a/u", values<float, layout<"x", none>>(m, shape::of(30, 40)));
  CHECK_SAYS(load("u"), "HDF5 cannot open the dataset u");
  CHECK_SAYS(load("a"), "HDF5 cannot open the dataset a");
  test::create_hdf5(path, "u", values<std::int32_t, layout<"x", none>>(m, shape::of(30, 40)));
  CHECK_SAYS(load("u"), "expected elements of type float64 in u, found int32");
  test::create_hdf5(path, "u", values<double, layout<"x">>(m, shape::of(30)));
  CHECK_SAYS(load("u"), "expected 2 dimensions of u, as the layout has, found 30");
  for (hdf5_options const& o : all_options(2)) {
    test::create_hdf5(path, "u", values<double, layout<"x", none>>(m, shape::of(300, 40)), o);
    std::uint64_t const bytes = io_detail::checked_file(path, "test").size();
    comm::on_root(c, [&] { std::filesystem::resize_file(path, bytes / 2); });
    CHECK_SAYS(load("u"), "ashlar::io::hdf5_file: " + path.string() + ": ");
    comm::collectively(c, [] {});
  }
}

TEST_CASE("hdf5: eight dimensions, contiguous and in chunks, and a box of them") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  using all = layout<none, "x", none, none, cyclic("y", 1), none, none, none>;
  using other = layout<"y", none, none, "x", none, none, none, none>;
  shape const n = shape::of(2, 3, 1, 4, 3, 2, 1, 5);
  for (auto const& sizes : grids()) {
    auto const m = mesh_of(sizes);
    for (hdf5_options const& o : {hdf5_options{}, hdf5_options{.chunk = {1, 2, 1, 3, 2, 2, 1, 2}, .deflate = 1}}) {
      test::create_hdf5(path, "u", values<float, all>(m, n), o);
      CHECK(has_values(test::read_hdf5<float, other>(m, path, "u"), n));
      CHECK(has_values(test::read_hdf5<double, all>(m, path, "u", {{0, 1, 0, 1, 0, 1, 0, 2}, {2, 2, 1, 3, 3, 1, 1, 3}}),
                       n, {0, 1, 0, 1, 0, 1, 0, 2}));
    }
  }
}

TEST_CASE("hdf5: an input notices that its file was written") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  for (hdf5_options const& o : {hdf5_options{}, hdf5_options{.deflate = 1}}) {
    test::create_hdf5(path, "u", values<double, layout<"x", none>>(m, shape::of(6, 5)), o);
    io_detail::hdf5_input const in(path, "u", io_detail::array_type::float64, 2, {});
    std::vector<double> elements(30);
    in.read(0, 30, reinterpret_cast<unsigned char*>(elements.data()));
    CHECK(said([&] { in.bytes().require_unchanged(); }).empty());
    comm::on_root(folder.ranks, [&] {
      usleep(50000);                      // longer than a tick of the file system's clock
      testing::overwrite(path, 0, 0x89);  // as before
    });
    CHECK_SAYS(said([&] { in.bytes().require_unchanged(); }),
               "ashlar::io::hdf5_file: " + path.string() + ": the file changed while it was read");
    comm::collectively(folder.ranks, [] {});
  }
}

TEST_CASE("hdf5: a file that is written while it is read is one error on every rank") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  shape const n = shape::of(60, 50);
  for (hdf5_options const& o : all_options(2))
    for (bool changes : {false, true}) {
      test::create_hdf5(path, "u", values<double, layout<"x", none>>(m, n), o);
      auto const in = comm::collectively(
          folder.ranks, [&] { return io_detail::hdf5_input(path, "u", io_detail::array_type::float64, 2, {}); });
      comm::on_root(folder.ranks, [&] {
        if (!changes) return;
        usleep(50000);                      // longer than a tick of the file system's clock
        testing::overwrite(path, 0, 0x89);  // as before
      });
      std::string const blocks = said([&] {
        auto const x = io_detail::tensor_of_hdf5<double, layout<"x", "y">>(m, in);
        CHECK(has_values(x, n));
      });
      std::string const exchanged = said([&] {
        auto const x = io_detail::tensor_of_hdf5<double, layout<none, cyclic("y", 3)>>(m, in);
        CHECK(has_values(x, n));
      });
      for (std::string const& found : {blocks, exchanged})
        if (changes)
          CHECK_SAYS(found, "ashlar::io::hdf5_file: " + path.string() + ": the file changed while it was read");
        else
          CHECK(found.empty());
      comm::collectively(folder.ranks, [] {});
    }
}

TEST_CASE("hdf5: a file that cannot be written is one error on every rank, and the old file stays") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  auto const x = values<double, layout<"x", "y">>(m, shape::of(64, 64));
  auto const save = [&](hdf5_options const& o, char const* name = "u") {
    return said([&] { test::create_hdf5(path, name, x, o); });
  };
  CHECK_SAYS(said([&] { test::create_hdf5(folder.path / "no/x.h5", "u", x); }), "x.h5.part: cannot be opened");
  CHECK_SAYS(save({}, "a//u"), "expected a name like fields/u, found 'a//u'");
  CHECK_SAYS(save({}, ""), "expected a name like fields/u, found ''");
  CHECK_SAYS(save({.deflate = 10}), "expected a level of deflate from 0 to 9, found 10");
  CHECK_SAYS(save({.chunk = {4}}),
             "expected a chunk of an extent of 1 or more per dimension (64 x 64), below 4 GiB, found 4");
  CHECK_SAYS(save({.chunk = {4, 0}}), "found 4 x 0");
  auto const scalar = values<double, layout<>>(m, shape{});
  CHECK_SAYS(said([&] { test::create_hdf5(path, "s", scalar, {.deflate = 1}); }),
             "expected no filter for a scalar; leave out deflate and shuffle");
  CHECK(save({}).empty());
  for (hdf5_options const& o : all_options(2)) {
    if (o.deflate != 0) continue;  // these files are short
    std::optional<test::file_size_limit> limit;
    if (m.rank() == m.size() - 1) limit.emplace(8192);
    auto const full = save(o);
    limit.reset();
    CHECK_SAYS(full, "x.h5.part: cannot be ");
    CHECK(!std::filesystem::exists(path.string() + ".part"));
    CHECK(has_values(test::read_hdf5<double, layout<"x", "y">>(m, path, "u"), shape::of(64, 64)));
  }
}
