// Boxes of datasets of files that HDF5 wrote: HDF5 reads the result, and the elements beside the box.
#include "ashlar/tensor/tensor.hpp"
#include "support/hdf5_file.hpp"
#include "support/dense.hpp"
#include "support/file_size_limit.hpp"
#include "support/host_memory.hpp"
#include "support/mpi_main.hpp"
#include "support/peak_memory.hpp"
#include "support.hpp"
#include <doctest/doctest.h>
#include <functional>
#include <numeric>
#include <unistd.h>

using namespace ashlar;
using namespace ashlar::datasets;
using namespace ashlar::io;
using namespace ashlar::training;
using io_detail::hdf5_id;
using test::said;
using testing::shared_folder, testing::grid, testing::grids, testing::mesh_of;

namespace {

using sizes = std::vector<index_t>;

std::vector<hsize_t> of_hdf5(sizes const& n) { return {n.begin(), n.end()}; }

// A dataset u as a program of another kind makes it. All calls run on one rank.
struct foreign {
  sizes extents = {20, 17};
  hid_t type = H5T_IEEE_F64LE;
  std::function<void(hid_t)> properties = [](hid_t) {};
  bool written = true, resizable = false, latest = false, paged = false;
  hsize_t user_block = 0;
};
double old_value(std::size_t k) { return static_cast<double>(k % 97) - 30; }
constexpr double filling = 7;

// Datasets before and after show what an update writes to a wrong place.
void write_vector(hid_t file, char const* name) {
  std::vector<double> all(300);
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<double>(k);
  hsize_t const n = all.size();
  hdf5_id const space(H5Screate_simple(1, &n, nullptr), H5Sclose, "make a space"),
      set(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, "create");
  hdf5_id::check_status(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), "write");
}
void write_foreign(std::filesystem::path const& path, foreign const& f) {
  hdf5_id const of_file(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "make properties"),
      access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make properties"),
      creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make properties");
  hdf5_id::check_status(H5Pset_userblock(of_file, f.user_block), "set");
#if H5_VERSION_GE(1, 10, 1)
  if (f.paged) hdf5_id::check_status(H5Pset_file_space_strategy(of_file, H5F_FSPACE_STRATEGY_PAGE, true, 1), "set");
#endif
  if (f.latest) hdf5_id::check_status(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), "set");
  hdf5_id const file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, of_file, access), H5Fclose, "create");
  write_vector(file, "before");
  f.properties(creation);
  std::vector<hsize_t> const n = of_hdf5(f.extents), most(n.size(), H5S_UNLIMITED);
  int const rank = static_cast<int>(n.size());
  hdf5_id const space(
      rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, n.data(), f.resizable ? most.data() : nullptr),
      H5Sclose, "make a space");
  {
    hdf5_id const set(H5Dcreate2(file, "u", f.type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose, "create");
    std::vector<double> all(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = old_value(k);
    if (f.written)
      hdf5_id::check_status(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), "write");
  }
  write_vector(file, "after");
}
// The elements of a dataset. It is extended before by `more` indices per dimension.
std::vector<double> elements(std::filesystem::path const& path, char const* name, hsize_t more = 0) {
  hdf5_id const file(H5Fopen(path.c_str(), more != 0 ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open"),
      set(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose, "open"), old(H5Dget_space(set), H5Sclose, "open");
  if (more != 0) {
    hsize_t n[H5S_MAX_RANK]{};
    for (int d = 0, rank = H5Sget_simple_extent_dims(old, n, nullptr); d < rank; ++d) n[d] += more;
    hdf5_id::check_status(H5Dset_extent(set, n), "extend");
  }
  hdf5_id const space(H5Dget_space(set), H5Sclose, "open");
  std::vector<double> all(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), 12345.);
  hdf5_id::check_status(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), "read");
  return all;
}
// What u shall have.
struct expected_elements {
  sizes n;
  std::vector<double> all;
  explicit expected_elements(foreign const& f)
      : n(f.extents), all(static_cast<std::size_t>(io_detail::shape_of(f.extents).size())) {
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = f.written ? old_value(k) : filling;
  }
  // Element g of the box has value(g).
  template <class Value>
  void put(sizes const& begin, sizes const& extents, Value const& value) {
    shape const box = io_detail::shape_of(extents), whole = io_detail::shape_of(n);
    for (index_t g = 0; g < box.size(); ++g) {
      index_t at = 0;
      for (int d = 0; d < box.rank; ++d)
        at += (g / box.stride(d) % box[d] + begin[static_cast<std::size_t>(d)]) * whole.stride(d);
      all[static_cast<std::size_t>(at)] = static_cast<double>(value(g));
    }
  }
  // After u was extended by `more` in each of 2 dimensions.
  std::vector<double> extended(index_t more) const {
    std::vector<double> larger;
    for (index_t i = 0; i < n[0] + more; ++i)
      for (index_t j = 0; j < n[1] + more; ++j)
        larger.push_back(i < n[0] && j < n[1] ? all[static_cast<std::size_t>(i * n[1] + j)] : filling);
    return larger;
  }
};

