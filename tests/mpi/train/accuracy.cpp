// The accuracy of a classifier, and batches with their labels.
#include "ashlar/train/accuracy.hpp"
#include "ashlar/tensor/gather.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"data">>;

// 2047 images of 3 pixels, the brightest of which is number i % 3. Every fifth label is another.
digit_data images_of_3() {
  digit_data data;
  data.test_images.extents = {2047, 3}, data.test_labels.extents = {2047};
  for (index_t i = 0; i < 2047; ++i) {
    for (index_t j = 0; j < 3; ++j) data.test_images.bytes.push_back(j == i % 3 ? 200 : 10);
    data.test_labels.bytes.push_back(static_cast<std::uint8_t>(i % 5 == 0 ? (i + 1) % 3 : i % 3));
  }
  return data;
}

}  // namespace

TEST_CASE("each image counts once, on every number of ranks") {
  device_mesh<grid> const m(MPI_COMM_WORLD);
  digit_data const data = images_of_3();
  double const share = test_accuracy<double, layout<"data", none>, layout<"data">>(m, data, 1. / 255,
                                                                                   [](auto const& x) { return x + x; });
  CHECK(share == doctest::Approx((2047 - 410) / 2047.).epsilon(1e-15));
}

TEST_CASE("images and labels are of the same examples") {
  device_mesh<grid> const m(MPI_COMM_WORLD);
  digit_data const data = images_of_3();
  shuffled_batches const batches(2047, 100, prng_key{3}, 0);
  auto const [x, y] = feed_labelled<float, layout<"data", none>, layout<"data">>(m, data.test_images, data.test_labels,
                                                                                 batches, 20, 0.5f);
  CHECK(x.extents() == shape::of(47, 3));
  auto const pixels = gather_all(x);
  auto const labels = gather_all(y);
  auto const examples = batches.examples(20, 0, 47);
  for (std::size_t i = 0; i < 47; ++i) {
    auto const e = static_cast<std::size_t>(examples[i]);
    CHECK(pixels[3 * i + 1] == 0.5f * static_cast<float>(data.test_images.bytes[3 * e + 1]));
    CHECK(labels[i] == data.test_labels.bytes[e]);
  }
}

TEST_CASE("batches of the training images are those of their arrays") {
  device_mesh<grid> const m(MPI_COMM_WORLD);
  digit_data data = images_of_3();
  data.train_images = data.test_images, data.train_labels = data.test_labels;
  shuffled_batches const batches(2047, 100, prng_key{3}, 0);
  auto const [x, y] = feed_training<float, layout<"data", none>, layout<"data">>(m, data, batches, 3, 0.5f);
  auto const [x2, y2] = feed_labelled<float, layout<"data", none>, layout<"data">>(m, data.train_images,
                                                                                   data.train_labels, batches, 3, 0.5f);
  CHECK(gather_all(x) == gather_all(x2));
  CHECK(gather_all(y) == gather_all(y2));
}
