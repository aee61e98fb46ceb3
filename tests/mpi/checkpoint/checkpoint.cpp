#include "ashlar/checkpoint/checkpoints.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/optimizers/adam.hpp"
#include "ashlar/train/strategies/strategy.hpp"
#include "support.hpp"
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::training;
using test::said;
using testing::overwrite, testing::shared_folder, testing::grid, testing::grids, testing::mesh_of;

namespace {

template <class T>
T element(index_t i) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(i * 7 + 3);
  else
    return T(static_cast<float>(i % 4099) / 8);
}
template <class T, class L>
auto scattered(device_mesh<grid> const& m, shape const& n, bool filled) {
  std::vector<T> all(static_cast<std::size_t>(n.size()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = filled ? element<T>(static_cast<index_t>(i)) : T{};
  return tensor_detail::scatter_elements<L>(m, n, std::span<T const>(all));
}
template <class X>
bool right(X const& x) {
  auto const all = gather_all(x);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!(all[i] == element<typename X::element_type>(static_cast<index_t>(i)))) return false;
  return true;
}

// Several layouts of one element type, as a tree.
template <class A, class B, class C, class D, class E, class F>
struct matrices {
  A blocks;
  B turned;
  C rows;
  D whole;
  E columns;
  F cyclic;
  static constexpr auto names = ashlar::names("blocks", "turned", "rows", "whole", "columns", "cyclic");
};
template <class T>
auto all_layouts(device_mesh<grid> const& m, shape const& n, bool filled) {
  return build<matrices>(scattered<T, layout<"x", "y">>(m, n, filled), scattered<T, layout<"y", "x">>(m, n, filled),
                         scattered<T, layout<axes("x", "y"), none>>(m, n, filled),
                         scattered<T, layout<none, none>>(m, n, filled),
                         scattered<T, layout<none, axes("y", "x")>>(m, n, filled),
                         scattered<T, layout<cyclic("x", 2), "y">>(m, n, filled));
}
// The same names with the layouts in another order, so that every name changes its layout.
template <class T>
auto other_layouts(device_mesh<grid> const& m, shape const& n) {
  auto const make = [&]<class... L>(std::type_identity<L>...) {
    return build<matrices>(scattered<T, L>(m, n, false)...);
  };
  std::type_identity<layout<"x", "y">> const a{};
  std::type_identity<layout<"y", "x">> const b{};
  std::type_identity<layout<axes("x", "y"), none>> const c{};
  std::type_identity<layout<none, none>> const d{};
  std::type_identity<layout<none, axes("y", "x")>> const e{};
  std::type_identity<layout<cyclic("x", 2), "y">> const f{};
  return make(d, c, e, f, b, a);
}

struct data_position {
  long epoch, batch;
  prng_key key;
  bool last;
  static constexpr auto names = ashlar::names("epoch", "batch", "key", "last");
};

}  // namespace

TEST_CASE("every layout comes back in every other, on every grid of the ranks") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  for (auto const& n : {shape::of(5, 7), shape::of(130, 70), shape::of(1, 3000), shape::of(0, 4), shape::of(2, 1)})
    for (auto const& from : grids()) {
      {
        auto const m = mesh_of(from);
        auto const p = all_layouts<double>(m, n, true);
        save_checkpoint(c, folder.path / "a.h5", 3, checkpoint_part("p", p));
      }
      for (auto const& to : grids()) {
        auto const m = mesh_of(to);
        auto q = other_layouts<double>(m, n);
        auto r = all_layouts<double>(m, n, false);
        CHECK(load_checkpoint(c, folder.path / "a.h5", checkpoint_part("p", q)) == 3);
        CHECK(load_checkpoint(c, folder.path / "a.h5", checkpoint_part("p", r)) == 3);
        for_each_leaf([](auto const& x) { CHECK(right(x)); }, q);
        for_each_leaf([](auto const& x) { CHECK(right(x)); }, r);
      }
    }
}

TEST_CASE("one file has the step and a tree, which is loaded into other layouts") {
  shared_folder const folder;
  auto const m = mesh_of(grids().front());
  auto const n = shape::of(130, 70);
  auto const p = all_layouts<double>(m, n, true);
  auto q = other_layouts<double>(m, n);
  auto const weights = folder.path / "weights.h5";
  // [one_file]
  save_checkpoint(m, weights, 7, checkpoint_part("parameters", p));
  index_t const step = load_checkpoint(m, weights, checkpoint_part("parameters", q));
  // [one_file]
  CHECK(step == 7);
  for_each_leaf([](auto const& x) { CHECK(right(x)); }, q);
}

