// Shared code of the benchmarks of training steps: networks, their data, dropout masks, and the reference.
#pragma once
#include <ashlar/ashlar.hpp>

#include <cmath>
#include <cstring>
#include <vector>

namespace training_benchmark {

using namespace ashlar;
using namespace ashlar::training;
using grid = mesh<axis<"data">, axis<"model">>;

inline constexpr index_t inputs = 784, hidden = 200, classes = 10, batches = 8, checked_steps = 3;
inline constexpr float rate = 0.4f;
inline constexpr prng_key weight_key{1}, image_key{2}, label_key{3}, dropout_key{4}, target_key{5};

enum class objective {
  cross_entropy,
  summed_cross_entropy,
  squared_error
};  // means but the second; the last of softmax(z)
enum class update_rule { adam, rmsprop };

/// Dense layers with relu between them, and their training. The parameters are in one sequence: the kernel of the first
/// layer, row-major, its bias, the kernel of the second, and so on.
struct dense_network {
  std::vector<index_t> width;  // of the inputs and of each layer's result
  bool first_has_bias;         // the other layers have one
  objective loss;
  update_rule update;
  double learning_rate;

  struct place {
    index_t kernel, bias, end;  // offsets; without a bias, `bias` equals `end`
    bool has_bias() const { return bias < end; }
  };
  std::vector<place> places() const {
    std::vector<place> p;
    for (std::size_t l = 0; l + 1 < width.size(); ++l) {
      index_t const kernel = l == 0 ? 0 : p.back().end, bias = kernel + width[l] * width[l + 1];
      p.push_back({kernel, bias, bias + (l > 0 || first_has_bias ? width[l + 1] : 0)});
    }
    return p;
  }
  index_t count() const { return places().back().end; }

  /// The parameters of a rank that has the units [first, first + n) of the only hidden layer.
  template <class T>
  std::vector<T> part(std::vector<T> const& whole, index_t first, index_t n) const {
    if (n == width[1]) return whole;
    std::vector<T> some;
    auto const take = [&](index_t begin, index_t end) {
      some.insert(some.end(), whole.begin() + begin, whole.begin() + end);
    };
    for (index_t i = 0; i < width[0]; ++i) take(i * width[1] + first, i * width[1] + first + n);
    auto const last = places()[1];
    take(last.kernel + first * width[2], last.kernel + (first + n) * width[2]);
    take(last.bias, last.end);
    return some;
  }
};

struct label_of {
  prng_key key;
  KOKKOS_FUNCTION std::int32_t operator()(index_t i) const {
    return static_cast<std::int32_t>(random_bits(key, i) % static_cast<std::uint64_t>(classes));
  }
};
inline label_of labels_of_batch(index_t k) { return {fold_in(label_key, static_cast<std::uint64_t>(k))}; }
inline prng_key targets_of_batch(index_t k) { return fold_in(target_key, static_cast<std::uint64_t>(k)); }
inline prng_key images_of_batch(index_t k) { return fold_in(image_key, static_cast<std::uint64_t>(k)); }
inline prng_key dropout_of_step(index_t step) { return fold_in(dropout_key, static_cast<std::uint64_t>(step)); }

/// Parameters, and the loss and hits of the last step.
template <class T>
struct outcome {
  std::vector<T> parameters;
  T loss = 0, hits = 0;
};

/// True if the parameters of each kernel and of each bias differ by less than `tolerance` on average, and loss and hits
/// are close.
/// A limit for each parameter would be too strict in single precision. Rounding may put a unit's sum on the other side
/// of relu's kink. Then one row's part of its gradient appears or vanishes. Optimizers that divide by the gradient's
/// size make a whole step of that.
inline bool agree(dense_network const& net, outcome<float> const& a, outcome<double> const& b, index_t batch,
                  double tolerance) {
  if (a.parameters.size() != b.parameters.size()) return false;
  auto const off = [](float x, double y) { return std::abs(static_cast<double>(x) - y); };
  auto const block_agrees = [&](index_t begin, index_t end) {
    double sum = 0;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      sum += off(a.parameters[i], b.parameters[i]);
    return begin == end || sum < tolerance * static_cast<double>(end - begin);
  };
  for (auto const& p : net.places())
    if (!block_agrees(p.kernel, p.bias) || !block_agrees(p.bias, p.end)) return false;
  return off(a.loss, b.loss) < 1e-3 * std::abs(b.loss) && off(a.hits, b.hits) <= 1 + static_cast<double>(batch) / 100;
}

/// Draws a dropout mask. `one` defines its elements, `fill` makes rows of it for a shard of the hidden layer. An
/// element is 0 or 1 / (1 - rate).
struct philox_mask {
  static constexpr bool drops = true;
  static float one(index_t step, index_t row, index_t unit) {
    return uniform<float>(dropout_of_step(step), row * hidden + unit) < rate ? 0 : 1 / (1 - rate);
  }

  // Evaluates several blocks at once, in integers as wide as their products, so that compilers vectorise the rounds.
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

/// Draws a mask by a cheap integer hash of step, row and unit.
struct hashed_mask {
  static constexpr bool drops = true;
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

/// No dropout.
struct no_mask {
  static constexpr bool drops = false;
  static float one(index_t, index_t, index_t) { return 1; }
};

/// The reference: plain loops in double, on one rank.
template <class Mask>
class plain_loops {
 public:
  plain_loops(dense_network const& net, std::vector<float> const& first)
      : net_(net), now_{{first.begin(), first.end()}}, m_(first.size()), v_(first.size()) {}

