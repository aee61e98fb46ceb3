// Means over batches, of which the last is smaller.
#include "ashlar/train/mean_over.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::datasets;
using namespace ashlar::training;

namespace {

// The sum of the examples' numbers.
auto const sum_of = [](shuffled_batches const& batches, index_t i) {
  index_t sum = 0;
  for (index_t const example : batches.examples(i, 0, batches.size(i))) sum += example;
  return sum;
};

// Batches of 4, 4 and 3 examples, over and over; the examples of batch i have the numbers 4 i, 4 i + 1 and so on.
struct stream_of_11 {
  struct batch {
    index_t first, examples;
  };
  index_t at = 0;
  index_t count() const { return 3; }
  batch next() {
    index_t const i = at++ % 3;
    return {4 * i, i < 2 ? 4 : 3};
  }
};

}  // namespace

TEST_CASE("each example counts once, in the order in which they are stored") {
  CHECK(mean_over(11, 4, sum_of) == 5);
  CHECK(mean_over(3, 8, sum_of) == 1);
  index_t first = 0;
  mean_over(11, 4, [&](shuffled_batches const& batches, index_t i) {
    CHECK(batches.examples(i, 0, 1)[0] == first);
    first += batches.size(i);
    return 0;
  });
  CHECK(first == 11);
}

TEST_CASE("several sums give several means") {
  auto const means = mean_over(11, 4, [&](shuffled_batches const& batches, index_t i) {
    return std::vector{static_cast<double>(sum_of(batches, i)), 0.5 * static_cast<double>(batches.size(i))};
  });
  CHECK(means == std::vector{5., 0.5});
}

TEST_CASE("the mean over no example is 0, and a batch has examples") {
  CHECK(mean_over(0, 4, sum_of) == 0);
  CHECK_THROWS_AS(mean_over(3, 0, sum_of), error);
}

TEST_CASE("the mean over a stream is over its next epoch") {
  auto const sum = [](auto const& batch) {
    index_t s = 0;
    for (index_t i = 0; i < batch.examples; ++i) s += batch.first + i;
    return s;
  };
  CHECK(mean_over(stream_of_11(), sum) == 5);
  stream_of_11 stream;
  auto const means = mean_over(stream, [&](auto const& batch) {
    return std::vector{static_cast<double>(sum(batch)), 2. * static_cast<double>(batch.examples)};
  });
  CHECK(means == std::vector{5., 2.});
  CHECK(stream.at == 3);
}
