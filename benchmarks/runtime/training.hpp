// What the variants of step.cpp have in common: the network's sizes, their data, dropout masks, and the reference.
#pragma once
#include <ashlar/ashlar.hpp>

#include <cmath>
#include <cstring>
#include <vector>

namespace training {

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

inline constexpr index_t inputs = 784, hidden = 200, classes = 10, batches = 8;
inline constexpr float rate = 0.4f;
inline constexpr prng_key weight_key{1}, image_key{2}, label_key{3}, dropout_key{4};

struct label_of {
  prng_key key;
  KOKKOS_FUNCTION std::int32_t operator()(index_t i) const {
    return static_cast<std::int32_t>(random_bits(key, i) % static_cast<std::uint64_t>(classes));
  }
};
inline label_of labels_of_batch(index_t k) { return {fold_in(label_key, static_cast<std::uint64_t>(k))}; }
inline prng_key images_of_batch(index_t k) { return fold_in(image_key, static_cast<std::uint64_t>(k)); }
inline prng_key dropout_of_step(index_t step) { return fold_in(dropout_key, static_cast<std::uint64_t>(step)); }

/// Parameters, and what the last step reported.
template <class T>
struct outcome {
  std::vector<T> w1, w2, bias;
  T loss = 0, hits = 0;

  /// The part of the units [first, first + n) of the hidden layer.
  outcome part(index_t first, index_t n) const {
    outcome p{{}, {w2.begin() + first * classes, w2.begin() + (first + n) * classes}, bias, loss, hits};
    for (index_t i = 0; i < inputs; ++i) {
      auto const row = w1.begin() + i * hidden + first;
      p.w1.insert(p.w1.end(), row, row + n);
    }
    return p;
  }
};

inline bool agree(outcome<float> const& a, outcome<double> const& b, double tolerance) {
  double worst = std::abs(static_cast<double>(a.loss) - b.loss);
  auto const compare = [&](std::vector<float> const& x, std::vector<double> const& y) {
    if (x.size() != y.size()) return false;
    for (std::size_t i = 0; i < y.size(); ++i) worst = std::max(worst, std::abs(static_cast<double>(x[i]) - y[i]));
    return true;
  };
  bool const comparable = compare(a.w1, b.w1) && compare(a.w2, b.w2) && compare(a.bias, b.bias);
  return comparable && worst < tolerance && static_cast<double>(a.hits) == b.hits;
}

/// How a dropout mask is drawn: `one` defines it, `fill` makes rows of it for a shard of the hidden layer. A mask holds
/// 0 or 1 / (1 - rate).
struct philox_mask {
  static float one(index_t step, index_t row, index_t unit) {
    return uniform<float>(dropout_of_step(step), row * hidden + unit) < rate ? 0 : 1 / (1 - rate);
  }

  // Evaluations side by side, in numbers as wide as their products: so compilers vectorise the rounds.
  static constexpr int lanes = 32;
  static void draw(prng_key key, std::uint64_t first_block, index_t n, float* mask) {
    for (index_t done = 0; done < n; done += 4 * lanes, first_block += lanes) {
      std::uint64_t c0[lanes], c1[lanes]{}, c2[lanes]{}, c3[lanes]{};
      auto k0 = static_cast<std::uint32_t>(key.value), k1 = static_cast<std::uint32_t>(key.value >> 32);
      for (std::uint64_t l = 0; l < lanes; ++l) c0[l] = first_block + l;
      for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u)
        for (int l = 0; l < lanes; ++l) {
          std::uint64_t const p0 = std::uint64_t{0xD2511F53u} * static_cast<std::uint32_t>(c0[l]);
          std::uint64_t const p1 = std::uint64_t{0xCD9E8D57u} * static_cast<std::uint32_t>(c2[l]);
          c0[l] = (p1 >> 32) ^ c1[l] ^ k0;
          c1[l] = p1;
          c2[l] = (p0 >> 32) ^ c3[l] ^ k1;
          c3[l] = p0;
        }
      std::uint32_t word[4 * lanes];
      for (int l = 0; l < lanes; ++l) {
        word[4 * l] = static_cast<std::uint32_t>(c0[l]);
        word[4 * l + 1] = static_cast<std::uint32_t>(c1[l]);
        word[4 * l + 2] = static_cast<std::uint32_t>(c2[l]);
        word[4 * l + 3] = static_cast<std::uint32_t>(c3[l]);
      }
      float kept[4 * lanes];
      for (int i = 0; i < 4 * lanes; ++i)
        kept[i] = static_cast<float>(word[i] >> 8) < rate * 0x1p24f ? 0.f : 1 / (1 - rate);
      std::memcpy(mask + done, kept, static_cast<std::size_t>(std::min<index_t>(4 * lanes, n - done)) * sizeof(float));
    }
  }
  static void fill(index_t step, index_t row, index_t rows, index_t unit, index_t units, float* mask) {
    prng_key const key = dropout_of_step(step);
    auto const block = [&](index_t r) { return static_cast<std::uint64_t>(((row + r) * hidden + unit) / 4); };
    if (units == hidden) return draw(key, block(0), rows * units, mask);
    for (index_t r = 0; r < rows; ++r) draw(key, block(r), units, mask + r * units);
  }
};

