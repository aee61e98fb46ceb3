// Datasets that are added to HDF5 files: they come back, all else stays, and errors leave the file as it was.
#include "ashlar/tensor/tensor.hpp"
#include "support/hdf5_file.hpp"
#include "support/dense.hpp"
#include "support/file_size_limit.hpp"
#include "support/mpi_main.hpp"
#include "support.hpp"
#include <doctest/doctest.h>
#include <unistd.h>
#include <optional>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::training;
using io_detail::hdf5_id;
using test::said;
using testing::shared_folder, testing::grid, testing::grids, testing::mesh_of;

namespace {

template <class L, class T = double>
auto values(device_mesh<grid> const& m, shape const& n, index_t begin) {
  return test::tensor_of<T, L>(m, n, [begin](index_t g, int) { return static_cast<T>(begin + g); });
}
template <class X>
bool counts_from(X const& x, index_t begin) {
  std::vector<element_t<X>> all(static_cast<std::size_t>(x.extents().size()));
  for (std::size_t g = 0; g < all.size(); ++g) all[g] = static_cast<element_t<X>>(begin + static_cast<index_t>(g));
  return test::denotes(x, all);
}
std::vector<hdf5_options> const all_options{
    {},
    {.chunk = {4, 3}},
    {.chunk = {100, 1000}, .deflate = 1},
    {.chunk = {5, 8},
     .deflate = 6,
     .shuffle = true,
     .attributes = {{"unit", "m"}, {"texts", std::vector<std::string>{"a", "b"}}}}};

}  // namespace

TEST_CASE("hdf5 add: datasets of every storage and layout come back, beside all that the file had") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  auto const meshes = grids();
  for (std::size_t k = 0; k < all_options.size(); ++k) {  // each storage of the first dataset, on one mesh
    auto const m = mesh_of(meshes[k % meshes.size()]);
    shape const n = shape::of(20, 17);
    {
      hdf5_options const& first = all_options[k];
      test::create_hdf5(path, "fields/first", values<layout<"x", "y">>(m, n, 3), first);
      std::string name = "fields/u";
      for (hdf5_options const& o : all_options) {
        test::add_to_hdf5(path, name, values<layout<"y", none>>(m, n, 5), o);
        test::add_to_hdf5(path, "/other/of/" + name, values<layout<none, cyclic("x", 2)>, float>(m, n, 7), o);
        name += "u";
      }
      test::add_to_hdf5(path, "scalar", values<layout<>>(m, shape{}, 11));
      test::add_to_hdf5(path, "empty", values<layout<none, "x">>(m, shape::of(0, 4), 0));
      CHECK(counts_from(test::read_hdf5<double, layout<"y", "x">>(m, path, "fields/first"), 3));
      name = "fields/u";
      for (hdf5_options const& o : all_options) {
        CHECK(counts_from(test::read_hdf5<double, layout<"x", "y">>(m, path, name), 5));
        CHECK(counts_from(test::read_hdf5<float, layout<"x", none>>(m, path, "other/of/" + name), 7));
        if (!o.attributes.empty()) {
          CHECK(test::read_hdf5_attribute<std::string>(m, path, name, "unit") == "m");
          CHECK(test::read_hdf5_attribute<std::vector<std::string>>(m, path, name, "texts")[1] == "b");
        }
        name += "u";
      }
      CHECK(item(test::read_hdf5<double, layout<>>(m, path, "scalar")) == 11);
      CHECK(test::read_hdf5<double, layout<none, none>>(m, path, "empty").extents() == shape::of(0, 4));
      test::write_hdf5_box(path, "fields/uu", values<layout<"x", "y">>(m, shape::of(2, 3), 40), {1, 2});
      CHECK(counts_from(test::read_hdf5<double, layout<none, none>>(m, path, "fields/uu", {{1, 2}, {1, 3}}), 40));
    }
  }
}

