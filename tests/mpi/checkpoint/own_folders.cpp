// HDF5 files, weights and checkpoints on nodes that do not share a folder. Here ranks have current folders of their
// own.
#include "ashlar/checkpoint/arrays.hpp"
#include "ashlar/io/hdf5/field_series.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/hdf5_file.hpp"
#include "support.hpp"
#include "support/dense.hpp"
#include "support/own_folder.hpp"
#include <doctest/doctest.h>
#include <filesystem>

using namespace ashlar;
using namespace ashlar::io;
using test::said, test::own_folder, test::is_last_rank;
using testing::grid;

namespace {

using by_rows = layout<"x", none>;
using field = sharded_tensor<double, by_rows, grid>;
constexpr index_t rows = 64, columns = 300;

field numbered(device_mesh<grid> const& m, double first) {
  return test::tensor_of<double, by_rows>(m, shape::of(rows, columns),
                                          [=](index_t g, int) { return first + static_cast<double>(g); });
}
bool is_numbered(field const& x, double first) {
  std::vector<double> all(rows * columns);
  for (std::size_t g = 0; g < all.size(); ++g) all[g] = first + static_cast<double>(g);
  return test::denotes(x, all);
}

std::string not_seen(std::string const& does) {
  return "rank 1 does not see the file that rank 0 " + does +
         "; is the current folder on a file system that all nodes share?";
}

struct model {
  field x;
  static constexpr auto names = ashlar::names("x");
};

}  // namespace

TEST_CASE("own folders: a new file that one rank does not see is one error on every rank, of every function") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  device_mesh<grid> const m(MPI_COMM_WORLD, {testing::ranks(), 1});
  communicator const& c = m.communicator();
  own_folder const here;
  model const p{numbered(m, 0)};
  field_series series(m, "s.xdmf");
  auto const refused = [&](std::string const& caller, std::string const& name, auto const& save) {
    std::string const part = name + ".part", begin = "ashlar::io::" + caller + ": " + part + ": ";
    CHECK_BEGINS(said(save), begin + "cannot be opened: No such file or directory; " + not_seen("has made"));
    if (m.rank() != 0) test::write(part, test::counting(700000));  // as a killed run leaves it
    CHECK_BEGINS(said(save), begin + not_seen("has made"));
    CHECK(!std::filesystem::exists(name));
  };
  refused("hdf5_file", "x.h5", [&] { test::create_hdf5("x.h5", "x", p.x); });
  refused("field_series", "s_000000.h5", [&] { series.write(0, series_field("x", p.x)); });
  refused("save_arrays", "x.safetensors", [&] { save_arrays(c, "x.safetensors", p); });
  refused("save_arrays", "w.h5", [&] { save_arrays(c, "w.h5", p); });
  refused("save_checkpoint", "c.h5", [&] { save_checkpoint(c, "c.h5", 1, checkpoint_part("p", p)); });
}

TEST_CASE("own folders: equal copies are read as one file, and a different one is one error on every rank") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  device_mesh<grid> const m(MPI_COMM_WORLD, {testing::ranks(), 1}), alone(MPI_COMM_SELF, {1, 1});
  communicator const& c = m.communicator();
  own_folder const here;
  for (double const first_of_last : {0., 7.}) {
    model const mine{numbered(alone, is_last_rank() ? first_of_last : 0)};
    test::create_hdf5("x.h5", "x", mine.x);
    save_arrays(alone, "x.safetensors", mine);
    save_checkpoint(alone, "c.h5", 1, checkpoint_part("p", mine));
    model p{numbered(m, -1)};
    auto const check = [&](std::string const& error, auto const& load) {
      CHECK_BEGINS(said(load), first_of_last == 0 ? "" : "ashlar::io::" + error);
      CHECK(is_numbered(p.x, first_of_last == 0 ? 0 : -1));
      p.x = numbered(m, -1);
    };
    std::string const differs = test::last_differs();
    check("hdf5_file: x.h5: " + differs, [&] { p.x = test::read_hdf5<double, by_rows>(m, "x.h5", "x"); });
    check("load_arrays: x.safetensors: " + differs, [&] { load_arrays(c, "x.safetensors", p); });
    check("load_arrays: x.h5: " + differs, [&] { load_arrays(c, "x.h5", p); });
    check("load_checkpoint: c.h5: p/x is damaged", [&] { load_checkpoint(c, "c.h5", checkpoint_part("p", p)); });
  }
}

TEST_CASE("own folders: a copy of a file is not written, and no file changes") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  device_mesh<grid> const m(MPI_COMM_WORLD, {testing::ranks(), 1}), alone(MPI_COMM_SELF, {1, 1});
  own_folder const here;
  test::create_hdf5("x.h5", "x", numbered(alone, 0));
  test::bytes const before = test::content_of("x.h5");
  field const x = numbered(m, 7);
  CHECK_BEGINS(said([&] {
                 test::write_hdf5_box("x.h5", "x", x, {0, 0});
               }),
               "ashlar::io::hdf5_file: x.h5: " + not_seen("writes"));
  CHECK_BEGINS(said([&] { test::add_to_hdf5("x.h5", "y", x); }), "ashlar::io::hdf5_file: x.h5: " + not_seen("writes"));
  CHECK(test::content_of("x.h5") == before);
}