template <class T>
T new_value(index_t g, int time) {
  return static_cast<T>((g * 31 + 5 * time) % 113);
}
template <class T, class L>
void update(device_mesh<grid> const& m, std::filesystem::path const& path, expected_elements& expected,
            sizes const& begin, sizes const& extents, int time) {
  auto const value = [&](index_t g) { return new_value<T>(g, time); };
  test::write_hdf5_box(path, "u",
                       test::tensor_of<T, L>(m, io_detail::shape_of(extents), [&](index_t g, int) { return value(g); }),
                       begin);
  expected.put(begin, extents, value);
}
void check_file(communicator const& c, std::filesystem::path const& path, expected_elements const& expected) {
  comm::on_root(c, [&] {
    CHECK(elements(path, "u") == expected.all);
    for (char const* const name : {"before", "after"}) {
      std::vector<double> const other = elements(path, name);
      bool same = other.size() == 300;
      for (std::size_t k = 0; k < other.size(); ++k) same = same && other[k] == static_cast<double>(k);
      CHECK_MESSAGE(same, name);
    }
  });
}

void set_chunk(hid_t p, hsize_t a, hsize_t b) {
  hsize_t const n[]{a, b};
  hdf5_id::check_status(H5Pset_chunk(p, 2, n), "set");
}
void set_fill(hid_t p) { hdf5_id::check_status(H5Pset_fill_value(p, H5T_NATIVE_DOUBLE, &filling), "set"); }

