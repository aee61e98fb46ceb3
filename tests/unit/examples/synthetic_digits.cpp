// labels: sanitizers
// Synthetic digits: the same everywhere, balanced, different from each other, to be learnt but not for nothing.
#include "../examples/support/synthetic_digits.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <array>
#include <vector>

using namespace ashlar;
using namespace ashlar::io;
using namespace examples;

namespace {

std::uint8_t const* image(idx_array const& images, std::size_t i) { return images.bytes.data() + i * 784; }

template <class X, class Y>
double squared_distance(X const* x, Y const* y) {
  double sum = 0;
  for (int j = 0; j < 784; ++j) {
    double const d = static_cast<double>(x[j]) - static_cast<double>(y[j]);
    sum += d * d;
  }
  return sum;
}

// The part of the test images for which `guess(image)` is the label.
double accuracy(digit_data const& data, auto guess) {
  std::size_t const n = data.test_labels.bytes.size();
  std::size_t right = 0;
  for (std::size_t i = 0; i < n; ++i) right += guess(image(data.test_images, i)) == data.test_labels.bytes[i];
  return static_cast<double>(right) / static_cast<double>(n);
}

}  // namespace

TEST_CASE("shapes, labels and balance") {
  auto const data = synthetic_digits(prng_key{1}, 250, 0);
  CHECK(data.train_images.extents == std::vector<index_t>{250, 28, 28});
  CHECK(data.train_images.bytes.size() == 250 * 784);
  CHECK(data.train_labels.extents == std::vector<index_t>{250});
  CHECK(data.test_images.extents == std::vector<index_t>{0, 28, 28});
  CHECK(data.test_labels.bytes.empty());
  for (std::uint8_t digit = 0; digit < 10; ++digit)
    CHECK(std::count(data.train_labels.bytes.begin(), data.train_labels.bytes.end(), digit) == 25);
}

TEST_CASE("an example depends on the key and its index, on nothing else") {
  auto const data = synthetic_digits(prng_key{1}, 200, 100), again = synthetic_digits(prng_key{1}, 200, 100);
  CHECK(data.train_images.bytes == again.train_images.bytes);
  CHECK(data.test_images.bytes == again.test_images.bytes);
  auto const fewer = synthetic_digits(prng_key{1}, 70, 30);
  CHECK(std::equal(fewer.train_images.bytes.begin(), fewer.train_images.bytes.end(), data.train_images.bytes.begin()));
  CHECK(std::equal(fewer.test_images.bytes.begin(), fewer.test_images.bytes.end(), data.test_images.bytes.begin()));
  CHECK(synthetic_digits(prng_key{2}, 200, 100).train_images.bytes != data.train_images.bytes);
}

TEST_CASE("no image comes twice, among training and test images together") {
  auto const data = synthetic_digits(prng_key{3}, 2000, 1000);
  std::vector<std::vector<std::uint8_t>> all;
  for (auto const* images : {&data.train_images, &data.test_images})
    for (std::size_t i = 0; i < images->bytes.size() / 784; ++i)
      all.emplace_back(image(*images, i), image(*images, i + 1));
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_CASE("an image is a bright line on a dark ground, within the frame") {
  auto const data = synthetic_digits(prng_key{4}, 2000, 0);
  double ink = 0, rim = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    auto const* x = image(data.train_images, i);
    auto const bright = std::count_if(x, x + 784, [](int v) { return v >= 100; });
    CHECK(bright > 10);
    CHECK(bright < 400);
    ink += static_cast<double>(bright) / 784;
    for (std::size_t j = 0; j < 28; ++j) rim += ((x[j] >= 100) + (x[756 + j] >= 100)) / 56.0;
  }
  CHECK(ink / 2000 > 0.05);
  CHECK(ink / 2000 < 0.25);
  CHECK(rim / 2000 < 0.02);  // few strokes run out of the top or the bottom
}

TEST_CASE("the classes can be told apart, but not by their mean images" * doctest::test_suite("nightly")) {
  auto const data = synthetic_digits(prng_key{5}, 4000, 500);
  std::vector<double> mean(10 * 784);
  for (std::size_t i = 0; i < 4000; ++i)
    for (std::size_t j = 0; j < 784; ++j)
      mean[data.train_labels.bytes[i] * 784u + j] += image(data.train_images, i)[j] / 400.0;
  double const nearest_mean = accuracy(data, [&](std::uint8_t const* x) {
    std::array<double, 10> distance{};
    for (std::size_t c = 0; c < 10; ++c) distance[c] = squared_distance(x, mean.data() + c * 784);
    return std::min_element(distance.begin(), distance.end()) - distance.begin();
  });
  double const nearest_example = accuracy(data, [&](std::uint8_t const* x) {
    std::vector<double> distance(4000);
    for (std::size_t i = 0; i < 4000; ++i) distance[i] = squared_distance(x, image(data.train_images, i));
    auto const i = std::min_element(distance.begin(), distance.end()) - distance.begin();
    return data.train_labels.bytes[static_cast<std::size_t>(i)];
  });
  CAPTURE(nearest_mean);
  CAPTURE(nearest_example);
  CHECK(nearest_mean > 0.5);
  CHECK(nearest_mean < 0.85);
  CHECK(nearest_example > nearest_mean + 0.05);
  CHECK(nearest_example < 1);
}