  outcome<double> const& train(index_t batch, index_t steps) {
    for (index_t s = 0; s < steps; ++s) step(s, batch);
    return now_;
  }

 private:
  using numbers = std::vector<double>;

  void step(index_t s, index_t batch) {
    numbers g(now_.parameters.size());
    auto const places = net_.places();
    std::size_t const layers = places.size();
    std::vector<numbers> y(layers + 1), slope(layers);
    now_.loss = now_.hits = 0;
    for (index_t row = 0; row < batch; ++row) {
      y[0].resize(at(inputs));
      for (index_t i = 0; i < inputs; ++i)
        y[0][at(i)] = static_cast<double>(uniform<float>(images_of_batch(s % batches), row * inputs + i));
      for (std::size_t l = 0; l < layers; ++l) {
        index_t const n = net_.width[l + 1];
        y[l + 1].assign(at(n), 0);
        if (places[l].has_bias()) add_scaled(1, &now_.parameters[at(places[l].bias)], y[l + 1]);
        for (index_t i = 0; i < net_.width[l]; ++i)
          add_scaled(y[l][at(i)], &now_.parameters[at(places[l].kernel + i * n)], y[l + 1]);
        if (l + 1 == layers) break;
        slope[l].resize(at(n));
        for (index_t u = 0; u < n; ++u)
          y[l + 1][at(u)] *= slope[l][at(u)] = y[l + 1][at(u)] > 0 ? static_cast<double>(Mask::one(s, row, u)) : 0.;
      }
      numbers d = y[layers];
      to_cotangent(d, s % batches, row, batch);
      for (std::size_t l = layers; l-- > 0;) {
        index_t const n = net_.width[l + 1];
        numbers before(at(net_.width[l]));
        for (index_t i = 0; i < net_.width[l]; ++i)
          for (index_t j = 0; j < n; ++j) {
            g[at(places[l].kernel + i * n + j)] += y[l][at(i)] * d[at(j)];
            before[at(i)] += d[at(j)] * now_.parameters[at(places[l].kernel + i * n + j)];
          }
        for (index_t j = 0; places[l].has_bias() && j < n; ++j) g[at(places[l].bias + j)] += d[at(j)];
        if (l > 0)
          for (std::size_t i = 0; i < before.size(); ++i) before[i] *= slope[l - 1][i];
        d = before;
      }
    }
    double const c1 = 1 - std::pow(.9, s + 1), c2 = 1 - std::pow(.999, s + 1);
    for (std::size_t i = 0; i < g.size(); ++i) {
      if (net_.update == update_rule::adam) {
        m_[i] = .9 * m_[i] + .1 * g[i];
        v_[i] = .999 * v_[i] + .001 * g[i] * g[i];
        now_.parameters[i] -= net_.learning_rate * (m_[i] / c1) / (std::sqrt(v_[i] / c2) + 1e-7);
      } else {
        v_[i] = .9 * v_[i] + .1 * g[i] * g[i];
        now_.parameters[i] -= net_.learning_rate * g[i] / std::sqrt(v_[i] + 1e-7);
      }
    }
  }

  // Adds one row to loss and hits, and replaces its logits z by their cotangent.
  void to_cotangent(numbers& z, index_t batch_number, index_t row, index_t batch) {
    auto const label = at(label_of(labels_of_batch(batch_number))(row));
    double const largest = *std::max_element(z.begin(), z.end());
    bool const hit = z[label] == largest;
    double sum = 0;
    for (double& e : z) sum += e = std::exp(e - largest);
    for (double& e : z) e /= sum;
    if (net_.loss != objective::squared_error) {
      double const scale = net_.loss == objective::cross_entropy ? 1 / static_cast<double>(batch) : 1.;
      now_.hits += hit;
      now_.loss -= scale * std::log(z[label]);
      z[label] -= 1;
      for (double& e : z) e *= scale;
    } else {
      double const scale = 1 / static_cast<double>(batch * classes);
      numbers d(z.size());
      double dot = 0;
      for (std::size_t o = 0; o < z.size(); ++o) {
        double const off = z[o] - static_cast<double>(uniform<float>(targets_of_batch(batch_number),
                                                                     row * classes + static_cast<index_t>(o)));
        now_.loss += scale * off * off;
        dot += z[o] * (d[o] = 2 * scale * off);
      }
      for (std::size_t o = 0; o < z.size(); ++o) z[o] *= d[o] - dot;
    }
  }
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
  static void add_scaled(double by, double const* x, numbers& y) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += by * x[i];
  }

  dense_network net_;
  outcome<double> now_;
  numbers m_, v_;
};

/// The training data on a mesh.
struct training_data {
  using images =
      decltype(uniform<float, layout<"data", none>>(std::declval<device_mesh<grid> const&>(), {1, 1}, prng_key{}));
  using labels =
      decltype(generate<std::int32_t, layout<"data">>(std::declval<device_mesh<grid> const&>(), {1}, label_of{}));
  index_t batch;
  std::vector<images> x, targets;  // targets: for networks with a squared error
  std::vector<labels> y;

  training_data(device_mesh<grid> const& m, index_t n) : batch(n) {
    for (index_t k = 0; k < batches; ++k) {
      x.push_back(uniform<float, layout<"data", none>>(m, {n, inputs}, images_of_batch(k)));
      y.push_back(generate<std::int32_t, layout<"data">>(m, {n}, labels_of_batch(k)));
      targets.push_back(uniform<float, layout<"data", none>>(m, {n, classes}, targets_of_batch(k)));
    }
  }
};

}  // namespace training_benchmark
