// Tensors in .npz files: round trips over layouts, and files that are damaged or not as expected.
#include "ashlar/io/npz_files.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include "support/file_size_limit.hpp"
#include "support/provoked.hpp"
#include "support/shared_folder.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <optional>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"p">, axis<"q">>;

template <class T, class L>
auto numbered(device_mesh<grid> const& m, shape const& n) {
  return tensor_of<T, L>(m, n, [](index_t g, int) { return static_cast<T>(3 * g - 7); });
}
template <class X>
bool is_numbered(X const& x) {
  using T = element_t<X>;
  std::vector<T> all(static_cast<std::size_t>(x.extents().size()));
  for (std::size_t g = 0; g < all.size(); ++g) all[g] = static_cast<T>(3 * static_cast<index_t>(g) - 7);
  return denotes(x, all);
}

}  // namespace

TEST_CASE("npz: several arrays come back in every layout, and the file does not depend on layouts and ranks") {
  shared_folder const folder;
  auto const path = folder.path / "x.npz";
  std::optional<bytes> first;
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const check = [&]<class L>() {
      for (shape const& n : {shape::of(0, 4), shape::of(13, 5), shape::of(7, 9001)}) {
        auto const u = numbered<double, L>(m, n);
        save_npz(m, path, npz_array("u", u),
                 npz_array("of/ints", numbered<std::int16_t, layout<none>>(m, shape::of(5))), npz_array("v", u + 0.));
        if (n == shape::of(7, 9001)) {
          bytes const found = content_of(path);
          if (!first) first = found;
          CHECK(found == *first);
        }
        CHECK(is_numbered(load_npz<double, L>(m, path, "u")));
        CHECK(is_numbered(load_npz<double, layout<none, none>>(m, path, "v")));
        CHECK(is_numbered(load_npz<double, layout<"q", cyclic("p", 2)>>(m, path, "v")));
        CHECK(is_numbered(load_npz<std::int16_t, layout<axes("p", "q")>>(m, path, "of/ints")));
        comm::collectively(folder.ranks, [] {});
      }
    };
    check.template operator()<layout<none, none>>();
    check.template operator()<layout<"p", none>>();
    check.template operator()<layout<none, "q">>();
    check.template operator()<layout<cyclic("p", 2), cyclic("q", 3)>>();
    check.template operator()<layout<axes("q", "p"), none>>();
  });
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  save_npz(m, path, npz_array("scalar", numbered<float, layout<>>(m, shape{})));
  CHECK(is_numbered(load_npz<float, layout<>>(m, path, "scalar")));
  CHECK(m.collectives_run() == 0);
}

TEST_CASE("npz: of a tensor with a halo the owned cells are written, and to .npy files, too") {
  shared_folder const folder;
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    using H = layout<halo("p", 1, 2), halo("q", 3, boundary::periodic)>;
    for (shape const& n : {shape::of(0, 4), shape::of(13, 5)}) {
      auto const u = redistribute<H>(numbered<double, layout<"p", "q">>(m, n));
      save_npz(m, folder.path / "halo.npz", npz_array("u", u), npz_array("v", exchange_halo(u)),
               npz_array("w", u + 0.));
      for (char const* name : {"u", "v", "w"})
        CHECK(is_numbered(load_npz<double, layout<none, "p">>(m, folder.path / "halo.npz", name)));
      save_npy(m, folder.path / "halo.npy", u);
      CHECK(is_numbered(load_npy<double, layout<"q", none>>(m, folder.path / "halo.npy")));
      comm::collectively(folder.ranks, [] {});
    }
  });
}

TEST_CASE("npz: a damaged array is one error on every rank, wherever the damage is") {
  shared_folder const folder;
  auto const path = folder.path / "x.npz";
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  save_npz(m, path, npz_array("u", numbered<double, layout<none, "q">>(m, shape::of(9, 8))));
  bytes const good = content_of(path);
  std::size_t const elements = good.size() - 9 * 8 * 8 - (46 + 5) - 22;  // the directory has one entry
  for (std::size_t const at : {elements, elements + 100, elements + 9 * 8 * 8 - 1}) {
    bytes damaged = good;
    damaged[at] ^= 0x20;
    write_together(folder.ranks, path, damaged);
    for (std::string const& sentence : {said([&] { (void)load_npz<double, layout<none, "q">>(m, path, "u"); }),
                                        said([&] { (void)load_npz<double, layout<none, none>>(m, path, "u"); })}) {
      CHECK_MESSAGE(sentence.starts_with("ashlar::io::load_npz: "), sentence);
      CHECK_MESSAGE(sentence.find("x.npz: u: the array is damaged: its CRC-32 is not") != sentence.npos, sentence);
    }
  }
  write_together(folder.ranks, path, good);
  CHECK(is_numbered(load_npz<double, layout<"q", none>>(m, path, "u")));
}