TEST_CASE("a tensor that travels in many rounds comes back, in every other layout") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  shape const n =
      shape::of(190 * testing::ranks(), 4099);  // 3 MiB a rank: several rounds, in chunks that end within rows
  auto const m = mesh_of(grids().front());
  auto const saved = all_layouts<float>(m, n, true);
  checkpoints folder_of_one(c, folder.path, {.every = 1, .keep = 1, .asynchronous = true});
  for (bool asynchronous : {false, true}) {
    if (asynchronous)
      folder_of_one.save(1, checkpoint_part("p", saved)), folder_of_one.finish();
    else
      save_checkpoint(c, folder.path / "a.h5", 1, checkpoint_part("p", saved));
    auto back = other_layouts<float>(m, n);
    load_checkpoint(c, asynchronous ? folder_of_one.file_of(1) : (folder.path / "a.h5").string(),
                    checkpoint_part("p", back));
    for_each_leaf([](auto const& x) { CHECK(right(x)); }, back);
  }
}

TEST_CASE("a tensor of more rounds than are sent ahead comes back") {
  if (testing::ranks() > 2) return;  // 41 MiB a rank are enough of them
  shared_folder const folder;
  shape const n = shape::of(2600 * testing::ranks(), 4099);
  auto const m = mesh_of(grids().front());
  auto const saved = scattered<float, layout<none, axes("x", "y")>>(m, n, true);
  save_checkpoint(folder.ranks, folder.path / "a.h5", 1, checkpoint_part("x", saved));
  auto back = scattered<float, layout<axes("x", "y"), none>>(m, n, false);
  load_checkpoint(folder.ranks, folder.path / "a.h5", checkpoint_part("x", back));
  CHECK(right(back));
}

TEST_CASE("all element types, ranks and numbers come back, and HDF5 reads them") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const m = mesh_of(grids().back());
  std::tuple const saved(scattered<float, layout<"x", none, "y">>(m, shape::of(4, 3, 5), true),
                         scattered<std::int32_t, layout<axes("x", "y")>>(m, shape::of(2000), true),
                         scattered<std::uint8_t, layout<"y">>(m, shape::of(11), true),
                         scattered<Kokkos::complex<double>, layout<none, "x">>(m, shape::of(3, 9), true),
                         scattered<std::int64_t, layout<>>(m, shape{}, true));
  data_position const at{3, 17, {0x123456789abcdefull}, true};
  double const rate = 0.1;
  save_checkpoint(c, folder.path / "a.h5", 120, checkpoint_part("t", saved), checkpoint_part("data", at),
                  checkpoint_part("rate", rate));

  std::tuple back(scattered<float, layout<none, "x", none>>(m, shape::of(4, 3, 5), false),
                  scattered<std::int32_t, layout<none>>(m, shape::of(2000), false),
                  scattered<std::uint8_t, layout<"x">>(m, shape::of(11), false),
                  scattered<Kokkos::complex<double>, layout<"y", "x">>(m, shape::of(3, 9), false),
                  scattered<std::int64_t, layout<>>(m, shape{}, false));
  data_position then{};
  double r = 0;
  CHECK(load_checkpoint(c, folder.path / "a.h5", checkpoint_part("rate", r), checkpoint_part("data", then),
                        checkpoint_part("t", back)) == 120);
  for_each_leaf([](auto const& x) { CHECK(right(x)); }, back);
  CHECK(then.epoch == 3);
  CHECK(then.batch == 17);
  CHECK(then.key == at.key);
  CHECK(then.last);
  CHECK(r == 0.1);

  if (c.rank() == 0) {
    hid_t const file = H5Fopen((folder.path / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    REQUIRE(file >= 0);
    std::vector<std::int32_t> numbers(2000);
    hid_t set = H5Dopen2(file, "t/1", H5P_DEFAULT);
    CHECK(H5Dread(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      CHECK(numbers[i] == element<std::int32_t>(static_cast<index_t>(i)));
    H5Dclose(set);
    set = H5Dopen2(file, "t/3", H5P_DEFAULT);
    std::vector<double> complex(2 * 27);
    hid_t const type = H5Dget_type(set);
    CHECK(H5Tget_class(type) == H5T_COMPOUND);
    CHECK(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, complex.data()) >= 0);
    for (std::size_t i = 0; i < 27; ++i) CHECK(complex[2 * i] == static_cast<double>(i) / 8);
    H5Tclose(type);
    H5Dclose(set);
    set = H5Dopen2(file, "data/key", H5P_DEFAULT);
    std::uint64_t key = 0;
    CHECK(H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &key) >= 0);
    CHECK(key == at.key.value);
    H5Dclose(set);
    H5Fclose(file);
  }
}

TEST_CASE("an optimizer's state, and a part of a file alone") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  for (auto const& size : grids()) {
    auto const m = mesh_of(size);
    auto p = all_layouts<float>(m, shape::of(6, 5), true);
    auto state = adam{}.init(p);
    state.step = 41;
    state.m.rows = p.rows;
    save_checkpoint(c, folder.path / "a.h5", 1, checkpoint_part("p", p), checkpoint_part("adam", state));
    auto q = all_layouts<float>(m, shape::of(6, 5), false);
    auto later = adam{}.init(q);
    load_checkpoint(c, folder.path / "a.h5", checkpoint_part("adam", later));
    CHECK(later.step == 41);
    CHECK(right(later.m.rows));
    CHECK(!right(later.v.rows));
    CHECK(!right(q.rows));  // was not asked for
  }
}

