// A program on a mesh against the same program on one rank.
#include "../examples/support/compare_with_one_rank.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>
#include <limits>

using namespace ashlar;
using namespace examples;
using test::said;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;

// A loss that all ranks compute together, and a part of it that counts ranks.
double loss_of(device_mesh<grid> const& m, double per_rank) {
  auto const x = ones<double, layout<axes("data", "model")>>(m, {10});
  return item(all_reduce(sum<0>(x))) + per_rank * (m.size() - 1);
}

}  // namespace

TEST_CASE("the mesh of one rank is rank 0 alone, after the mesh of all") {
  int const ranks = test::world_size();
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, ranks});
  int together = 0, alone = 0;
  compare_with_one_rank(m, 1e-15, [&](device_mesh<grid> const& on, bool by_itself) {
    CHECK(on.size() == (by_itself ? 1 : ranks));
    CHECK(alone == 0);
    ++(by_itself ? alone : together);
    return loss_of(on, 0);
  });
  CHECK(together == 1);
  CHECK(alone == (m.rank() == 0 ? 1 : 0));
}

TEST_CASE("losses that differ are an error on all ranks, unless the tolerance is larger") {
  int const ranks = test::world_size();
  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks, 1});
  auto const compare = [&](double tolerance) {
    return said([&] {
      compare_with_one_rank(m, tolerance, [](device_mesh<grid> const& on, bool) { return loss_of(on, 0.01); });
    });
  };
  std::string const text = compare(1e-6);
  CHECK_MESSAGE((text.find("the losses of one rank and of the mesh differ") != text.npos) == (ranks > 1), text);
  CHECK(compare(0.1).empty());
  CHECK(compare(std::numeric_limits<double>::infinity()).empty());
}

TEST_CASE("a loss that is no number differs") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {test::world_size(), 1});
  std::string const text = said([&] {
    compare_with_one_rank(m, 0.1, [](device_mesh<grid> const&, bool alone) {
      return alone ? 1 : std::numeric_limits<double>::quiet_NaN();
    });
  });
  CHECK(text.find("differ") != text.npos);
}
