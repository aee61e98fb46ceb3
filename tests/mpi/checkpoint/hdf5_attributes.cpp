// Attributes of HDF5 files: round trips, and one error on every rank if they are not as expected or differ between ranks.
#include "ashlar/io/hdf5/field_series.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/hdf5_file.hpp"
#include "support.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>

using namespace ashlar;
using namespace ashlar::io;
using test::said;
using testing::shared_folder, testing::grid, testing::grids, testing::mesh_of;

namespace {

auto numbers(device_mesh<grid> const& m) {
  auto x = make<double, layout<"x", "y">>(m, {5, 3});
  fill(x, 1.5);
  return x;
}
void save(device_mesh<grid> const& m, std::filesystem::path const& path, std::vector<hdf5_attribute> attributes,
          hdf5_options options = {}) {
  options.attributes = std::move(attributes);
  test::create_hdf5(path, "fields/u", numbers(m), options);
}

}  // namespace

TEST_CASE("read_attribute gives what a file was given, on every rank") {
  shared_folder const folder;
  auto const file = folder.path / "x.h5";
  for (auto const& sizes : grids()) {
    auto const m = mesh_of(sizes);
    std::vector<double> many(30000);
    for (std::size_t k = 0; k < many.size(); ++k) many[k] = static_cast<double>(k) / 8;
    std::vector<std::string> const texts{"a", "", "a longer one", std::string(5000, 'x')};
    std::vector<index_t> const counts{1, -2, std::numeric_limits<index_t>::max()};
    for (hdf5_options const& options : {hdf5_options{}, hdf5_options{.chunk = {2, 2}, .deflate = 1}}) {
      save(m, file,
           {{"unit", "m/s"},
            {"nothing", ""},
            {"step", 7},
            {"time", -0.25},
            {"texts", texts},
            {"counts", counts},
            {"many", many},
            {"none", std::vector<double>{}}},
           options);
      std::string const u = "fields/u";
      CHECK(test::read_hdf5_attribute<std::string>(m, file, u, "unit") == "m/s");
      CHECK(test::read_hdf5_attribute<std::string>(m, file, "/fields/u", "nothing").empty());
      CHECK(test::read_hdf5_attribute<index_t>(m, file, u, "step") == 7);
      CHECK(test::read_hdf5_attribute<double>(m, file, u, "time") == -0.25);
      CHECK(test::read_hdf5_attribute<std::vector<std::string>>(m, file, u, "texts") == texts);
      CHECK(test::read_hdf5_attribute<std::vector<index_t>>(m, file, u, "counts") == counts);
      CHECK(test::read_hdf5_attribute<std::vector<double>>(m, file, u, "many") == many);
      CHECK(test::read_hdf5_attribute<std::vector<double>>(m, file, u, "none").empty());
      CHECK(test::read_hdf5_attribute<std::vector<index_t>>(m, file, u, "step") == std::vector<index_t>{7});
    }
  }
}

TEST_CASE("texts beyond HDF5's cache are attributes of a file of many chunks") {
  shared_folder const folder;
  auto const m = mesh_of(grids()[0]);
  auto const file = folder.path / "x.h5";
  std::vector<std::string> texts;
  for (int k = 0; k < 400; ++k) texts.emplace_back(20000, static_cast<char>('a' + k % 26));
  auto x = make<double, layout<"x", "y">>(m, {50, 40});
  fill(x, 1.5);
  test::create_hdf5(file, "fields/u", x, {.chunk = {1, 1}, .shuffle = true, .attributes = {{"texts", texts}}});
  CHECK(test::read_hdf5_attribute<std::vector<std::string>>(m, file, "fields/u", "texts") == texts);
  auto y = test::read_hdf5<double, layout<"x", "y">>(m, file, "fields/u");
  CHECK(item(all_reduce(sum(y))) == 1.5 * 50 * 40);
}

TEST_CASE("a text or a name that is not UTF-8, or has a null byte, gives one error on every rank, and no file") {
  shared_folder const folder;
  auto const m = mesh_of(grids()[0]);
  auto const file = folder.path / "x.h5";
  std::string const begins = "ashlar::io::hdf5_file: " + file.string() + ": expected ",
                    no_text = begins + "a text in UTF-8, without null bytes, in the attribute unit, found '",
                    no_name = begins + "an attribute with a name in UTF-8, without null bytes, found '";
  // The bytes that Python's decode("utf-8") refuses: of Latin-1, half a character, a surrogate, above U+10FFFF, too long.
  for (std::string const& bytes :
       {std::string("m\0s", 3), std::string("\xb0\x43"), std::string("\xe2\x82"), std::string("\xed\xa0\x80"),
        std::string("\xf4\x90\x80\x80"), std::string("\xc0\xaf")}) {
    CHECK_SAYS(said([&] { save(m, file, {{"unit", bytes}}); }), no_text);
    CHECK_SAYS(said([&] { save(m, file, {{"unit", std::vector<std::string>{"m", bytes}}}); }), no_text);
    CHECK_SAYS(said([&] { save(m, file, {{bytes, 1.5}}); }), no_name);
    CHECK_SAYS(said([&] { test::create_hdf5(file, "fields/" + bytes, numbers(m)); }), "expected a name like fields/u");
    CHECK(!std::filesystem::exists(file));
  }
  CHECK_SAYS(said([&] { save(m, file, {{"", 1.5}}); }), no_name);
  std::string const umlaut = "gr\xc3\xb6\xc3\x9f";
  save(m, file, {{umlaut, umlaut}});
  CHECK(test::read_hdf5_attribute<std::string>(m, file, "fields/u", umlaut) == umlaut);
}