/// A cheap integer hash of step, row and unit.
struct hashed_mask {
  static float one(index_t step, index_t row, index_t unit) {
    std::uint32_t h = static_cast<std::uint32_t>(step) * 0x9E3779B1u ^
                      (static_cast<std::uint32_t>(row) * 0x85EBCA77u + 0x7F4A7C15u) ^
                      static_cast<std::uint32_t>(unit) * 0xC2B2AE3Du;
    h ^= h >> 16;
    h *= 0x7FEB352Du;
    h ^= h >> 15;
    h *= 0x846CA68Bu;
    h ^= h >> 16;
    return static_cast<float>(h >> 8) < rate * 0x1p24f ? 0.f : 1 / (1 - rate);
  }
  static void fill(index_t step, index_t row, index_t rows, index_t unit, index_t units, float* mask) {
    for (index_t r = 0; r < rows; ++r)
      for (index_t u = 0; u < units; ++u) mask[r * units + u] = one(step, row + r, unit + u);
  }
};

/// Plain loops in double, on one rank: the reference.
template <class Mask>
class plain_loops {
 public:
  explicit plain_loops(outcome<float> const& first)
      : now_{widened(first.w1), widened(first.w2), widened(first.bias)}, m_(count), v_(count) {}

  outcome<double> const& train(index_t batch, index_t steps) {
    for (index_t s = 0; s < steps; ++s) step(s, batch);
    return now_;
  }

 private:
  static constexpr std::size_t count = inputs * hidden + hidden * classes + classes;
  static std::vector<double> widened(std::vector<float> const& v) { return {v.begin(), v.end()}; }

  void step(index_t s, index_t batch) {
    std::vector<double> g1(now_.w1.size()), g2(now_.w2.size()), gb(now_.bias.size());
    std::vector<double> a(hidden), h(hidden), da(hidden), z(classes);
    prng_key const images = images_of_batch(s % batches);
    label_of const labels = labels_of_batch(s % batches);
    now_.loss = now_.hits = 0;
    for (index_t row = 0; row < batch; ++row) {
      auto const pixel = [&](index_t i) { return static_cast<double>(uniform<float>(images, row * inputs + i)); };
      auto const label = labels(row);
      std::fill(a.begin(), a.end(), 0);
      for (index_t i = 0; i < inputs; ++i) add_scaled(pixel(i), &now_.w1[at(i * hidden)], a);
      for (index_t u = 0; u < hidden; ++u)
        h[at(u)] = std::max(a[at(u)], 0.) * static_cast<double>(Mask::one(s, row, u));
      z = now_.bias;
      for (index_t u = 0; u < hidden; ++u) add_scaled(h[at(u)], &now_.w2[at(u * classes)], z);
      double const largest = *std::max_element(z.begin(), z.end());
      now_.hits += z[at(label)] == largest;
      double sum = 0;
      for (double& e : z) sum += e = std::exp(e - largest);
      now_.loss -= std::log(z[at(label)] / sum) / static_cast<double>(batch);
      for (index_t o = 0; o < classes; ++o) z[at(o)] = (z[at(o)] / sum - (o == label)) / static_cast<double>(batch);
      for (index_t u = 0; u < hidden; ++u) {
        da[at(u)] = 0;
        for (index_t o = 0; o < classes; ++o) {
          g2[at(u * classes + o)] += h[at(u)] * z[at(o)];
          da[at(u)] += z[at(o)] * now_.w2[at(u * classes + o)];
        }
        da[at(u)] *= a[at(u)] > 0 ? static_cast<double>(Mask::one(s, row, u)) : 0.;
      }
      for (index_t o = 0; o < classes; ++o) gb[at(o)] += z[at(o)];
      for (index_t i = 0; i < inputs; ++i)
        for (index_t u = 0; u < hidden; ++u) g1[at(i * hidden + u)] += pixel(i) * da[at(u)];
    }
    double const c1 = 1 - std::pow(.9, s + 1), c2 = 1 - std::pow(.999, s + 1);
    std::size_t k = 0;
    auto const adam = [&](std::vector<double>& w, std::vector<double> const& g) {
      for (std::size_t i = 0; i < w.size(); ++i, ++k) {
        m_[k] = .9 * m_[k] + .1 * g[i];
        v_[k] = .999 * v_[k] + .001 * g[i] * g[i];
        w[i] -= 1e-3 * (m_[k] / c1) / (std::sqrt(v_[k] / c2) + 1e-7);
      }
    };
    adam(now_.w1, g1);
    adam(now_.w2, g2);
    adam(now_.bias, gb);
  }
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
  static void add_scaled(double by, double const* x, std::vector<double>& y) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += by * x[i];
  }

  outcome<double> now_;
  std::vector<double> m_, v_;
};

/// What the ranks of a mesh train on.
struct training_data {
  using images =
      decltype(uniform<float, layout<"data", none>>(std::declval<device_mesh<grid> const&>(), {1, 1}, prng_key{}));
  using labels =
      decltype(generate<std::int32_t, layout<"data">>(std::declval<device_mesh<grid> const&>(), {1}, label_of{}));
  index_t batch;
  std::vector<images> x;
  std::vector<labels> y;

  training_data(device_mesh<grid> const& m, index_t n) : batch(n) {
    for (index_t k = 0; k < batches; ++k) {
      x.push_back(uniform<float, layout<"data", none>>(m, {n, inputs}, images_of_batch(k)));
      y.push_back(generate<std::int32_t, layout<"data">>(m, {n}, labels_of_batch(k)));
    }
  }
};

}  // namespace training
