// Files on nodes that do not share a folder. Here ranks have current folders of their own.
#include "ashlar/io/npz_files.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include "support/own_folder.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>
#include <filesystem>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"p">>;
using by_rows = layout<"p", none>;
using field = sharded_tensor<double, by_rows, line>;
constexpr index_t rows = 64, columns = 300;

field numbered(device_mesh<line> const& m, double first) {
  return tensor_of<double, by_rows>(m, shape::of(rows, columns),
                                    [=](index_t g, int) { return first + static_cast<double>(g); });
}
bool is_numbered(field const& x, double first) {
  std::vector<double> all(rows * columns);
  for (std::size_t g = 0; g < all.size(); ++g) all[g] = first + static_cast<double>(g);
  return denotes(x, all);
}

}  // namespace

namespace {

// On one node the ranks compare the number of the file, else a number that rank 0 writes into it.
void check_new_files(device_mesh<line> const& m) {
  field const x = numbered(m, 0);
  own_folder const here;
  auto const refused = [&](std::string const& caller, std::string const& name, auto const& save) {
    std::string const part = name + ".part", begin = caller + ": " + part + ": ",
                      not_seen =
                          "rank 1 does not see the file that rank 0 has made; is the current folder on a file "
                          "system that all nodes share?";
    CHECK_BEGINS(said(save), begin + "cannot be opened: No such file or directory; " + not_seen);
    if (m.rank() != 0) write(part, counting(700000));  // as a killed run leaves it
    CHECK_BEGINS(said(save), begin + not_seen);
    CHECK(!std::filesystem::exists(name));
    CHECK(std::filesystem::exists(part) == (m.rank() != 0));
  };
  refused("ashlar::io::save_npy", "x.npy", [&] { save_npy(m, "x.npy", x); });
  refused("ashlar::io::save_npz", "x.npz", [&] { save_npz(m, "x.npz", npz_array("x", x)); });
}

}  // namespace

TEST_CASE("own folders: a new file that one rank does not see is one error on every rank") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  {
    one_node const node;
    check_new_files({MPI_COMM_WORLD, {testing::ranks()}});
  }
  variable const transport("ASHLAR_TRANSPORT", "mpi");
  check_new_files({MPI_COMM_WORLD, {testing::ranks()}});
}

TEST_CASE("own folders: equal copies of a file are one file, and a different one is one error on every rank") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()}), alone(MPI_COMM_SELF, {1});
  own_folder const here;
  for (double const first_of_last : {0., 7.}) {
    field const mine = numbered(alone, is_last_rank() ? first_of_last : 0);
    save_npy(alone, "x.npy", mine);
    save_npz(alone, "x.npz", npz_array("x", mine));
    auto const check = [&](std::string const& error, auto const& load) {
      field x = numbered(m, -1);
      CHECK_BEGINS(said([&] { x = load(); }), first_of_last == 0 ? "" : error);
      CHECK(is_numbered(x, first_of_last == 0 ? 0 : -1));
    };
    check("ashlar::io::load_npy: x.npy: the file of rank " + std::to_string(m.size() - 1) +
              " differs from the file of rank 0; copy one file to all nodes, or to a file system that they share",
          [&] { return load_npy<double, by_rows>(m, "x.npy"); });
    check("ashlar::io::load_npz: x.npz: x: element type, orders, header, extents, place and checksum differ",
          [&] { return load_npz<double, by_rows>(m, "x.npz", "x"); });
  }
}

TEST_CASE("own folders: the first and the last byte of a large file count, and its size") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  communicator const c(MPI_COMM_WORLD);
  own_folder const here;
  constexpr std::uint64_t size = std::uint64_t{100} << 20;
  io_detail::checked_file const file("x", "test", O_RDWR | O_CREAT);
  file.write(size - 1, "", 1);  // the other bytes are a hole
  // Writes to the file of the last rank, and compares the files of all ranks.
  auto const compare_after = [&](std::uint64_t at, char const* byte) {
    if (is_last_rank()) file.write(at, byte, 1);
    io_detail::checked_file const opened("x", "test");
    return said([&] { io_detail::require_same_content(c, opened); });
  };
  std::string const differs = "test: x: " + last_differs();
  CHECK_BEGINS(compare_after(0, ""), "");
  CHECK_BEGINS(compare_after(0, "a"), differs);
  CHECK_BEGINS(compare_after(0, ""), "");
  CHECK_BEGINS(compare_after(size - 1, "a"), differs);
  CHECK_BEGINS(compare_after(size - 1, ""), "");
  CHECK_BEGINS(compare_after(size, ""), differs);
}