TEST_CASE("a tensor of more than one chunk lies on pages of its own, whatever lies beside it") {
  constexpr checkpoint_detail::byte_count page = checkpoint_detail::checkpoint_entry::page;
  checkpoint_detail::checkpoint_table table;
  for (index_t const bytes : {1, 4097, 100, 8192, 4095, 5000, 4096, 4096, 2048, 12289, 3, 0, 70001, 2047, 9000})
    for (char const* name : {"a/x", "b/y"}) {
      checkpoint_detail::checkpoint_entry e;
      e.name = name + std::to_string(table.entries.size());
      e.type = "uint8";
      e.extents = shape::of(bytes);
      e.choose_chunk();
      table.entries.push_back(e);
    }
  table.block = table.block_bytes();
  io_detail::sparse_memory const described = checkpoint_detail::describe_in_hdf5(table);
  std::map<checkpoint_detail::byte_count, int> tensors_on;
  for (auto const& e : table.entries)
    for (checkpoint_detail::byte_count at = e.offset / page; e.bytes() != 0 && at * page < e.offset + e.bytes(); ++at)
      ++tensors_on[at];
  for (auto const& gap : table.gaps())
    described.for_each_written(
        gap.begin, gap.end - gap.begin,
        [&](checkpoint_detail::byte_count at, char const*, std::size_t) { ++tensors_on[at / page]; });
  for (auto const& e : table.entries) {
    if (e.chunks() < 2) continue;
    CAPTURE(e.name);
    CHECK(e.offset % page == 0);
    for (checkpoint_detail::byte_count at = e.offset / page; at * page < e.offset + e.bytes(); ++at)
      CHECK(tensors_on[at] == 1);
  }
}

TEST_CASE("each rank that loads reads as many bytes as it keeps, whichever layout it has") {
  std::ifstream counters("/proc/self/io");
  if (!counters) {
    MESSAGE("left out: this system does not count the bytes that a process reads");
    return;
  }
  auto const bytes_read = [] {
    std::ifstream in("/proc/self/io");
    std::string name;
    long long bytes = 0;
    in >> name >> bytes;
    REQUIRE(name == "rchar:");
    return bytes;
  };
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const m = mesh_of(grids().front());
  shape const n = shape::of(1031, 2053);
  long long const few = 200'000;  // the table, HDF5's descriptions, and ends of chunks
  auto const wanted = scattered<float, layout<axes("x", "y"), none>>(m, n, true);
  auto const other = scattered<float, layout<none, none>>(m, shape::of(2000, 2053), true);
  save_checkpoint(c, folder.path / "a.h5", 1, checkpoint_part("wanted", wanted), checkpoint_part("other", other));
  auto const load_on = [&](communicator const& ranks, auto back) {
    long long const before = bytes_read();
    load_checkpoint(ranks, folder.path / "a.h5", checkpoint_part("wanted", back));
    long long const read = bytes_read() - before, kept = back.local_size() * 4;
    CHECK(read <= kept + few);
    CHECK(read >= kept - few);
    CHECK(right(back));
  };
  auto const load_in_layouts = [&](communicator const& ranks, device_mesh<grid> const& on) {
    load_on(ranks, scattered<float, layout<axes("x", "y"), none>>(on, n, false));
    load_on(ranks, scattered<float, layout<none, axes("y", "x")>>(on, n, false));
    load_on(ranks, scattered<float, layout<none, none>>(on, n, false));
  };
  load_in_layouts(c, m);
  // As many bytes where fewer ranks load than saved.
  int const fewer = c.size() - 1;
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, c.rank() < fewer ? 0 : MPI_UNDEFINED, c.rank(), &some);
  if (some != MPI_COMM_NULL) {
    load_in_layouts(communicator(some), device_mesh<grid>(some, {1, fewer}));
    MPI_Comm_free(&some);
  }
}