// Ways to store 20 x 17 elements.
std::vector<foreign> storages() {
  std::vector<foreign> all{
      {},
      {.properties = set_fill, .written = false},
      {.user_block = 512},
      {.properties = set_fill, .written = false, .user_block = 512},
      {.properties = set_fill, .written = false, .paged = true},
      {.properties = [](hid_t p) { set_chunk(p, 4, 3); }},
      {.properties = [](hid_t p) { set_chunk(p, 1, 2), set_fill(p); },  // a tree of more than 64 chunks, from none on
       .written = false},
      {.properties = [](hid_t p) { set_chunk(p, 1, 2), set_fill(p), H5Pset_deflate(p, 1); }, .resizable = true},
      {.properties = [](hid_t p) { set_chunk(p, 4, 3), set_fill(p); }, .written = false, .paged = true},
      {.properties = [](hid_t p) { set_chunk(p, 5, 4), H5Pset_deflate(p, 2); }, .latest = true, .paged = true},
      {.properties = [](hid_t p) { set_chunk(p, 20, 17); }, .latest = true},
      {.properties = [](hid_t p) { set_chunk(p, 3, 17), H5Pset_shuffle(p), H5Pset_deflate(p, 4); }},
      {.properties = [](hid_t p) { set_chunk(p, 6, 5), H5Pset_deflate(p, 1), H5Pset_fletcher32(p); },
       .user_block = 1024},
      {.properties = [](hid_t p) { set_chunk(p, 5, 2), set_fill(p), H5Pset_deflate(p, 9); },
       .written = false,
       .resizable = true},
      {.properties = [](hid_t p) { set_chunk(p, 8, 8), set_fill(p); },
       .written = false,
       .resizable = true,
       .latest = true},
      {.properties = [](hid_t p) { set_chunk(p, 8, 8), set_fill(p), H5Pset_alloc_time(p, H5D_ALLOC_TIME_LATE); },
       .written = false},
      {.properties = [](hid_t p) { set_chunk(p, 8, 8), set_fill(p), H5Pset_alloc_time(p, H5D_ALLOC_TIME_EARLY); },
       .written = false,
       .latest = true},
      {.type = H5T_STD_I32BE, .properties = [](hid_t p) { set_chunk(p, 7, 7), H5Pset_scaleoffset(p, H5Z_SO_INT, 0); }},
      {.properties = [](hid_t p) { set_chunk(p, 7, 7), H5Pset_nbit(p); }}};
#if H5_VERSION_GE(1, 10, 0)
  all.push_back({.properties =
                     [](hid_t p) {
                       set_chunk(p, 7, 6), set_fill(p), H5Pset_deflate(p, 3);
                       H5Pset_chunk_opts(p, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
                     },
                 .resizable = true,
                 .latest = true});
#endif
  if (unsigned can = 0; H5Zfilter_avail(H5Z_FILTER_SZIP) > 0 && H5Zget_filter_info(H5Z_FILTER_SZIP, &can) >= 0 &&
                        (can & H5Z_FILTER_CONFIG_ENCODE_ENABLED) != 0)
    all.push_back({.properties = [](hid_t p) { set_chunk(p, 8, 8), H5Pset_szip(p, H5_SZIP_NN_OPTION_MASK, 8); }});
  return all;
}

template <class T>
void check_storage(foreign const& f) {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const path = folder.path / "x.h5";
  for (auto const& way : grids()) {
    auto const m = mesh_of(way);
    expected_elements expected(f);
    comm::on_root(c, [&] { write_foreign(path, f); });
    std::vector<T> const old(expected.all.begin(), expected.all.end());
    CHECK(test::denotes(test::read_hdf5<T, layout<none, "x">>(m, path, "u"), old));
    update<T, layout<"x", "y">>(m, path, expected, {3, 5}, {11, 7}, 1);
    check_file(c, path, expected);
    update<T, layout<cyclic("x", 2), cyclic("y", 3)>>(m, path, expected, {0, 0}, {13, 17}, 2);
    update<T, layout<none, none>>(m, path, expected, {19, 2}, {1, 3}, 3);
    update<T, layout<axes("y", "x"), none>>(m, path, expected, {20, 0}, {0, 17}, 4);
    update<T, layout<none, cyclic("y", 1)>>(m, path, expected, {7, 16}, {1, 1}, 5);
    check_file(c, path, expected);
    update<T, layout<none, "y">>(m, path, expected, {0, 0}, {20, 17}, 6);
    check_file(c, path, expected);
    if (f.resizable) comm::on_root(c, [&] { CHECK(elements(path, "u", 6) == expected.extended(6)); });
    comm::collectively(c, [] {});
  }
}

}  // namespace

TEST_CASE("hdf5 update: a box of every kind of storage; all other elements stay") {
  for (foreign const& f : storages()) {
    if (f.type == H5T_STD_I32BE)
      check_storage<std::int32_t>(f);
    else
      check_storage<double>(f);
  }
}

TEST_CASE("hdf5 update: large boxes, of which each rank writes its part") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  foreign const plain{.extents = {300, 9000}};
  std::vector<foreign> all{plain, plain, plain, plain};
  all[1].type = H5T_IEEE_F64BE;
  all[2].properties = [](hid_t p) { set_chunk(p, 50, 1000); };
  all[3].properties = [](hid_t p) { set_chunk(p, 299, 8999), H5Pset_deflate(p, 1); };  // travels in pieces
  for (foreign const& f : all) {
    expected_elements expected(f);
    comm::on_root(folder.ranks, [&] { write_foreign(path, f); });
    update<double, layout<"y", none>>(m, path, expected, {10, 0}, {280, 9000}, 1);
    check_file(folder.ranks, path, expected);
    update<float, layout<none, "y">>(m, path, expected, {1, 1}, {298, 8997}, 2);
    check_file(folder.ranks, path, expected);
    comm::collectively(folder.ranks, [] {});
  }
}

TEST_CASE("hdf5 update: scalars, 1 and 3 dimensions") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  for (auto const& way : grids()) {
    auto const m = mesh_of(way);
    foreign f{.extents = {}};
    expected_elements scalar(f);
    comm::on_root(folder.ranks, [&] { write_foreign(path, f); });
    update<double, layout<>>(m, path, scalar, {}, {}, 1);
    check_file(folder.ranks, path, scalar);
    f.extents = {101};
    expected_elements row(f);
    comm::on_root(folder.ranks, [&] { write_foreign(path, f); });
    update<float, layout<axes("x", "y")>>(m, path, row, {50}, {51}, 2);
    check_file(folder.ranks, path, row);
    f.extents = {5, 6, 7};
    f.properties = [](hid_t p) {
      hsize_t const n[]{2, 4, 3};
      H5Pset_chunk(p, 3, n), H5Pset_deflate(p, 2);
    };
    expected_elements cube(f);
    comm::on_root(folder.ranks, [&] { write_foreign(path, f); });
    update<double, layout<"y", none, cyclic("x", 1)>>(m, path, cube, {1, 0, 2}, {3, 6, 4}, 3);
    check_file(folder.ranks, path, cube);
    comm::collectively(folder.ranks, [] {});
  }
}