TEST_CASE("hdf5 add: large datasets, of which each rank writes its part, and an expression") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  shape const n = shape::of(100, 9000);
  test::create_hdf5(path, "a", values<layout<"y", none>>(m, n, 0));
  test::add_to_hdf5(path, "b", values<layout<"y", none>>(m, n, 1) + 1.);
  test::add_to_hdf5(path, "c", values<layout<none, "y">>(m, n, 3), {.chunk = {99, 8999}, .deflate = 1});
  for (index_t k = 0; char const* const name : {"a", "b", "c"}) {
    CHECK(counts_from(test::read_hdf5<double, layout<none, "y">>(m, path, name), k + (k == 0 ? 0 : 1)));
    ++k;
  }
}

TEST_CASE("hdf5 add: a file that does not fit is one error on every rank, and it stays as it was") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  auto const x = values<layout<"x", "y">>(m, shape::of(5, 4), 0);
  auto const add = [&](char const* name, hdf5_options const& o = {}) {
    return said([&] { test::add_to_hdf5(path, name, x, o); });
  };
  std::string const begins = "ashlar::io::hdf5_file: " + path.string() + ": ";
  CHECK_SAYS(add("u"), begins + "cannot be opened: No such file");
  CHECK(!std::filesystem::exists(path));
  comm::collectively(c, [] {});
  comm::on_root(c, [&] { test::write(path, test::bytes(2000, 7)); });
  CHECK_SAYS(add("u"), begins + "expected an HDF5 file, found another");
  CHECK(test::content_of(path) == test::bytes(2000, 7));
  comm::collectively(c, [] {});

  test::create_hdf5(path, "a/u", values<layout<"x">>(m, shape::of(9), 0));
  comm::on_root(c, [&] {
    std::filesystem::copy_file(path, folder.path / "other.h5");
    hdf5_id const file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open");
    H5Lcreate_external("other.h5", "a", file, "outside", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
  });
  auto const before = test::content_of(path), of_other = test::content_of(folder.path / "other.h5");
  CHECK_SAYS(add("a/u"),
             begins + "expected no object of the name a/u, found one; write its elements by update, or choose");
  CHECK_SAYS(add("/a"), begins + "expected no object of the name a, found one");
  CHECK_SAYS(add("dangling"), begins + "expected no object of the name dangling, found one");
  CHECK_SAYS(add("a/u/v"), begins + "HDF5 cannot open the group a/u: ");
  CHECK_SAYS(add("dangling/v"), begins + "HDF5 cannot open the group dangling: ");
  CHECK_SAYS(add("outside/v"), begins + "expected the group outside in this file, found a link to another");
  CHECK_SAYS(add("a//v"), begins + "expected a name like fields/u, found 'a//v'");
  CHECK_SAYS(add("v", {.deflate = 10}), begins + "expected a level of deflate from 0 to 9, found 10");
  CHECK_SAYS(add("v", {.attributes = {{"twice", "a"}, {"twice", "b"}}}),
             begins + "HDF5 cannot create the attribute twice: ");
  if (c.size() > 1) {
    CHECK_SAYS(add(c.rank() == 0 ? "v" : "w"),
               begins + "names (as checksums), types, filters, extents and chunks differ");
    CHECK_SAYS(add("v", {.attributes = {{"rank", index_t{c.rank()}}}}), begins + "attributes (as checksums) differ");
  }
  {
    std::optional<io_detail::checked_file> other;
    if (c.rank() == 0) other.emplace(path, "test", O_RDWR), other->lock();
    comm::collectively(c, [] {});
    CHECK_SAYS(add("v"), begins + "another program has this file open; close it there");
  }
  comm::collectively(c, [] {});
  comm::on_root(c, [&] { std::filesystem::permissions(path, std::filesystem::perms(0444)); });
  uid_t const user = geteuid();
  if (user == 0) {
    comm::on_root(c, [&] { std::filesystem::permissions(folder.path, std::filesystem::perms(0755)); });
    REQUIRE(seteuid(65534) == 0);
  }
  std::string const refused = add("v");
  REQUIRE(seteuid(user) == 0);
  CHECK_SAYS(refused, begins + "cannot be opened: Permission denied");
  CHECK(test::content_of(path) == before);
  CHECK(test::content_of(folder.path / "other.h5") == of_other);
}