TEST_CASE("npz: a file that is not as expected is one error on every rank") {
  shared_folder const folder;
  auto const path = folder.path / "x.npz";
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  save_npz(m, path, npz_array("u", numbered<double, layout<"p", none>>(m, shape::of(5, 4))),
           npz_array("k", numbered<int, layout<none>>(m, shape::of(3))));
  auto const refused = [&](std::string const& sentence, char const* why) {
    CHECK_MESSAGE(sentence.starts_with("ashlar::io::load_npz: "), sentence);
    CHECK_MESSAGE(sentence.find(why) != sentence.npos, sentence);
  };
  auto const load = [&](char const* name) {
    return said([&] { (void)load_npz<double, layout<"p", none>>(m, path, name); });
  };
  refused(load("w"), "x.npz: expected an array 'w', found 'u', 'k'");
  refused(load("k"), "x.npz: 'k.npy': expected elements of type <f8, found '<i4'");
  refused(said([&] { (void)load_npz<double, layout<"p">>(m, path, "u"); }),
          "x.npz: 'u.npy': expected 1 dimensions, as the layout has, found 5 x 4");
  refused(said([&] { (void)load_npz<double, layout<"p">>(m, folder.path / "no.npz", "u"); }),
          "no.npz: cannot be opened: No such file");
  bytes const good = content_of(path);
  write_together(folder.ranks, path, {good.begin(), good.end() - 30});
  refused(load("u"), "expected a .npz file, which ends with the directory of a zip file, found other bytes");
  write_together(folder.ranks, path, good);
  write_together(folder.ranks, path, good);
  if (world_size() > 1) {
    device_mesh<grid> const alone(MPI_COMM_SELF, {1, 1});
    auto const v = numbered<float, layout<none>>(alone, shape::of(6));
    auto const u = numbered<float, layout<none>>(m, shape::of(6));
    std::string const found = said([&] { save_npz(m, path, npz_array("u", u), npz_array("v", v)); });
    CHECK_MESSAGE(found.find("x.npz: expected v on a mesh of " + std::to_string(world_size()) +
                             " ranks, as call this, found one of 1") != found.npos,
                  found);
  }
  std::string const other = load(m.rank() == 0 ? "u" : "v");
  CHECK_MESSAGE((world_size() == 1 || other.find("the paths") != other.npos), other);
}

TEST_CASE("npz: names that are no names of files, or differ between ranks, are one error on every rank") {
  shared_folder const folder;
  auto const path = folder.path / "x.npz";
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x = numbered<float, layout<"p">>(m, shape::of(6));
  auto const save = [&](std::string const& a, std::string const& b) {
    return said([&] { save_npz(m, path, npz_array(a, x), npz_array(b, x)); });
  };
  for (char const* name : {"", "/u", "..", "a/../../u", "a\\u", "a\nu", "gr\xf6", "\xed\xa0\x80"}) {
    std::string const sentence = save("v", name);
    CHECK_MESSAGE(sentence.find("x.npz: expected names of 1 to 1024 characters") != sentence.npos, sentence);
  }
  std::string const twice = save("u", "u");
  CHECK_MESSAGE(twice.find("expected each name once, found 'u' twice") != twice.npos, twice);
  std::string const differ = save("u", m.rank() == 0 ? "v" : "w");
  CHECK_MESSAGE((world_size() == 1 || differ.find("names, element types and extents") != differ.npos), differ);
  comm::collectively(folder.ranks, [] {});
  if (world_size() > 1) CHECK(std::filesystem::is_empty(folder.path));
  CHECK(save("..u", "a/..b") == "");
}

TEST_CASE("npz: a file that cannot be written is one error on every rank, and the old file stays") {
  shared_folder const folder;
  auto const path = folder.path / "x.npz";
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const x = numbered<double, layout<none, "q">>(m, shape::of(64, 64));
  auto const missing = said([&] { save_npz(m, folder.path / "no/x.npz", npz_array("u", x)); });
  CHECK_MESSAGE(missing.find("x.npz.part: cannot be opened") != missing.npos, missing);
  save_npz(m, path, npz_array("u", x));
  bytes const before = content_of(path);
  // The last rank may not write beyond byte 4096.
  auto const full = said([&] {
    std::optional<file_size_limit> limit;
    if (m.rank() == m.size() - 1) limit.emplace(4096);
    save_npz(m, path, npz_array("u", x + 1.), npz_array("v", x));
  });
  CHECK_MESSAGE(full.find("x.npz.part: cannot be ") != full.npos, full);
  comm::collectively(folder.ranks, [] {});
  CHECK(std::filesystem::exists(path));
  CHECK(!std::filesystem::exists(path.string() + ".part"));
  CHECK(content_of(path) == before);
  CHECK(is_numbered(load_npz<double, layout<none, "q">>(m, path, "u")));
}