TEST_CASE("hdf5 update: elements of each type and order") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  auto const check = [&]<class T>(T, std::initializer_list<hid_t> types) {
    for (hid_t const type : types)
      for (bool const chunks : {false, true}) {
        foreign f{.extents = {6, 11}, .type = type};
        if (chunks) f.properties = [](hid_t p) { set_chunk(p, 4, 4), H5Pset_shuffle(p), H5Pset_deflate(p, 1); };
        if (H5Tget_class(type) == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_NONE) f.written = false;
        expected_elements expected(f);
        if (!f.written) std::fill(expected.all.begin(), expected.all.end(), 0.);
        comm::on_root(c, [&] { write_foreign(path, f); });
        update<T, layout<"x", "y">>(m, path, expected, {1, 2}, {4, 9}, 1);
        check_file(c, path, expected);
        comm::collectively(c, [] {});
      }
  };
  check(std::int8_t{}, {H5T_STD_I8LE, H5T_STD_I8BE});
  check(std::int16_t{}, {H5T_STD_I16LE, H5T_STD_I16BE});
  check(std::int32_t{}, {H5T_STD_I32LE, H5T_STD_I32BE});
  check(std::int64_t{}, {H5T_STD_I64LE, H5T_STD_I64BE});
  check(std::uint8_t{}, {H5T_STD_U8LE});
  check(std::uint16_t{}, {H5T_STD_U16BE});
  check(std::uint32_t{}, {H5T_STD_U32BE});
  check(std::uint64_t{}, {H5T_STD_U64LE, H5T_STD_U64BE});
  check(float{}, {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE});
  check(double{}, {H5T_IEEE_F64LE, H5T_IEEE_F64BE});
}

TEST_CASE("hdf5 update: complex numbers in both orders and with gaps, and bool") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  using number = Kokkos::complex<double>;
  auto const value = [](index_t g, int) { return number(static_cast<double>(g) + 0.5, -static_cast<double>(g)); };
  for (hid_t const part : {H5T_IEEE_F64LE, H5T_IEEE_F64BE})
    for (std::size_t const bytes : {16u, 32u})
      for (bool const chunks : {false, true}) {
        foreign f{.extents = {6, 11}, .written = false};
        hdf5_id const type(H5Tcreate(H5T_COMPOUND, bytes), H5Tclose, "make a type");
        H5Tinsert(type, "r", 0, part), H5Tinsert(type, "i", bytes - 8, part);
        f.type = type;
        if (chunks) f.properties = [](hid_t p) { set_chunk(p, 4, 4), H5Pset_deflate(p, 1); };
        comm::on_root(c, [&] { write_foreign(path, f); });
        test::write_hdf5_box(path, "u", test::tensor_of<number, layout<"y", "x">>(m, shape::of(4, 9), value), {1, 2});
        comm::on_root(c, [&] {
          hdf5_id const file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open"),
              set(H5Dopen2(file, "u", H5P_DEFAULT), H5Dclose, "open"),
              native(H5Tcreate(H5T_COMPOUND, 16), H5Tclose, "make a type");
          H5Tinsert(native, "r", 0, H5T_NATIVE_DOUBLE), H5Tinsert(native, "i", 8, H5T_NATIVE_DOUBLE);
          std::vector<number> all(66);
          hdf5_id::check_status(H5Dread(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), "read");
          bool same = true;
          for (index_t i = 0; i < 6; ++i)
            for (index_t j = 0; j < 11; ++j) {
              bool const in = i >= 1 && i < 5 && j >= 2;
              same = same &&
                     all[static_cast<std::size_t>(i * 11 + j)] == (in ? value((i - 1) * 9 + j - 2, 0) : number(0, 0));
            }
          CHECK(same);
        });
      }
  // A mask is written over what create_hdf5 wrote as h5py does, and over bytes.
  auto const bytes = test::tensor_of<unsigned char, layout<"x", none>>(
      m, shape::of(4, 3), [](index_t g, int) { return static_cast<unsigned char>(g); });
  test::create_hdf5(path, "u", bytes > 20);
  test::write_hdf5_box(path, "u", bytes > 6, {0, 0});
  std::vector<unsigned char> expected{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  CHECK(test::denotes(cast<unsigned char>(test::read_hdf5<bool, layout<none, "y">>(m, path, "u")), expected));
  test::write_hdf5_box(path, "u", bytes, {0, 0});
  expected.assign(12, 1), expected[0] = 0;
  CHECK(test::denotes(cast<unsigned char>(test::read_hdf5<bool, layout<none, "y">>(m, path, "u")), expected));
  test::create_hdf5(path, "u", bytes, {.chunk = {3, 2}});
  test::write_hdf5_box(path, "u", bytes > 6, {0, 0});
  expected = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  CHECK(test::denotes(test::read_hdf5<unsigned char, layout<none, "y">>(m, path, "u"), expected));
}