TEST_CASE("what does not fit is one sentence, and changes nothing") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const m = mesh_of(grids().front());
  auto const file = folder.path / "a.h5";
  std::tuple const p(scattered<double, layout<"x", none>>(m, shape::of(6, 5), true));
  save_checkpoint(c, file, 1, checkpoint_part("p", p));

  auto const loading = [&](char const* name, auto fresh) {
    return said([&] { load_checkpoint(c, file, checkpoint_part(name, fresh)); });
  };
  CHECK_SAYS(loading("q", std::tuple(scattered<double, layout<"x", none>>(m, shape::of(6, 5), false))),
             "expected q/0, found p/0");
  CHECK_SAYS(loading("p", std::tuple(scattered<float, layout<"x", none>>(m, shape::of(6, 5), false))),
             "expected p/0 of type float32, found float64");
  CHECK_SAYS(loading("p", std::tuple(scattered<double, layout<"x", none>>(m, shape::of(5, 6), false))),
             "expected p/0 of extents 5 x 6, found extents 6 x 5");
  CHECK_SAYS(loading("p", std::tuple(scattered<double, layout<"x">>(m, shape::of(30), false))),
             "expected p/0 of extents 30, found extents 6 x 5");
  CHECK_SAYS(said([&] { load_checkpoint(c, folder.path / "b.h5", checkpoint_part("p", p)); }), "No such file");
  CHECK_SAYS(said([&] { load_checkpoint(c, folder.path, checkpoint_part("p", p)); }),
             "expected a file, found something else");
  CHECK_SAYS(said([&] { save_checkpoint(c, folder.path / "no" / "a.h5", 1, checkpoint_part("p", p)); }),
             "No such file");
  CHECK_SAYS(said([&] { save_checkpoint(c, file, 1, checkpoint_part("p", p), checkpoint_part("p", p)); }),
             "two parts have the name p/0");
  for (char const* name : {"", "/p", "p/", "p//q", ".", "p/../q"})
    CHECK_SAYS(said([&] { save_checkpoint(c, file, 1, checkpoint_part(name, p)); }),
               "ashlar::io::save_checkpoint: a part's name is one or more names with / between them");
  for (index_t const step : {index_t{-1}, index_t{1000000000000000000}})
    CHECK_SAYS(said([&] { save_checkpoint(c, file, step, checkpoint_part("p", p)); }),
               "a step is 0 or more and less than 10^18; found " + std::to_string(step));
  if (c.size() > 1) {
    index_t const step = c.rank();
    CHECK_SAYS(said([&] { save_checkpoint(c, file, step, checkpoint_part("p", p)); }),
               "of names, types and extents, and of the values of numbers) differ between ranks");
    CHECK_SAYS(said([&] { save_checkpoint(communicator(MPI_COMM_SELF), file, 1, checkpoint_part("p", p)); }),
               "give its own mesh");
  }
  comm::collectively(c, [] {});
  CHECK(!std::filesystem::exists(folder.path / "a.h5.part"));
  std::tuple back(scattered<double, layout<"x", none>>(m, shape::of(6, 5), false));
  load_checkpoint(c, file, checkpoint_part("p", back));  // the file is the first one
  CHECK(right(std::get<0>(back)));
}

TEST_CASE("a pipe is no checkpoint, and nobody waits for its writer") {
  shared_folder const folder;
  comm::on_root(folder.ranks, [&] { REQUIRE(::mkfifo((folder.path / "pipe").c_str(), 0600) == 0); });
  long x = 0;
  CHECK_SAYS(said([&] { load_checkpoint(folder.ranks, folder.path / "pipe", checkpoint_part("x", x)); }),
             "expected a file, found something else");
}

