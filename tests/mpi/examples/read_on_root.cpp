// Digits that one rank reads, on every rank.
#include "ashlar/tensor/tensor.hpp"
#include "../examples/support/read_on_root.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::io;
using namespace examples;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;

idx_array numbered(std::vector<index_t> const& extents, int seed) {
  index_t n = 1;
  for (index_t e : extents) n *= e;
  idx_array a{extents, {}};
  for (index_t g = 0; g < n; ++g) a.bytes.push_back(static_cast<std::uint8_t>(g * 37 + seed));
  return a;
}
digit_data digits() { return {numbered({11, 3, 2}, 1), numbered({11}, 2), numbered({4, 3, 2}, 3), numbered({4}, 4)}; }
bool same(idx_array const& a, idx_array const& b) { return a.extents == b.extents && a.bytes == b.bytes; }

}  // namespace

TEST_CASE("load: what rank 0 reads is on every rank, and nobody else reads") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  bool called = false;
  digit_data const data = read_on_root(m.communicator(), [&] {
    called = true;
    return digits();
  });
  CHECK(called == (m.rank() == 0));
  digit_data const expected = digits();
  CHECK(same(data.train_images, expected.train_images));
  CHECK(same(data.train_labels, expected.train_labels));
  CHECK(same(data.test_images, expected.test_images));
  CHECK(same(data.test_labels, expected.test_labels));
}

TEST_CASE("load: what the reader throws is thrown on every rank") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  CHECK_THROWS_WITH_AS(read_on_root(m.communicator(), []() -> digit_data { throw error("no digits here"); }),
                       "no digits here", error);
  CHECK_THROWS_WITH_AS(read_on_root(m.communicator(), []() -> digit_data { return read_mnist("/nonexistent folder"); }),
                       doctest::Contains("/nonexistent folder"), error);
  CHECK_NOTHROW(read_on_root(m.communicator(), digits));
}
