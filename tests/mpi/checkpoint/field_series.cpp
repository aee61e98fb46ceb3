// Series of fields: what a failed step leaves, and steps that do not fit.
#include "ashlar/io/hdf5/field_series.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/hdf5_file.hpp"
#include "support/dense.hpp"
#include "support.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::training;
using test::said;
using testing::shared_folder, testing::grid, testing::grids, testing::mesh_of;

namespace {

template <class T, class L>
auto numbered(device_mesh<grid> const& m, shape const& n) {
  return test::tensor_of<T, L>(m, n, [](index_t g, int) { return static_cast<T>(g); });
}
std::string text_of(std::filesystem::path const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
std::size_t files_in(std::filesystem::path const& folder) {
  auto const all = std::filesystem::directory_iterator(folder);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}
std::size_t count(std::string const& text, std::string_view word) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("field_series: each step adds a file, and the fields come back in other layouts") {
  shared_folder const folder;
  for (auto const& sizes : grids()) {
    auto const m = mesh_of(sizes);
    field_series series(m, folder.path / "flow.xdmf", {.spacing = {0.5, 0.25}, .storage = {.deflate = 1}});
    auto const u = numbered<double, layout<"x", "y">>(m, shape::of(9, 7));
    auto const v = numbered<float, layout<"y", none, none>>(m, shape::of(9, 7, 3));
    for (int t = 0; t < 3; ++t)
      series.write(0.5 * t, series_field("u", u * static_cast<double>(t)), series_field("fields/v", v));
    CHECK(series.steps() == 3);
    auto const found = test::read_hdf5<double, layout<none, "x">>(m, folder.path / "flow_000002.h5", "u");
    CHECK(gather_all(found) == gather_all(u * 2.));
    CHECK(gather_all(test::read_hdf5<float, layout<none, none, "y">>(m, folder.path / "flow_000001.h5", "fields/v")) ==
          gather_all(v));
    std::string const text = text_of(folder.path / "flow.xdmf");
    CHECK(count(text, "<Time Value=") == 3);
    CHECK(count(text, "flow_000001.h5:/fields/v</DataItem>") == 1);
    CHECK(count(text, "AttributeType=\"Vector\"") == 3);
    comm::collectively(folder.ranks, [] {});
    CHECK(files_in(folder.path) == 4);
  }
}

TEST_CASE("field_series: of fields with halos the owned cells are written") {
  shared_folder const folder;
  for (auto const& sizes : grids()) {
    auto const m = mesh_of(sizes);
    using H = layout<halo("x", 1, 2), halo("y", 3, boundary::periodic)>;
    auto const u = numbered<double, layout<"x", "y">>(m, shape::of(9, 7));
    auto const filled = exchange_halo(redistribute<H>(u));
    field_series series(m, folder.path / "halo.xdmf");
    series.write(0, series_field("u", filled), series_field("v", 2. * redistribute<H>(filled)));
    using L = layout<none, "x">;
    CHECK(gather_all(test::read_hdf5<double, L>(m, folder.path / "halo_000000.h5", "u")) == gather_all(u));
    CHECK(gather_all(test::read_hdf5<double, L>(m, folder.path / "halo_000000.h5", "v")) == gather_all(2. * u));
    test::create_hdf5(folder.path / "u.h5", "u", filled);
    CHECK(gather_all(test::read_hdf5<double, L>(m, folder.path / "u.h5", "u")) == gather_all(u));
  }
}

TEST_CASE("field_series: the file of an old series is gone before the first fields of a new one are there") {
  shared_folder const folder;
  auto const m = mesh_of(grids().back());
  auto const u = numbered<double, layout<"x", "y">>(m, shape::of(9, 7));
  field_series old(m, folder.path / "flow.xdmf");
  old.write(0, series_field("u", u));
  old.write(1, series_field("u", u));
  // A folder in the place of its first file lets the first step fail.
  comm::on_root(folder.ranks, [&] {
    std::filesystem::remove(folder.path / "flow_000000.h5");
    std::filesystem::create_directories(folder.path / "flow_000000.h5" / "in the way");
  });
  field_series series(m, folder.path / "flow.xdmf");
  CHECK_SAYS(said([&] { series.write(7, series_field("u", u)); }), "flow_000000.h5");
  CHECK_FALSE(std::filesystem::exists(folder.path / "flow.xdmf"));
  comm::on_root(folder.ranks, [&] { std::filesystem::remove_all(folder.path / "flow_000000.h5"); });
  series.write(7, series_field("u", u));
  CHECK(text_of(folder.path / "flow.xdmf").find("flow_000001") == std::string::npos);
}

TEST_CASE("field_series: a step that does not fit, or cannot be written, changes nothing") {
  shared_folder const folder;
  auto const m = mesh_of(grids().back());
  field_series series(m, folder.path / "flow.xdmf");
  auto const u = numbered<double, layout<"x", "y">>(m, shape::of(9, 7));
  auto const w = numbered<double, layout<"x", "y">>(m, shape::of(9, 8));
  series.write(0, series_field("u", u));
  std::string const before = text_of(folder.path / "flow.xdmf");
  auto const refused = [&](auto f, std::string const& why) {
    CHECK_SAYS(said(f), "ashlar::io::field_series: ");
    CHECK_SAYS(said(f), why);
    comm::collectively(folder.ranks, [] {});
    CHECK(text_of(folder.path / "flow.xdmf") == before);
    CHECK(files_in(folder.path) == 2);
    CHECK(series.steps() == 1);
  };
  refused([&] { series.write(1, series_field("u", u), series_field("w", w)); },
          "expected w of the grid's extents, 9 x 7, found 9 x 8");
  refused([&] { series.write(1, series_field("u", u), series_field("u", u)); },
          "expected each name once, found u twice");
  refused([&] { series.write(1, series_field("u", numbered<double, layout<"x">>(m, shape::of(9)))); },
          "expected a grid of 2 or 3 dimensions");
  refused([&] { series.write(std::nan(""), series_field("u", u)); }, "expected a finite time, found nan");
  refused([&] { series.write(1, series_field("..", u)); }, "expected a name like fields/u, found '..'");
  if (m.size() > 1) {
    device_mesh<grid> const alone(MPI_COMM_SELF, {1, 1});
    auto const v = numbered<double, layout<"x", "y">>(alone, shape::of(9, 7));
    refused([&] { series.write(1, series_field("v", v)); },
            "expected v on a mesh of " + std::to_string(m.size()) + " ranks, as call this, found one of 1");
  }
  CHECK_SAYS(said([&] { field_series(m, folder.path / "flow.h5"); }), "expected a name in UTF-8 that ends with .xdmf");
  CHECK_SAYS(said([&] { field_series(m, folder.path / "no/flow.xdmf").write(0, series_field("u", u)); }),
             "flow_000000.h5.part: cannot be opened");
  series.write(1, series_field("u", u));
  CHECK(count(text_of(folder.path / "flow.xdmf"), "<Time Value=") == 2);
}