TEST_CASE("a header that states a table of 512 MiB, in a file that is a hole, costs no memory") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const file = folder.path / "a.h5";
  long step = 9;
  save_checkpoint(c, file, 1, checkpoint_part("step", step));
  comm::on_root(c, [&] {
    std::uint64_t const block = std::uint64_t{1} << 29;
    std::array<unsigned char, checkpoint_detail::checkpoint_table::header_bytes> header{};
    io_detail::checked_file const f(file, "test", O_RDWR);
    f.read(0, header.data(), header.size());
    std::memcpy(header.data() + 24, &block, sizeof block);
    std::memcpy(header.data() + 32, &block, sizeof block);
    std::uint32_t const checksum = crc32c(0, header.data(), 60);
    std::memcpy(header.data() + 60, &checksum, sizeof checksum);
    f.write(0, header.data(), header.size());
    f.resize(block);
  });
  auto const kib = [] {
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    return use.ru_maxrss;
  };
  long const before = kib();
  CHECK_SAYS(said([&] { load_checkpoint(c, file, checkpoint_part("step", step)); }),
             "the checksum of its table of tensors differs");
  CHECK(kib() - before < 128 * 1024);
}

TEST_CASE("a file whose first block is not as expected is one sentence, which names the tensors that were wanted") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const file = folder.path / "a.h5";
  long step = 9;
  using checkpoint_detail::checkpoint_entry, checkpoint_detail::checkpoint_table, checkpoint_detail::byte_count;
  using bytes = std::vector<unsigned char>;
  checkpoint_entry entry;
  entry.name = "step", entry.type = "int64", entry.element_bytes = 8, entry.extents = shape::of(2);
  entry.choose_chunk();
  checkpoint_table two;
  two.entries = {entry, entry};
  two.entries[1].name = "other";
  two.block = two.block_bytes();
  two.file_bytes = two.block + 32;
  auto const with_offsets = [&](byte_count a, byte_count b) {
    checkpoint_table t = two;
    t.entries[0].offset = a, t.entries[1].offset = b;
    bytes all = t.encode();
    all.resize(static_cast<std::size_t>(t.file_bytes));
    return all;
  };
  bytes const good = with_offsets(two.block, two.block + 16);
  auto const refused = [&](bytes const& content, std::string const& why) {
    comm::on_root(c, [&] { test::write(file, content); });
    std::string const text = said([&] { load_checkpoint(c, file, checkpoint_part("step", step)); });
    CHECK_SAYS(text, "ashlar::io::load_checkpoint: " + file.string() + ": " + why);
    CHECK_SAYS(text, "; nothing is read of step");
    comm::collectively(c, [] {});
  };
  auto const with = [&](std::size_t at, byte_count number, bool sealed) {
    bytes b = good;
    std::memcpy(b.data() + at, &number, sizeof number);
    std::uint32_t const checksum = crc32c(0, b.data(), 60);
    if (sealed) std::memcpy(b.data() + 60, &checksum, sizeof checksum);
    return b;
  };
  auto const first = [&](std::size_t n) { return bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n)); };
  refused(bytes(100, 'x'), "expected a checkpoint, which begins with 'ashlar checkpoint 1', found other bytes");
  refused(first(63), "it is truncated: expected 64 bytes or more, found 63");
  refused(first(64), "it is truncated: expected 4128 bytes, found 64");
  REQUIRE(good.size() == 4128);
  refused(first(4127), "expected 4128 bytes, found 4127");
  refused(with(40, 7, false), "the checksum of its header differs");
  for (byte_count const block : {byte_count{0}, byte_count{4097}, byte_count{2048}, byte_count{1} << 41})
    refused(with(24, block, true), "expected a header with the sizes of a checkpoint, found other numbers");
  refused(with(32, 4095, true), "expected a header with the sizes of a checkpoint, found other numbers");
  refused(with(72, 7, false), "the checksum of its table of tensors differs");
  refused(with_offsets(two.block, two.block + 8), "expected tensors side by side, found two that overlap");
  refused(with_offsets(two.block, two.block + 17),
          "expected a table of tensors that lie in the file, found other numbers");
  checkpoint_table t = two;
  t.entries.pop_back();
  t.block = t.block_bytes();
  t.file_bytes = t.block + 32;
  t.entries[0].offset = t.block;
  t.description = 1;  // the last 16 bytes are no tensor's
  bytes others = t.encode();
  others.resize(static_cast<std::size_t>(t.file_bytes));
  refused(others, "the checksum of the bytes by which HDF5 describes its tensors differs");
  CHECK(step == 9);
}

