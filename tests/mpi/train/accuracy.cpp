// The accuracy of a classifier.
#include "ashlar/train/accuracy.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::datasets;
using namespace ashlar::io;
using namespace ashlar::training;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"data">>;

// 2047 images of 3 pixels, the brightest of which is number i % 3. Every fifth label is another.
dataset images_of_3() {
  idx_array images{{2047, 3}, {}}, labels{{2047}, {}};
  for (index_t i = 0; i < 2047; ++i) {
    for (index_t j = 0; j < 3; ++j) images.bytes.push_back(j == i % 3 ? 200 : 10);
    labels.bytes.push_back(static_cast<std::uint8_t>(i % 5 == 0 ? (i + 1) % 3 : i % 3));
  }
  return from_arrays(std::move(images), std::move(labels));
}

}  // namespace

TEST_CASE("each image counts once, on every number of ranks") {
  device_mesh<grid> const m(MPI_COMM_WORLD);
  double const share = test_accuracy<double, layout<"data", none>, layout<"data">>(m, images_of_3(), 1. / 255,
                                                                                   [](auto const& x) { return x + x; });
  CHECK(share == doctest::Approx((2047 - 410) / 2047.).epsilon(1e-15));
}
