// What a program shows: rank 0 writes meshes, layouts, blocks and the collectives of a step; the others write nothing.
#include "ashlar/train/print.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/sequential.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>
#include <sstream>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::training;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
using rows = layout<"data", none>;

template <class Print>
std::string written(Print print) {
  std::ostringstream out;
  print(out);
  return out.str();
}

}  // namespace

TEST_CASE("meshes, blocks and collectives are written by rank 0 alone") {
  int const p = world_size();
  device_mesh<grid> const m(MPI_COMM_WORLD, {p, 1});
  bool const root = m.rank() == 0;
  std::string const ranks = std::to_string(p);
  CHECK(written([&](std::ostream& out) { print_mesh(out, m); }) ==
        (root ? "mesh data=" + ranks + " x model=1 on " + ranks + " ranks\n" : ""));

  std::string const blocks = written([&](std::ostream& out) {
    print_blocks<rows>(out, m, "a batch", {4, 2}, ", of images");
  });
  std::string const drawn = written([&](std::ostream& out) { draw<rows>(out, m.shape(), {4, 2}); });
  CHECK(blocks == (root ? "\na batch, layout<\"data\", none>, of images\n" + drawn : ""));

  auto const step = [](auto const& a) { (void)all_reduce(sum<0>(make<float, rows>(a, {8, 2}))); };
  std::string const ledger = written([&](std::ostream& out) { print_step(out, m, step); });
  CHECK(ledger.starts_with("\ncollectives of a step\n") == root);
  CHECK((ledger.find("all_reduce") != ledger.npos) == (root && p > 1));
}

TEST_CASE("numbers and peaks have their names") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  bool const root = m.rank() == 0;
  CHECK(written([&](std::ostream& out) { print_number(out, m, "test accuracy", 0.97); }) ==
        (root ? "test accuracy: 0.9700\n" : ""));
  std::string const peak = std::to_string(memory_in_use().peak);
  CHECK(written([&](std::ostream& out) { print_peak_memory(out, m, "state", 12); }) ==
        (root ? "\npeak memory of rank 0: " + peak + " bytes; state: 12 bytes\n" : ""));
}

TEST_CASE("each parameter has a line") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const model = sequential<4>(dense<"d1", 6>(without_bias), dense<"d2", 2>()).weights();
  auto const parameters = init<model_parallel<"data", rule<"d1/kernel", layout<none, "model">>>>(m, model, prng_key{1});
  CHECK(written([&](std::ostream& out) { print_layouts(out, parameters); }) ==
        "  d1/kernel, layout<none, \"model\">\n  d2/kernel, layout<none, none>\n  d2/bias, layout<none>\n");
}