TEST_CASE("hdf5 update: a file, dataset or box that does not fit is one error on every rank, and the file stays") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  auto const x = test::tensor_of<double, layout<"x", "y">>(m, shape::of(5, 4),
                                                           [](index_t g, int) { return static_cast<double>(g); });
  auto const put = [&](char const* name, sizes const& begin) {
    return said([&] { test::write_hdf5_box(path, name, x, begin); });
  };
  auto const bytes_of_file = [&] { return test::content_of(path); };
  std::string const begins = "ashlar::io::hdf5_file: " + path.string() + ": ";
  CHECK_SAYS(put("u", {0, 0}), begins + "cannot be opened: No such file");
  comm::on_root(c, [&] { test::write(path, test::bytes(2000, 7)); });
  CHECK_SAYS(put("u", {0, 0}), begins + "expected an HDF5 file, found another");
  comm::collectively(c, [] {});

  foreign f;
  comm::on_root(c, [&] { write_foreign(path, f); });
  auto const before = bytes_of_file();
  CHECK_SAYS(put("v", {0, 0}), begins + "HDF5 cannot open the dataset v");
  CHECK_SAYS(put("u", {16, 0}),
             begins + "expected a box within u of 20 x 17, found extents 5 x 4 from index 16 x 0 on");
  CHECK_SAYS(put("u", {0, -1}), begins + "expected a box within u of 20 x 17");
  CHECK_SAYS(put("u", {0}), begins + "expected a box within u of 20 x 17, found extents 5 x 4 from index 0 on");
  CHECK_SAYS(put("before", {0, 0}), begins + "expected 2 dimensions of before, as the layout has, found 300");
  CHECK_SAYS(said([&] {
               test::write_hdf5_box(path, "u", cast<int>(x), {0, 0});
             }),
             begins + "expected elements of type int32 in u, found float64; cast the tensor to that type");
  CHECK(bytes_of_file() == before);
  if (c.size() > 1) {
    std::string const differ = said([&] { test::write_hdf5_box(path, "u", x, {c.rank() == 0 ? 1 : 0, 0}); });
    CHECK_SAYS(differ,
               begins + "name (as checksum), element types, storage, extents, box and chunks differ between ranks");
  }
  {
    std::optional<io_detail::checked_file> other;
    if (c.rank() == 0) other.emplace(path, "test", O_RDWR), other->lock();
    comm::collectively(c, [] {});
    CHECK_SAYS(put("u", {0, 0}), begins + "another program has this file open; close it there");
    other.reset();
    if (c.rank() == 0) other.emplace(path, "test", O_RDWR), other->lock("locked", true);
    comm::collectively(c, [] {});
    CHECK_SAYS(put("u", {0, 0}), begins + "another program has this file open; close it there");
    other.reset();
  }
  comm::collectively(c, [] {});
  comm::on_root(c, [&] { std::filesystem::permissions(path, std::filesystem::perms(0444)); });
  uid_t const user = geteuid();
  if (user == 0) {
    comm::on_root(c, [&] { std::filesystem::permissions(folder.path, std::filesystem::perms(0755)); });
    REQUIRE(seteuid(65534) == 0);
  }
  std::string const refused = put("u", {0, 0});
  REQUIRE(seteuid(user) == 0);
  CHECK_SAYS(refused, begins + "cannot be opened: Permission denied");
  CHECK(bytes_of_file() == before);
  comm::collectively(c, [] {});

  comm::on_root(c, [&] { std::filesystem::permissions(path, std::filesystem::perms(0644)); });
  f.properties = [](hid_t p) { H5Pset_layout(p, H5D_COMPACT); };
  comm::on_root(c, [&] { write_foreign(path, f); });
  CHECK_SAYS(put("u", {0, 0}),
             begins + "expected u contiguous or in chunks, found compact storage; write it anew, as by h5repack");
  comm::collectively(c, [] {});
  f.written = false;
  f.properties = [&](hid_t p) { H5Pset_external(p, (folder.path / "elements").c_str(), 0, H5F_UNLIMITED); };
  comm::on_root(c, [&] { write_foreign(path, f); });
  CHECK_SAYS(put("u", {0, 0}), begins + "expected u contiguous or in chunks, found elements in another file");
  comm::collectively(c, [] {});
  f.properties = [](hid_t p) {
    hsize_t const n[]{20, 17};
    hdf5_id const space(H5Screate_simple(2, n, nullptr), H5Sclose, "make a space");
    H5Pset_virtual(p, space, "other.h5", "v", space);
  };
  comm::on_root(c, [&] { write_foreign(path, f); });
  CHECK_SAYS(put("u", {0, 0}), begins + "expected u contiguous or in chunks, found a virtual dataset");
  comm::collectively(c, [] {});
  comm::on_root(c, [&] {
    write_foreign(folder.path / "other.h5", {});
    hdf5_id const file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open");
    H5Lcreate_external("other.h5", "u", file, "link", H5P_DEFAULT, H5P_DEFAULT);
  });
  CHECK_SAYS(put("link", {0, 0}), begins + "expected link in this file, found a link to another");
  // The reader follows the link, so it must not take the place of the elements as one in this file.
  auto const linked = test::read_hdf5<double, layout<"x", "y">>(m, path, "link");
  CHECK(test::denotes(linked, expected_elements(foreign{}).all));
}