TEST_CASE("the time of a step of a series is an attribute of its file") {
  shared_folder const folder;
  auto const m = mesh_of(grids()[0]);
  field_series series(m, folder.path / "s.xdmf");
  series.write(0.75, series_field("u", numbers(m)));
  CHECK(test::read_hdf5_attribute<double>(m, folder.path / "s_000000.h5", "/", "time") == 0.75);
}

TEST_CASE("an attribute that is missing, or is not as expected, gives one error on every rank") {
  shared_folder const folder;
  auto const file = folder.path / "x.h5";
  auto const m = mesh_of(grids()[0]);
  save(m, file, {{"unit", "m/s"}, {"step", 7}, {"spacing", std::vector<double>{1, 2}}});
  auto const error_of = [&](auto value, std::filesystem::path const& path, char const* object, char const* name) {
    return said([&] { (void)test::read_hdf5_attribute<decltype(value)>(m, path, object, name); });
  };
  std::string const begin = "ashlar::io::hdf5_file: ";
  CHECK_SAYS(error_of(1., folder.path / "other.h5", "/", "t"), begin + (folder.path / "other.h5").string());
  CHECK_SAYS(error_of(1., file, "fields/v", "t"), begin + file.string() + ": HDF5 cannot open the object fields/v: ");
  CHECK_SAYS(error_of(1., file, "fields/u", "t"),
             begin + file.string() + ": HDF5 cannot open the attribute t of fields/u: ");
  CHECK_SAYS(error_of(1., file, "fields/u", "unit"),
             begin + file.string() + ": expected elements of type float64 in unit of fields/u, found text");
  CHECK_SAYS(error_of(std::string(), file, "fields/u", "step"),
             begin + file.string() + ": expected text in step of fields/u, found int64");
  CHECK_SAYS(error_of(1., file, "fields/u", "step"),
             begin + file.string() + ": expected elements of type float64 in step of fields/u, found int64");
  CHECK_SAYS(error_of(1., file, "fields/u", "spacing"),
             begin + file.string() + ": expected 1 element in spacing of fields/u, found 2");
  if (m.rank() == 0) std::ofstream(folder.path / "text.h5") << "no HDF5 file";
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_SAYS(error_of(1., folder.path / "text.h5", "/", "t"),
             begin + (folder.path / "text.h5").string() + ": expected an HDF5 file, found another");
  // a file that ends early
  if (m.rank() == 0) std::filesystem::resize_file(file, std::filesystem::file_size(file) / 4);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_SAYS(error_of(1., file, "fields/u", "step"), begin + file.string() + ": HDF5 cannot ");
}

TEST_CASE("ranks that give different attributes, or read different ones, get one error, and no file") {
  shared_folder const folder;
  ASHLAR_NEEDS(testing::ranks() > 1);
  auto const file = folder.path / "x.h5";
  auto const m = mesh_of(grids()[0]);
  bool const last = m.rank() == m.size() - 1;
  auto const differ = [&](hdf5_attribute a, hdf5_attribute b) {
    CHECK_SAYS(said([&] { save(m, file, {last ? b : a}); }),
               "ashlar::io::hdf5_file: " + file.string() + ": attributes (as checksums) differ between ranks");
    CHECK(!std::filesystem::exists(file));
  };
  differ({"t", 1.5}, {"t", 2.5});
  differ({"t", 1}, {"t", 1.});
  differ({"t", "a"}, {"s", "a"});
  differ({"t", "ab"}, {"t", "ac"});
  differ({"t", "a"}, {"t", std::vector<std::string>{"a"}});
  differ({"t", std::vector<std::string>{"ab", "c"}}, {"t", std::vector<std::string>{"a", "bc"}});
  differ({"t", std::vector<double>{1, 2}}, {"t", std::vector<double>{1, 2, 3}});
  CHECK_SAYS(said([&] {
               save(m, file, last ? std::vector<hdf5_attribute>{} : std::vector<hdf5_attribute>{{"t", 1}});
             }),
             "attributes (as checksums) differ between ranks");
  CHECK(!std::filesystem::exists(file));

  field_series series(m, folder.path / "s.xdmf");
  CHECK_SAYS(said([&] { series.write(last ? 1. : 2., series_field("u", numbers(m))); }),
             "attributes (as checksums) differ between ranks");
  CHECK_SAYS(said([&] {
               field_series(m, folder.path / "s.xdmf", {.spacing = {1, last ? 2. : 3.}});
             }),
             "place, origin and spacing (as bits) differ between ranks");

  save(m, file, {{"a", 1}, {"b", 2}});
  CHECK_SAYS(said([&] { (void)test::read_hdf5_attribute<index_t>(m, file, "fields/u", last ? "a" : "b"); }),
             "object and name (as checksums) and type differ between ranks");
  CHECK_SAYS(said([&] {
               if (last)
                 (void)test::read_hdf5_attribute<index_t>(m, file, "fields/u", "a");
               else
                 (void)test::read_hdf5_attribute<double>(m, file, "fields/u", "a");
             }),
             "object and name (as checksums) and type differ between ranks");
}