TEST_CASE("hdf5 add: a write that fails is one error on every rank, and the file stays as it was") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  auto const x = values<layout<"x", "y">>(m, shape::of(64, 64), 0);
  for (hdf5_options const& o : all_options) {
    test::create_hdf5(path, "u", values<layout<"x", "y">>(m, shape::of(10, 10), 0));
    auto const before = test::content_of(path);
    std::optional<test::file_size_limit> limit;
    // Rank 0 makes the room, and one rank has all chunks of a short dataset.
    if (o.deflate != 0 || m.rank() == m.size() - 1) limit.emplace(before.size() + 500);
    std::string const failed = said([&] { test::add_to_hdf5(path, "v", x, o); });
    limit.reset();
    CHECK_SAYS(failed, "ashlar::io::hdf5_file: " + path.string() + ": cannot be ");
    CHECK(test::content_of(path) == before);
    comm::collectively(c, [] {});
    test::add_to_hdf5(path, "v", x, o);
    CHECK(counts_from(test::read_hdf5<double, layout<none, "y">>(m, path, "v"), 0));
  }
}

// The elements are on the disk first; a program that ends before the description is written leaves the old one.
TEST_CASE("hdf5 add: until the description is written, the file has its old content") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  test::create_hdf5(path, "u", values<layout<"x", "y">>(m, shape::of(10, 10), 0));
  auto const before = test::content_of(path);
  comm::on_root(folder.ranks, [&] {
    io_detail::checked_file file(path, "test", O_RDWR);
    auto const describe = [&](io_detail::changed_file& changed) {
      std::vector<io_detail::hdf5_dataset> sets(2);
      for (auto& s : sets) s.extents = shape::of(30, 40);
      sets[0].name = "v", sets[1].name = "group/w";
      sets[1].options.attributes = {{"text", std::string(9000, 'x')}};
      sets[1].options.chunk = {30, 10}, sets[1].chunk_bytes.assign(4, 2400);
      for (auto& s : sets) io_detail::describe_added(changed, s);
      REQUIRE(sets[1].offsets.size() == 4);
      for (auto const& s : sets)
        for (std::uint64_t const at : s.offsets) CHECK(at >= before.size());
    };
    {
      io_detail::changed_file changed(file);
      describe(changed);
      auto now = test::content_of(path);
      CHECK(now.size() > before.size());
      now.resize(before.size());
      CHECK(now == before);
    }
    CHECK(test::content_of(path) == before);
    io_detail::changed_file changed(file);
    describe(changed);
    changed.write();
    CHECK(test::content_of(path).size() > before.size());
  });
  CHECK(test::read_hdf5<double, layout<"x", none>>(m, path, "group/w").extents() == shape::of(30, 40));
  CHECK(counts_from(test::read_hdf5<double, layout<none, "y">>(m, path, "u"), 0));
}