TEST_CASE("hdf5 update: ranks that name different datasets get one error, and the file stays") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  hid_t const type = H5T_IEEE_F64LE;
  comm::on_root(c, [&] {
    hsize_t const n[]{20, 17};
    hdf5_id const file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "create"),
        space(H5Screate_simple(2, n, nullptr), H5Sclose, "make a space"),
        group(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "create");
    auto const make = [&](char const* name, std::function<void(hid_t)> const& properties, bool written) {
      hdf5_id const creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make properties");
      properties(creation);
      hdf5_id const set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose, "create");
      std::vector<double> const all(340, 3);
      if (written)
        hdf5_id::check_status(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), "write");
    };
    auto const chunks = [](hid_t p) { set_chunk(p, 4, 3); };
    auto const deflated = [](hid_t p) { set_chunk(p, 4, 3), H5Pset_deflate(p, 1); };
    make("chunks", chunks, true), make("g/chunks", chunks, true);
    make("packed", deflated, true), make("g/packed", deflated, true);
    make(
        "larger", [](hid_t p) { set_chunk(p, 7, 7); }, true);
    make(
        "new", [](hid_t) {}, false),
        make(
            "g/new", [](hid_t) {}, false);
    make(
        "old", [](hid_t) {}, true),
        make(
            "g/old", [](hid_t) {}, true);
  });
  auto const before = test::content_of(path);
  auto const x = test::tensor_of<double, layout<"x", "y">>(m, shape::of(5, 4),
                                                           [](index_t g, int) { return static_cast<double>(g); });
  std::pair<char const*, char const*> const names[] = {
      {"chunks", "g/chunks"}, {"packed", "g/packed"}, {"packed", "/chunks"}, {"larger", "chunks"},
      {"new", "g/new"},       {"old", "g/old"},       {"new", "old"},        {"old", "larger"}};
  if (c.size() > 1)
    for (auto const& [root, others] : names) {
      std::string const differ = said([&, root = root, others = others] {
        test::write_hdf5_box(path, c.rank() == 0 ? root : others, x, {1, 1});
      });
      CHECK_SAYS(differ, "ashlar::io::hdf5_file: " + path.string() + ": name (as checksum), element types, storage");
      CHECK(test::content_of(path) == before);
      comm::collectively(c, [] {});
    }
  for (char const* const name : {"chunks", "new", "old"}) {  // slashes that begin the name do not matter
    test::write_hdf5_box(path, (c.rank() % 2 == 0 ? "/" : "") + std::string(name), x, {1, 1});
    std::vector<double> written(20);
    std::iota(written.begin(), written.end(), 0.);
    CHECK(test::denotes(test::read_hdf5<double, layout<none, "y">>(m, path, name, {{1, 1}, {5, 4}}), written));
  }
}

