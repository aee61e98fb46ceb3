// labels: sanitizers
// Datasets: which examples, in which order; arrays in files, read in parts and kept.
#include "ashlar/data/dataset.hpp"
#include "support/files.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <thread>

using namespace ashlar;
using namespace ashlar::datasets;
using namespace ashlar::io;
using namespace ashlar::test;

namespace {

idx_array numbered(std::vector<index_t> const& extents) {
  std::size_t n = 1;
  for (index_t e : extents) n *= static_cast<std::size_t>(e);
  return {extents, counting(n)};
}
std::vector<index_t> places(dataset const& d) {
  std::vector<index_t> all;
  for (index_t i = 0; i < d.examples(); ++i) all.push_back(d.stored_at(i));
  return all;
}

}  // namespace

TEST_CASE("a split has so many examples and the others, each in order, drawn by the key") {
  dataset const all = from_arrays(numbered({20, 3}), numbered({20}));
  for (index_t n : {0, 1, 7, 20}) {
    auto const [drawn, rest] = all.split(n, prng_key{3});
    auto const a = places(drawn), b = places(rest);
    CHECK(static_cast<index_t>(a.size()) == n);
    CHECK(std::is_sorted(a.begin(), a.end()));
    CHECK(std::is_sorted(b.begin(), b.end()));
    std::vector<index_t> both(20);
    std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin());
    CHECK(both == places(all));
    CHECK(places(all.split(n, prng_key{3}).first) == a);
  }
  CHECK(places(all.split(7, prng_key{3}).first) != places(all.split(7, prng_key{4}).first));
  // A split of a split chooses among its examples.
  auto const rest = all.split(7, prng_key{3}).second;
  auto const [some, others] = rest.split(5, prng_key{5});
  auto const of_rest = places(rest);
  for (index_t p : places(some)) CHECK(std::binary_search(of_rest.begin(), of_rest.end(), p));
  CHECK(some.examples() + others.examples() == 13);
  CHECK_THROWS_WITH_AS(all.split(21, prng_key{1}), doctest::Contains("0 to 20 examples, found 21"), error);
  CHECK_THROWS_WITH_AS(all.split(-1, prng_key{1}), doctest::Contains("found -1"), error);
}

TEST_CASE("what is said about batches is kept, and does not change the dataset that it was said of") {
  dataset const d = from_arrays(numbered({10}));
  dataset const e = d.shuffle(prng_key{7}).batch(4, last_batch::padded).prefetch(3);
  CHECK(e.how().size == 4);
  CHECK(e.how().last == last_batch::padded);
  CHECK(e.how().order == example_order::shuffled);
  CHECK(e.how().key == prng_key{7});
  CHECK(e.how().prefetch == 3);
  CHECK(d.how().size == 1);
  CHECK(d.how().order == example_order::stored);
  for (index_t epoch : {0, 1, 5}) {
    shuffled_batches const expected(10, 4, prng_key{7}, epoch);
    auto const found = e.batches(epoch);
    REQUIRE(found.count() == 3);
    for (index_t b = 0; b < 3; ++b) {
      auto const x = found.examples(b, 0, found.size(b)), y = expected.examples(b, 0, expected.size(b));
      CHECK(std::equal(x.begin(), x.end(), y.begin(), y.end()));
    }
  }
  CHECK_THROWS_WITH_AS(d.batch(0), doctest::Contains("1 example or more, found 0"), error);
  CHECK_THROWS_WITH_AS(d.prefetch(-1), "ashlar::datasets::dataset: expected to prefetch 0 batches or more, found -1",
                       error);
}

TEST_CASE("arrays that are no examples, or not as many, are refused") {
  CHECK_THROWS_WITH_AS(dataset({}), doctest::Contains("one array or more"), error);
  CHECK_THROWS_WITH_AS(from_arrays(numbered({3}), numbered({4, 2})),
                       "ashlar::datasets::dataset: expected as many examples in each array, found 3 and 4", error);
  CHECK_THROWS_WITH_AS(array_source(npy_array{{}, npy_kind::f8, bytes(8)}), doctest::Contains("found a scalar"), error);
  CHECK_THROWS_WITH_AS(array_source(idx_array{{2, 3}, bytes(5)}),
                       doctest::Contains("expected 6 bytes of elements (2 x 3), found 5"), error);
}

TEST_CASE("a file is read in parts, by several threads; what is cached is read once") {
  temporary_folder const folder;
  auto const content = counting(5 + 40 * 6);
  write(folder.path / "x", content);
  auto const file = std::make_shared<io_detail::checked_file>(folder.path / "x", "test");
  array_source const plain = array_source::in_file(file, {40, 6}, npy_kind::u1, 5), kept = plain.cached();
  CHECK(plain.examples() == 40);
  CHECK(plain.size() == 6);
  auto const check = [&](array_source const& a) {
    bytes scratch(6);
    bool right = true;
    for (index_t e = 0; e < 40; ++e)
      for (index_t first : {0, 2, 5}) {
        index_t const n = 6 - first;
        auto const* const x = a.read(e, first, n, scratch.data());
        right &= std::equal(x, x + n, content.begin() + 5 + e * 6 + first);
      }
    return right;
  };
  for (array_source const& a : {plain, kept, kept.cached()}) {
    bool right[3]{};
    std::vector<std::thread> threads;
    for (bool& r : right) threads.emplace_back([&] { r = check(a); });
    for (auto& t : threads) t.join();
    CHECK((right[0] && right[1] && right[2]));
  }
  write(folder.path / "x", bytes(content.size()));  // only what is not kept notices
  CHECK(check(kept));
  CHECK(!check(plain));
  array_source const here(idx_array{{40, 6}, bytes(content.begin() + 5, content.end())});
  CHECK(check(here));
  CHECK(here.cached().in_memory());
}