TEST_CASE("hdf5 file: datasets of all sizes go into a new file one by one, and close() gives it its name") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const path = folder.path / "x.h5";
  std::string const part = path.string() + ".part";
  auto const m = mesh_of(grids().back());
  shape const few = shape::of(5), many = shape::of(90, 700);
  test::create_hdf5(path, "old", values<layout<"x">>(m, few, 0));
  auto const before = test::content_of(path);
  {
    hdf5_file f(m, path, to_create);
    f.write("a", values<layout<"x">>(m, few, 1));  // less than a page, beside HDF5's description
    f.write("g/b", values<layout<"y", "x">>(m, many, 2), {.attributes = {{"unit", "m"}}});
    f.write("g/c", values<layout<"y">, float>(m, few, 3));
    f.write("d", values<layout<cyclic("x", 3), none>>(m, many, 4), {.chunk = {7, 11}});
    f.write("e", values<layout<"x">>(m, few, 5), {.chunk = {2}, .deflate = 1});
    f.write("h", values<layout<>>(m, shape{}, 6) * 2.);
    comm::collectively(c, [] {});
    CHECK(test::content_of(path) == before);
    CHECK(std::filesystem::exists(part));
    comm::collectively(c, [] {});
    f.close();
    CHECK(!std::filesystem::exists(part));
    CHECK_SAYS(said([&] { f.close(); }),
               "ashlar::io::hdf5_file: " + path.string() + ": expected an open file, found it");
  }
  hdf5_file const f(m, path);
  CHECK(counts_from(f.read<double, layout<none>>("a"), 1));
  CHECK(counts_from(f.read<double, layout<"x", none>>("g/b"), 2));
  CHECK(counts_from(f.read<float, layout<"x">>("g/c"), 3));
  CHECK(counts_from(f.read<double, layout<"x", "y">>("d"), 4));
  CHECK(counts_from(f.read<double, layout<"y">>("e"), 5));
  CHECK(item(f.read<double, layout<>>("h")) == 12);
  CHECK(f.read_attribute<std::string>("g/b", "unit") == "m");
  CHECK_SAYS(said([&] { (void)f.read<double, layout<"x">>("old"); }), "HDF5 cannot open the dataset old");

  // Another file takes the name while this one is open.
  test::create_hdf5(path, "a", values<layout<"x">>(m, few, 9));
  CHECK_SAYS(said([&] { (void)f.read<double, layout<"x">>("a"); }),
             "ashlar::io::hdf5_file: " + path.string() + ": the file changed while it was read");
}

TEST_CASE("hdf5 file: without close() a new file leaves nothing, and the old file stays") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  auto const x = values<layout<"x">>(m, shape::of(900), 1);
  test::create_hdf5(path, "old", x);
  auto const before = test::content_of(path);
  auto const stays = [&] {
    comm::collectively(c, [] {});
    CHECK(test::content_of(path) == before);
    CHECK(!std::filesystem::exists(path.string() + ".part"));
    comm::collectively(c, [] {});
  };
  CHECK(said([&] {
          hdf5_file f(m, path, to_create);
          f.write("u", x);
          throw error("of the program");
        }) == "of the program");
  stays();
  CHECK(said([&] { hdf5_file(m, path, to_create).write("u", x); }) == "");  // rank 0 says so on stderr
  stays();
  hdf5_file f(m, path, to_create);
  f.write("u", x);
  CHECK_SAYS(said([&] { f.write("u", x); }),
             "ashlar::io::hdf5_file: " + path.string() + ": HDF5 cannot create the dataset u: ");
  CHECK_SAYS(said([&] { f.write("v", x); }), "expected an open file, found it closed, or a write that failed");
  stays();
  if (c.size() > 1) {
    device_mesh<grid> const alone(MPI_COMM_SELF, {1, 1});
    hdf5_file g(m, path, to_create);
    CHECK_SAYS(said([&] { g.write("u", values<layout<"x">>(alone, shape::of(4), 0)); }),
               "expected u on a mesh of " + std::to_string(c.size()) + " ranks, as call this, found one of 1");
    g.write("u", x);
    g.close();
    CHECK(counts_from(test::read_hdf5<double, layout<"x">>(m, path, "u"), 1));
  }
}

TEST_CASE("hdf5 file: a file that is changed takes several calls, and reads them") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  shape const n = shape::of(30, 20);
  test::create_hdf5(path, "u", values<layout<"x", none>>(m, n, 0), {.chunk = {4, 6}, .deflate = 1});
  hdf5_file f(m, path, to_change);
  for (index_t k : {1, 2, 3}) {
    f.write("v" + std::to_string(k), values<layout<"y", none>>(m, n, k));
    f.update("u", values<layout<"x", none>>(m, shape::of(1, 20), 1000 + 20 * k), {k, 0});
    CHECK(counts_from(f.read<double, layout<"x", "y">>("v" + std::to_string(k)), k));
  }
  CHECK(counts_from(f.read<double, layout<none, "y">>("u", {{1, 0}, {3, 20}}), 1020));
  CHECK(counts_from(f.read<double, layout<none, "y">>("u", {{4, 0}, {26, 20}}), 80));
  f.close();
  CHECK(counts_from(test::read_hdf5<double, layout<none, "x">>(m, path, "v2"), 2));
}