TEST_CASE("hdf5 update: a filter that HDF5 cannot apply is one error on every rank") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  static constexpr H5Z_filter_t number = 300;  // HDF5 leaves 256 to 511 to tests
  comm::on_root(c, [&] {
    H5Z_class2_t description{};
    description.version = H5Z_CLASS_T_VERS;
    description.id = number;
    description.encoder_present = description.decoder_present = 1;
    description.name = "none";
    description.filter = [](unsigned, std::size_t, unsigned const*, std::size_t n, std::size_t*, void**) { return n; };
    H5Zregister(&description);
    write_foreign(path, {.properties = [](hid_t p) {
                    set_chunk(p, 4, 3);
                    hdf5_id::check_status(H5Pset_filter(p, number, 0, 0, nullptr), "set");
                  }});
    H5Zunregister(number);
  });
  auto const x = test::tensor_of<double, layout<"x", "y">>(m, shape::of(5, 4),
                                                           [](index_t g, int) { return static_cast<double>(g); });
  CHECK_SAYS(said([&] {
               test::write_hdf5_box(path, "u", x, {0, 0});
             }),
             "expected filters that HDF5 can apply in u, found filter 300 ('none'); install its plugin, or rewrite the "
             "dataset without it");
}

TEST_CASE("hdf5 update: a write that fails is one error on every rank, and elements beside the box stay") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const path = folder.path / "x.h5";
  auto const m = mesh_of(grids().back());
  std::vector<foreign> all{{.extents = {64, 64}}, {.extents = {64, 64}}, {.extents = {64, 64}}};
  all[1].properties = [](hid_t p) { set_chunk(p, 9, 9); };
  all[2].properties = [](hid_t p) { set_chunk(p, 9, 9), H5Pset_deflate(p, 1); };
  all.push_back(
      {.extents = {64, 64}, .properties = [](hid_t p) { set_chunk(p, 9, 9), set_fill(p); }, .written = false});
  all.push_back({.extents = {64, 64},
                 .properties = [](hid_t p) { set_chunk(p, 9, 9), set_fill(p), H5Pset_deflate(p, 1); },
                 .written = false});
  all.push_back({.extents = {64, 64}, .properties = set_fill, .written = false});
  for (foreign const& f : all) {
    expected_elements expected(f);
    comm::on_root(c, [&] { write_foreign(path, f); });
    auto const before = test::content_of(path);
    auto const x = test::tensor_of<double, layout<"x", "y">>(m, shape::of(60, 60),
                                                             [](index_t g, int) { return new_value<double>(g, 1); });
    std::optional<test::file_size_limit> limit;
    if (m.rank() == m.size() - 1) limit.emplace(8192);
    std::string const failed = said([&] { test::write_hdf5_box(path, "u", x, {2, 3}); });
    limit.reset();
    CHECK_SAYS(failed, "ashlar::io::hdf5_file: " + path.string() + ": cannot be ");
    bool const has_filter = &f == &all[2];
    // Rank 0 writes the description after all chunks, and makes room for a contiguous dataset itself.
    if (!f.written && (&f != &all[5] || c.size() == 1)) CHECK(test::content_of(path) == before);
    comm::on_root(c, [&] {
      if (has_filter) return;  // chunks with filters can be unreadable then
      std::vector<double> const found = elements(path, "u");
      bool beside = true, in = true;
      expected_elements after = expected;
      after.put({2, 3}, {60, 60}, [](index_t g) { return new_value<double>(g, 1); });
      for (std::size_t k = 0; k < found.size(); ++k) {
        if (expected.all[k] == after.all[k]) beside = beside && found[k] == expected.all[k];
        in = in && (found[k] == expected.all[k] || found[k] == after.all[k]);
      }
      CHECK(beside);
      CHECK(in);
    });
    if (!has_filter) {
      test::write_hdf5_box(path, "u", x, {2, 3});
      expected.put({2, 3}, {60, 60}, [](index_t g) { return new_value<double>(g, 1); });
      check_file(c, path, expected);
    }
    comm::collectively(c, [] {});
  }
}

