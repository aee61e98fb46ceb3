// What describe says of the mesh; the rest differs from machine to machine.
#include "ashlar/tensor/products/describe.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>
#include <sstream>

using namespace ashlar;
using namespace ashlar::test;

TEST_CASE("describe: a line for each of the parts, and the transport of each set of axes") {
  ASHLAR_NEEDS(ASHLAR_LINUX);  // elsewhere ranks share no memory
  using grid = mesh<axis<"data">, axis<"model">>;
  one_node const scope;
  auto const text = [](auto const& m) {
    std::ostringstream out;
    describe(out, m);
    return out.str();
  };
  for_each_factorisation([&](auto const& sizes) {
    std::string const n = std::to_string(world_size()), data = std::to_string(sizes[0]),
                      model = std::to_string(sizes[1]);
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    std::string const found = text(m);
    CAPTURE(found);
    for (char const* begin : {"ashlar 0.1.0, ", "\nMPI ", "\nKokkos ", "\nBLAS: ", "\nconvolution on the host: "})
      CHECK(found.find(begin) != std::string::npos);
    CHECK(found.find("\nmesh data=" + data + " x model=" + model + ", " + n + " ranks; this is rank " +
                     std::to_string(m.rank()) + "\n") != std::string::npos);
    auto const says = [&](std::string const& line) { return found.find(line) != std::string::npos; };
    CHECK(says("\n  over data: " + data + " ranks, shared memory\n") == (sizes[0] > 1));
    CHECK(says("\n  over model: " + model + " ranks, shared memory\n") == (sizes[1] > 1));
    CHECK(says("\n  over data, model: " + n + " ranks, shared memory\n") == (m.size() > 1));
    CHECK(says("\nshared memory: ") == (m.size() > 1));

    messages_of_mpi const messages;
    std::string const other = text(device_mesh<grid>(MPI_COMM_WORLD, sizes));
    CHECK((other.find("shared memory\n") == std::string::npos));
    CHECK((other.find("\nno shared memory: the program or ASHLAR_TRANSPORT=mpi says so\n") != std::string::npos) ==
          (m.size() > 1));
  });
}
