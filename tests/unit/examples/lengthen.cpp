// Classes that are drawn, and sequences that a model lengthens.
#include "../examples/support/lengthen.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::io;
using namespace examples;

TEST_CASE("classes are drawn by their probabilities") {
  std::vector<double> const scores{0, std::log(2.), std::log(5.)};
  auto const sample = [&](double temperature, double u) {
    return sample_class(std::span<double const>(scores), temperature, u);
  };
  for (double const u : {0., 0.5, 0.999}) CHECK(sample(0, u) == 2);
  CHECK(sample(1, 0) == 0);
  CHECK(sample(1, 0.124) == 0);
  CHECK(sample(1, 0.126) == 1);
  CHECK(sample(1, 0.374) == 1);
  CHECK(sample(1, 0.376) == 2);
  CHECK(sample(1, 0.9999999999999999) == 2);
  CHECK(sample(1e9, 0.34) == 1);   // almost uniform
  CHECK(sample(1e-3, 0.01) == 2);  // almost the likeliest
}

TEST_CASE("sequences grow until they are full or done") {
  // The next token is the last one plus 1, of 10.
  int rounds = 0;
  auto const score = [&](idx_array const& tokens) {
    ++rounds;
    CHECK(tokens.extents == std::vector<index_t>{3, 6});
    std::vector<float> scores;
    for (std::uint8_t const t : tokens.bytes)
      for (int c = 0; c < 10; ++c) scores.push_back(c == (t + 1) % 10 ? 1.f : 0.f);
    return scores;
  };
  std::vector<std::vector<std::uint8_t>> sequences{{1}, {4, 7}, {2, 3, 4, 5, 6, 7}};
  lengthen(
      sequences, 6, score, [](auto const& s, index_t) { return s.back() == 9; }, 0, prng_key{1});
  CHECK(sequences == std::vector<std::vector<std::uint8_t>>{{1, 2, 3, 4, 5, 6}, {4, 7, 8, 9}, {2, 3, 4, 5, 6, 7}});
  CHECK(rounds == 5);
  sequences = {{1}, {4}, {8}};
  lengthen(
      sequences, 6, score, [](auto const&, index_t added) { return added == 2; }, 0, prng_key{1});
  CHECK(sequences == std::vector<std::vector<std::uint8_t>>{{1, 2, 3}, {4, 5, 6}, {8, 9, 0}});
  auto const same = [&](std::uint64_t key) {
    std::vector<std::vector<std::uint8_t>> drawn{{1}, {4}, {8}};
    lengthen(
        drawn, 6, score, [](auto const&, index_t) { return false; }, 2, prng_key{key});
    return drawn;
  };
  CHECK(same(1) == same(1));
  CHECK(same(1) != same(2));
}
