// Philox4x32-10 against Random123, and the statistics of what is drawn from it.
#include "ashlar/meta/philox.hpp"
#include <doctest/doctest.h>
#include <Random123/philox.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <vector>

using namespace ashlar;

namespace {

std::array<std::uint32_t, 4> random123(std::array<std::uint32_t, 4> const& c, std::array<std::uint32_t, 2> const& k) {
  r123::Philox4x32 const generator;
  auto const out = generator({{c[0], c[1], c[2], c[3]}}, {{k[0], k[1]}});
  return {out[0], out[1], out[2], out[3]};
}

template <class T>
std::vector<double> sample(prng_key key, index_t n) {
  std::vector<double> u;
  for (index_t g = 0; g < n; ++g) u.push_back(uniform<T>(key, g));
  return u;
}

// Standard deviations by which chi-square with cells-1 degrees of freedom leaves its mean (normal for many cells).
double chi_square_deviation(std::vector<index_t> const& cells, double expected) {
  double chi = 0;
  for (index_t n : cells) chi += (static_cast<double>(n) - expected) * (static_cast<double>(n) - expected) / expected;
  auto const freedom = static_cast<double>(cells.size() - 1);
  return (chi - freedom) / std::sqrt(2 * freedom);
}

}  // namespace

TEST_CASE("philox4x32 equals Random123's for a million counters and keys") {
  std::mt19937 words(1);
  auto const word = [&] { return static_cast<std::uint32_t>(words()); };
  index_t different = 0;
  for (int i = 0; i < 1000000; ++i) {
    std::array<std::uint32_t, 4> const c{word(), word(), word(), word()};
    std::array<std::uint32_t, 2> const k{word(), word()};
    auto const got = meta_detail::philox4x32_10({c[0], c[1], c[2], c[3]}, {k[0], k[1]});
    auto const expected = random123(c, k);
    for (unsigned j = 0; j < 4; ++j) different += got.word[j] != expected[j];
  }
  CHECK(different == 0);
}

TEST_CASE("counters that differ in one bit, the carries between words") {
  for (unsigned bit = 0; bit < 128; ++bit) {
    std::array<std::uint32_t, 4> c{};
    c[bit / 32] = 1u << bit % 32;
    auto const got = meta_detail::philox4x32_10({c[0], c[1], c[2], c[3]}, {0xffffffffu, 0x80000000u});
    auto const expected = random123(c, {0xffffffffu, 0x80000000u});
    for (unsigned j = 0; j < 4; ++j) CHECK(got.word[j] == expected[j]);
  }
}

TEST_CASE("a number is the stated part of the stated block, beyond 2^32 indices too") {
  prng_key const key{0x0123456789abcdefu};
  std::array<std::uint32_t, 2> const k{0x89abcdefu, 0x01234567u};
  for (int bits : {3, 32, 33, 34, 62})
    for (index_t g = (index_t{1} << bits) - 8; g < (index_t{1} << bits) + 8; ++g) {
      auto const at = [&](index_t block) {
        auto const b = static_cast<std::uint64_t>(block);
        return random123({static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(b >> 32), 0, 0}, k);
      };
      auto const w4 = at(g / 4), w2 = at(g / 2);
      auto const lane4 = static_cast<unsigned>(g % 4), lane2 = static_cast<unsigned>(g % 2) * 2;
      CHECK(uniform<float>(key, g) == std::ldexp(static_cast<float>(w4[lane4] / 256), -24));
      CHECK(random_bits(key, g) == w2[lane2] + w2[lane2 + 1] * 4294967296u);
      CHECK(uniform<double>(key, g) == std::ldexp(static_cast<double>(random_bits(key, g) / 2048), -53));
    }
}

TEST_CASE_TEMPLATE("the block form gives the numbers of the single form", T, float, double) {
  constexpr int size = meta_detail::uniform_block<T>::size;
  for (std::uint64_t k : {0u, 1u, 12345u})
    for (index_t b = 0; b < 1000; ++b) {
      auto const u = meta_detail::uniforms<T>(prng_key{k}, b);
      for (int i = 0; i < size; ++i) CHECK(u.value[i] == uniform<T>(prng_key{k}, b * size + i));
    }
}

TEST_CASE_TEMPLATE("uniform numbers fill [0, 1) evenly and do not follow from their neighbours", T, float, double) {
  constexpr index_t n = 1 << 20;
  constexpr double count = n;
  for (prng_key key : {prng_key{0}, prng_key{7}, fold_in(prng_key{7}, 1)}) {
    auto const u = sample<T>(key, n);
    double sum[4]{}, lag[4]{}, lowest = 1, highest = 0;
    std::vector<index_t> cells(256);
    for (std::size_t i = 0; i < u.size(); ++i) {
      lowest = std::min(lowest, u[i]);
      highest = std::max(highest, u[i]);
      ++cells[static_cast<std::size_t>(u[i] * 256)];
      for (int p = 0; p < 4; ++p) sum[p] += std::pow(u[i], p + 1);
      for (std::size_t l = 1; l <= 4 && l <= i; ++l) lag[l - 1] += (u[i] - 0.5) * (u[i - l] - 0.5);
    }
    CHECK(lowest >= 0);
    CHECK(lowest < 1e-4);
    CHECK(highest < 1);
    CHECK(highest > 1 - 1e-4);
    for (int p = 1; p <= 4; ++p) {
      double const mean = 1.0 / (p + 1), deviation = std::sqrt((1.0 / (2 * p + 1) - mean * mean) / count);
      CHECK(std::abs(sum[p - 1] / count - mean) < 5 * deviation);
    }
    for (double l : lag) CHECK(std::abs(l / count) < 5 / 12.0 / std::sqrt(count));
    CHECK(std::abs(chi_square_deviation(cells, count / 256)) < 5);
  }
}

TEST_CASE("every bit of random_bits is set half of the time") {
  constexpr int n = 1 << 18;
  std::array<int, 64> set{};
  for (index_t g = 0; g < n; ++g)
    for (unsigned b = 0; b < 64; ++b) set[b] += static_cast<int>(random_bits(prng_key{3}, g) >> b & 1);
  for (int s : set) CHECK(std::abs(s - n / 2) < 5 * std::sqrt(n) / 2);
}

TEST_CASE("folding in gives different and uncorrelated streams") {
  std::set<std::uint64_t> keys;
  for (std::uint64_t k = 0; k < 100; ++k)
    for (std::uint64_t d = 0; d < 100; ++d) keys.insert(fold_in(prng_key{k}, d).value);
  CHECK(keys.size() == 10000);

  // Pairs of one index in two streams fill the square evenly.
  constexpr index_t n = 1 << 18;
  for (std::uint64_t d = 1; d < 8; ++d) {
    auto const u = sample<float>(prng_key{7}, n), v = sample<float>(fold_in(prng_key{7}, d), n);
    std::vector<index_t> cells(256);
    for (std::size_t i = 0; i < u.size(); ++i)
      ++cells[static_cast<std::size_t>(std::floor(u[i] * 16) * 16 + v[i] * 16)];
    CHECK(std::abs(chi_square_deviation(cells, n / 256.0)) < 5);
  }
}