TEST_CASE("hdf5 update: room for a contiguous dataset has the fill value, also if no rank writes an element") {
  shared_folder const folder;
  auto const path = folder.path / "x.h5";
  comm::on_root(folder.ranks, [&] {
    for (bool const fills : {true, false}) {
      foreign f{.type = H5T_IEEE_F64BE, .written = false};
      if (fills) f.properties = set_fill;
      write_foreign(path, f);
      {
        io_detail::checked_file opened = io_detail::locked_hdf5(path);
        io_detail::hdf5_target target(opened, path, "u", io_detail::array_type::float64, shape::of(5, 4), {2, 3});
        io_detail::hdf5_description made(target);
        made.allocate();
        made.write();
      }
      CHECK(elements(path, "u") == std::vector<double>(20 * 17, fills ? filling : 0));
    }
  });
}

TEST_CASE("a patched file writes the bytes after its old end first") {
  std::filesystem::path const path =
      std::filesystem::temp_directory_path() / ("ashlar_patched_" + std::to_string(getpid()));
  auto const old = test::bytes(100, 7);
  for (std::size_t const size : {100u, 103u}) {  // 103: the limit is within a patch
    test::write(path, old);
    io_detail::checked_file const file(path, "test", O_RDWR);
    io_detail::patched_file changed(file);
    std::vector<char> const bytes(20, 'x');
    changed.put(false, 0, bytes.data(), bytes.size());
    changed.put(false, 90, bytes.data(), bytes.size());  // overlaps the end
    changed.put(false, 200, bytes.data(), bytes.size());
    {
      test::file_size_limit const limit(size);
      CHECK_THROWS_AS(changed.write(), error);
      auto found = test::content_of(path);
      REQUIRE(found.size() >= 100);
      found.resize(100);
      CHECK(found == old);
    }
    changed.write();
    auto const found = test::content_of(path);
    REQUIRE(found.size() == 220);
    for (std::size_t k = 0; k < found.size(); ++k) {
      bool const patched = k < 20 || (k >= 90 && k < 110) || k >= 200;
      CHECK(static_cast<char>(found[k]) == (patched ? 'x' : k < 100 ? static_cast<char>(old[k]) : '\0'));
    }
  }
  std::filesystem::remove(path);
}

// A rank may take five chunks of 4 MiB, 12 MiB, and the packed chunks. Its shard is larger, on three ranks too.
TEST_CASE("hdf5 update: a rank takes a limited buffer and a few chunks") {
  ASHLAR_NEEDS(test::host_reads_tensors && test::freed_memory_serves_again && test::begin_peak_memory());
  shared_folder const folder;
  auto const path = folder.path / "u.h5";
  index_t const rows = 3 << 12, columns = 1 << 10, most_bytes = 20 << 20;
  device_mesh<grid> const m = mesh_of({test::world_size(), 1});
  auto const x = generate<float, layout<"x", none>>(
      m, {rows - 2, columns - 2}, [] KOKKOS_FUNCTION(index_t i, index_t j) { return static_cast<float>(i + j); });
  (void)x.data();
  sizes const chunk{rows, 43};
  for (hdf5_options const& o :
       {hdf5_options{}, hdf5_options{.chunk = chunk}, hdf5_options{.chunk = chunk, .deflate = 1}}) {
    test::create_hdf5(
        path, "u",
        generate<float, layout<"x", none>>(m, {rows, columns}, [] KOKKOS_FUNCTION(index_t, index_t) { return -1.f; }),
        o);
    REQUIRE(test::begin_peak_memory());
    index_t const before = test::peak_memory();
    test::write_hdf5_box(path, "u", x, {1, 1});
    index_t const taken = test::peak_memory() - before;
    CHECK(taken < most_bytes);
    auto const y = test::read_hdf5<float, layout<"x", none>>(m, path, "u", {{1, 1}, {rows - 2, columns - 2}});
    CHECK(item(all_reduce(max(abs(x - y)))) == 0);
    CHECK(item(all_reduce(sum(test::read_hdf5<float, layout<"x", none>>(m, path, "u", {{0, 0}, {rows, 1}})))) == -rows);
    comm::collectively(folder.ranks, [] {});
  }
}
