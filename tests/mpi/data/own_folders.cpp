// Examples in files of nodes that do not share a folder. Here ranks have current folders of their own.
#include "ashlar/data/open.hpp"
#include "support/mpi_main.hpp"
#include "support/own_folder.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::datasets;
using namespace ashlar::test;

TEST_CASE("own folders: equal copies of examples are one file, and different ones are one error on every rank") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  communicator const c(MPI_COMM_WORLD);
  own_folder const here;
  // The header of 5 examples of 40 bytes.
  bytes const idx{0, 0, 8, 2, 0, 0, 0, 5, 0, 0, 0, 40};
  std::string const text = "\x93NUMPY\x01{'descr': '|u1', 'fortran_order': False, 'shape': (5, 40), }\n";
  bytes npy(text.begin(), text.end());
  npy.insert(npy.begin() + 7, {0, static_cast<std::uint8_t>(npy.size() - 7), 0});
  for (bool const differs : {false, true}) {
    bytes examples = counting(200);
    if (differs && is_last_rank()) examples.back() ^= 1;
    write("x.idx", joined(idx, examples));
    write("x.npy", joined(npy, examples));
    write("x.raw", examples);
    auto const check = [&](std::string const& begin, auto const& open) {
      CHECK_BEGINS(said(open), differs ? begin + last_differs() : "");
    };
    check("ashlar::io::read_idx: x.idx: ", [&] { open_idx(c, "x.idx"); });
    check("ashlar::io::read_npy: x.npy: ", [&] { open_npy(c, "x.npy"); });
    check("ashlar::datasets::open_raw: x.raw: ", [&] { open_raw<std::uint8_t>(c, "x.raw", {5, 40}); });
  }
}