TEST_CASE("every flipped byte and every truncation is found, and nothing is handed out") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const m = mesh_of(grids().front());
  auto const file = folder.path / "a.h5";
  std::tuple const p(scattered<double, layout<"x", none>>(m, shape::of(6, 5), true),
                     scattered<float, layout<none>>(m, shape::of(7), true));
  long const step = 9;
  save_checkpoint(c, file, 1, checkpoint_part("p", p), checkpoint_part("step", step));
  std::size_t const size = std::filesystem::file_size(file);
  std::vector<unsigned char> bytes(size);
  io_detail::checked_file(file, "test").read(0, bytes.data(), size);
  // Where HDF5 has the tensors.
  struct place {
    char const* name;
    std::size_t begin, end;
  };
  std::array<place, 3> places{{{"p/0", 0, 240}, {"p/1", 0, 28}, {"step", 0, sizeof step}}};
  hid_t const id = c.rank() == 0 ? H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT) : H5I_INVALID_HID;
  for (place& at : places) {
    if (c.rank() == 0) {
      hid_t const set = H5Dopen2(id, at.name, H5P_DEFAULT);
      at.begin = H5Dget_offset(set);
      H5Dclose(set);
    }
    comm::broadcast(c, &at.begin, 1, 0);
    at.end += at.begin;
  }
  if (c.rank() == 0) H5Fclose(id);
  std::sort(places.begin(), places.end(), [](place const& a, place const& b) { return a.begin < b.begin; });

  std::tuple q(scattered<double, layout<none, "x">>(m, shape::of(6, 5), false),
               scattered<float, layout<"x">>(m, shape::of(7), false));
  long then = 0;
  auto const loading = [&] {
    return said([&] { load_checkpoint(c, file, checkpoint_part("p", q), checkpoint_part("step", then)); });
  };
  auto const says = [](std::string const& text, std::string const& what) {
    return text.find(what) != std::string::npos;
  };
  // Where it is not a tensor that is damaged, nothing can be told of any.
  auto const names_all = [&](std::string const& text) { return says(text, "nothing is read of p/0 and 2 more"); };
  std::size_t const stride = c.size() == 1 ? 1 : 251;  // all of them on one rank, where it takes seconds
  std::size_t undetected = 0, unnamed = 0;
  for (std::size_t i = 0; i < size; i += stride) {
    if (c.rank() == 0) overwrite(file, i, static_cast<unsigned char>(bytes[i] ^ (1u << i % 8)));
    comm::collectively(c, [] {});
    std::string const text = loading();
    undetected += text.empty();
    auto const hit =
        std::find_if(places.begin(), places.end(), [i](place const& at) { return at.begin <= i && i < at.end; });
    unnamed += hit == places.end() ? !names_all(text) : !says(text, std::string(": ") + hit->name + " is damaged");
    if (c.rank() == 0) overwrite(file, i, bytes[i]);
    comm::collectively(c, [] {});
  }
  CHECK(undetected == 0);
  CHECK(unnamed == 0);
  for (std::size_t n = 0; n < size; n += stride) {
    if (c.rank() == 0) {
      std::filesystem::resize_file(file, 0);
      io_detail::checked_file(file, "test", O_WRONLY).write(0, bytes.data(), n);
    }
    comm::collectively(c, [] {});
    std::string const text = loading();
    undetected += text.empty();
    auto const cut = std::find_if(places.begin(), places.end(), [n](place const& at) { return at.end > n; });
    unnamed += n < places.front().begin || cut == places.end()
                   ? !names_all(text)
                   : !says(text, std::string("so that ") + cut->name + " is cut off");
    comm::collectively(c, [] {});
  }
  CHECK(undetected == 0);
  CHECK(unnamed == 0);
  CHECK(then == 0);
  CHECK(!right(std::get<0>(q)));
  if (c.rank() == 0) {
    io_detail::checked_file(file, "test", O_WRONLY).write(0, bytes.data(), size);
    overwrite(file, size, 0);
  }
  comm::collectively(c, [] {});
  CHECK_SAYS(loading(), "expected " + std::to_string(size) + " bytes, found " + std::to_string(size + 1));
  if (c.rank() == 0) std::filesystem::resize_file(file, size);
  comm::collectively(c, [] {});
  CHECK(loading() == "");
  CHECK(then == 9);
  CHECK(right(std::get<0>(q)));
}
