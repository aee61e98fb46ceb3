// labels: sanitizers
// The batches of an epoch: laws of a permutation, cut into batches and into the shards of a batch.
#include "ashlar/data/tensor_batches.hpp"
#include <doctest/doctest.h>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

using namespace ashlar;
using namespace ashlar::datasets;

namespace {

std::vector<index_t> order_of(shuffled_batches const& batches) {
  std::vector<index_t> order;
  for (index_t b = 0; b < batches.count(); ++b) {
    auto const e = batches.examples(b, 0, batches.size(b));
    order.insert(order.end(), e.begin(), e.end());
  }
  return order;
}

std::vector<index_t> in_order(index_t n) {
  std::vector<index_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), index_t{0});
  return order;
}

std::vector<index_t> sorted(std::vector<index_t> v) {
  std::sort(v.begin(), v.end());
  return v;
}

}  // namespace

TEST_CASE("the batches of an epoch hold every example once") {
  for (index_t n : {0, 1, 2, 3, 7, 10, 127, 128, 129, 1000})
    for (index_t batch : {1, 2, 3, 10, 128, 2000})
      for (std::uint64_t key : {0u, 1u, 99u}) {
        shuffled_batches const batches(n, batch, prng_key{key}, 3);
        CHECK(sorted(order_of(batches)) == in_order(n));
        CHECK(order_of({n, batch, prng_key{key}, 3, example_order::stored}) == in_order(n));
      }
}

TEST_CASE("all batches are full but the last, which is never empty") {
  for (index_t n : {1, 2, 96, 127, 128, 129, 60000})
    for (index_t batch : {1, 7, 128, 70000}) {
      shuffled_batches const batches(n, batch, prng_key{1}, 0);
      for (index_t b = 0; b + 1 < batches.count(); ++b) CHECK(batches.size(b) == batch);
      index_t const last = batches.size(batches.count() - 1);
      CHECK(last >= 1);
      CHECK(last <= batch);
      CHECK((batches.count() - 1) * batch + last == n);
    }
  CHECK(shuffled_batches(0, 128, prng_key{1}, 0).count() == 0);
  CHECK(shuffled_batches(60000, 128, prng_key{1}, 0).count() == 469);
  CHECK(shuffled_batches(60000, 128, prng_key{1}, 0).size(468) == 96);
}

TEST_CASE("the order depends on key and epoch, on nothing else") {
  auto const order = order_of({1000, 128, prng_key{7}, 0});
  CHECK(order == order_of({1000, 128, prng_key{7}, 0}));  // another rank
  CHECK(order == order_of({1000, 10, prng_key{7}, 0}));   // another batch size
  CHECK(order != order_of({1000, 128, prng_key{7}, 1}));
  CHECK(order != order_of({1000, 128, prng_key{8}, 0}));
  CHECK(order != in_order(1000));
  // Two epochs agree in as many places as two independent permutations, one on average.
  int together = 0;
  for (index_t epoch = 1; epoch <= 100; ++epoch) {
    auto const other = order_of({1000, 128, prng_key{7}, epoch});
    for (std::size_t i = 0; i < order.size(); ++i) together += order[i] == other[i];
  }
  CHECK(together > 50);
  CHECK(together < 150);
}

TEST_CASE("the shards of a batch, one behind the other, are the batch") {
  shuffled_batches const batches(1000, 128, prng_key{5}, 2);
  for (index_t ranks : {1, 2, 3, 4, 8, 200})
    for (index_t b = 0; b < batches.count(); ++b) {
      std::vector<index_t> joined;
      index_t const n = batches.size(b);
      for (index_t r = 0; r < ranks; ++r) {
        auto const shard = batches.examples(b, n * r / ranks, n * (r + 1) / ranks);
        joined.insert(joined.end(), shard.begin(), shard.end());
      }
      auto const whole = batches.examples(b, 0, n);
      CHECK(std::equal(joined.begin(), joined.end(), whole.begin(), whole.end()));
    }
}

TEST_CASE("all permutations of four examples are equally likely, and so is every place in a long one") {
  std::map<std::vector<index_t>, int> seen;
  for (std::uint64_t k = 0; k < 24000; ++k) ++seen[order_of({4, 4, prng_key{k}, 0})];
  CHECK(seen.size() == 24);
  for (auto const& [order, times] : seen) CHECK(std::abs(times - 1000) < 5 * std::sqrt(1000));

  std::array<std::array<int, 10>, 10> place{};
  for (index_t epoch = 0; epoch < 2000; ++epoch) {
    auto const order = order_of({100, 10, prng_key{3}, epoch});
    for (std::size_t i = 0; i < order.size(); ++i) ++place[i / 10][static_cast<std::size_t>(order[i]) / 10];
  }
  for (auto const& row : place)
    for (int times : row) CHECK(std::abs(times - 2000) < 5 * std::sqrt(2000));
}

TEST_CASE("sizes that make no batches, and batches that there are not, are refused") {
  CHECK_THROWS_WITH_AS(
      shuffled_batches(-1, 128, prng_key{1}, 0),
      "ashlar::datasets::shuffled_batches: expected 0 examples or more in batches of 1 or more, found -1 in batches of 128",
      error);
  CHECK_THROWS_WITH_AS(shuffled_batches(10, 0, prng_key{1}, 0), doctest::Contains("10 in batches of 0"), error);
  CHECK_THROWS_WITH_AS(shuffled_batches(10, -5, prng_key{1}, 0), doctest::Contains("batches of -5"), error);
  shuffled_batches const b(10, 4, prng_key{1}, 0);
  CHECK_THROWS_WITH_AS((void)b.size(3),
                       "ashlar::datasets::shuffled_batches: expected one of the 3 batches, found batch 3", error);
  CHECK_THROWS_WITH_AS((void)b.examples(-1, 0, 0),
                       "ashlar::datasets::shuffled_batches: expected one of the 3 batches, found batch -1", error);
  CHECK_THROWS_WITH_AS(
      (void)b.examples(2, 0, 3),
      "ashlar::datasets::shuffled_batches: expected positions within a batch of 2 examples, found 0 to 3", error);
}

TEST_CASE("batches are made with their sizes and numbers, and come in their order, epoch after epoch") {
  tensor_batches made(11, 4, [](index_t n, std::uint64_t i) { return std::pair(n, i); });
  CHECK(made.count() == 3);
  for (int k = 0; k < 6; ++k) {
    index_t const i = k % 3, n = i == 2 ? 3 : 4;
    auto const& batch = made.next();
    CHECK(batch.tensors == std::pair(n, static_cast<std::uint64_t>(i)));
    CHECK(batch.examples == n);
  }
}
