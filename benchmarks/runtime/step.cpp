// One training step of the MNIST example's network beside what an expert writes with BLAS and MPI for the same work:
// 784 -> dense 200, relu -> dropout 0.4 -> dense 10, softmax cross-entropy, Adam; data parallel and on a 2 x 2 mesh.
// All variants train on the same eight batches, in turn, with the loss and the number of hits of each step.
#include <ashlar/ashlar.hpp>
#include <ashlar/tensor/gather.hpp>

#include <cblas.h>
#include <cstring>
#include <optional>
#include "race.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

namespace {

constexpr index_t inputs = 784, hidden = 200, classes = 10, batches = 8;
constexpr float rate = 0.4f;
constexpr prng_key weight_key{1}, image_key{2}, label_key{3}, dropout_key{4};

struct label_of {
  prng_key key;
  KOKKOS_FUNCTION std::int32_t operator()(index_t i) const {
    return static_cast<std::int32_t>(random_bits(key, i) % static_cast<std::uint64_t>(classes));
  }
};
label_of labels_of_batch(index_t k) { return {fold_in(label_key, static_cast<std::uint64_t>(k))}; }
prng_key images_of_batch(index_t k) { return fold_in(image_key, static_cast<std::uint64_t>(k)); }
prng_key dropout_of_step(index_t step) { return fold_in(dropout_key, static_cast<std::uint64_t>(step)); }

// The program of examples/04_mnist_mlp.cpp.
template <class K>
struct linear {
  K kernel;
  static constexpr auto names = ashlar::names("kernel");
};
template <class K, class B>
struct affine {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
template <class D1, class D2>
struct mlp {
  D1 d1;
  D2 d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
constexpr auto model = build<mlp>(build<linear>(weight{inputs, hidden}), build<affine>(weight{hidden, classes}, weight{classes}));
using sharded = model_parallel<"data", rule<"d1/kernel", layout<none, "model">>, rule<"d2/kernel", layout<"model", none>>>;
using mirrored = data_parallel<"data">;

constexpr auto network = [](auto const& p, auto const& x, prng_key key) {
  auto h = dropout(relu(einsum<"bi,ih->bh">(x, p.d1.kernel)), rate, key);
  auto y = all_reduce(einsum<"bh,ho->bo">(h, p.d2.kernel));
  return y + p.d2.bias;
};
constexpr auto loss = [](auto const& p, auto const& x, auto const& labels, prng_key key) {
  auto z = network(p, x, key);
  return build<with_aux>(softmax_cross_entropy(z, labels), accuracy_count(plain(z), labels));
};
constexpr auto train_step = [](auto& p, auto& state, auto const& x, auto const& labels, prng_key key) {
  auto [value, hits, grads] = value_and_grad<"data">(loss)(p, x, labels, key);
  auto [l, h, g] = all_reduce<"data">(bundle(value, hits, grads));
  adam{}.update(p, state, g);
  return std::pair{l, h};
};

// Whole parameters and what a step reports.
template <class T>
struct outcome {
  std::vector<T> w1, w2, bias;
  T loss = 0, hits = 0;
};

/// How a dropout mask is drawn: `one` defines it, `fill` makes rows of it for a shard of the hidden layer. A mask holds 0 or
/// 1 / (1 - rate).
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
      for (int i = 0; i < 4 * lanes; ++i) kept[i] = static_cast<float>(word[i] >> 8) < rate * 0x1p24f ? 0.f : 1 / (1 - rate);
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
    std::uint32_t h = static_cast<std::uint32_t>(step) * 0x9E3779B1u ^ (static_cast<std::uint32_t>(row) * 0x85EBCA77u + 0x7F4A7C15u) ^
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
      for (index_t u = 0; u < hidden; ++u) h[at(u)] = std::max(a[at(u)], 0.) * static_cast<double>(Mask::one(s, row, u));
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
  using images = decltype(uniform<float, layout<"data", none>>(std::declval<device_mesh<grid> const&>(), {1, 1}, prng_key{}));
  using labels = decltype(generate<std::int32_t, layout<"data">>(std::declval<device_mesh<grid> const&>(), {1}, label_of{}));
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

template <class Strategy>
class ashlar_step {
 public:
  ashlar_step(device_mesh<grid> const& m, training_data const& d) : mesh_(m), data_(d) { reset(); }

  void reset() {
    p_ = init<Strategy>(mesh_, model, weight_key);
    state_ = adam{}.init(p_);
    step_ = 0;
  }
  void run() {
    auto const k = static_cast<std::size_t>(step_ % batches);
    auto const [l, h] = train_step(p_, state_, data_.x[k], data_.y[k], dropout_of_step(step_++));
    loss_ = item(l);
    hits_ = item(h);
  }
  outcome<float> result() const { return {gather_all(p_.d1.kernel), gather_all(p_.d2.kernel), gather_all(p_.d2.bias), loss_, hits_}; }

 private:
  using parameters = decltype(init<Strategy>(std::declval<device_mesh<grid> const&>(), model, weight_key));
  static parameters first(device_mesh<grid> const& m) { return init<Strategy>(m, model, weight_key); }

  device_mesh<grid> mesh_;
  training_data const& data_;
  parameters p_ = first(mesh_);
  decltype(adam{}.init(std::declval<parameters const&>())) state_ = adam{}.init(p_);
  index_t step_ = 0;
  float loss_ = 0, hits_ = 0;
};

/// By hand: parameters, gradients and moments each in one block, which one MPI_Allreduce and one loop serve. Ranks that share a
/// part of the batch split the hidden layer, and add up logits.
template <class Mask>
class hand_step {
 public:
  hand_step(training_data const& d, outcome<float> const& first, int data_size, int model_size)
      : data_(d), first_(first), model_size_(model_size), data_size_(data_size) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % model_size, rank, &over_data_);
    MPI_Comm_split(MPI_COMM_WORLD, rank / model_size, rank, &over_model_);
    rows_ = d.batch / data_size;
    row_ = rank / model_size * rows_;
    units_ = hidden / model_size;
    unit_ = rank % model_size * units_;
    n1_ = inputs * units_;
    n2_ = units_ * classes;
    count_ = n1_ + n2_ + classes;
    for (auto* block : {&w_, &m_, &v_}) block->resize(at(count_));
    g_.resize(at(count_ + 2));  // and the loss and the hits
    for (auto* layer : {&a_, &mask_, &h_, &da_}) layer->resize(at(rows_ * units_));
    z_.resize(at(rows_ * classes));
    reset();
  }
  hand_step(hand_step const&) = delete;
  hand_step& operator=(hand_step const&) = delete;
  ~hand_step() {
    MPI_Comm_free(&over_data_);
    MPI_Comm_free(&over_model_);
  }

  void reset() {
    for (index_t i = 0; i < inputs; ++i) std::copy_n(&first_.w1[at(i * hidden + unit_)], units_, &w_[at(i * units_)]);
    std::copy_n(&first_.w2[at(unit_ * classes)], n2_, &w_[at(n1_)]);
    std::copy_n(first_.bias.data(), classes, &w_[at(n1_ + n2_)]);
    std::fill(m_.begin(), m_.end(), 0.f);
    std::fill(v_.begin(), v_.end(), 0.f);
    step_ = 0;
  }

  void run() {
    auto const k = static_cast<std::size_t>(step_ % batches);
    float const* const x = data_.x[k].data();
    float const *const w1 = w_.data(), *const w2 = w1 + n1_, *const bias = w2 + n2_;
    float *const g1 = g_.data(), *const g2 = g1 + n1_;
    gemm(false, false, rows_, units_, inputs, x, w1, 0, a_.data());
    Mask::fill(step_, row_, rows_, unit_, units_, mask_.data());
    relu_and_dropout(rows_ * units_, a_.data(), mask_.data(), h_.data());
    if (model_size_ == 1)
      for (index_t i = 0; i < rows_; ++i) std::copy_n(bias, classes, &z_[at(i * classes)]);
    gemm(false, false, rows_, classes, units_, h_.data(), w2, model_size_ == 1 ? 1.f : 0.f, z_.data());
    if (model_size_ > 1) {
      MPI_Allreduce(MPI_IN_PLACE, z_.data(), static_cast<int>(z_.size()), MPI_FLOAT, MPI_SUM, over_model_);
      for (index_t i = 0; i < rows_; ++i)
        for (index_t o = 0; o < classes; ++o) z_[at(i * classes + o)] += bias[o];
    }
    cross_entropy(data_.y[k].data(), &g_[at(n1_ + n2_)]);
    gemm(true, false, units_, classes, rows_, h_.data(), z_.data(), 0, g2);
    gemm(false, true, rows_, units_, classes, z_.data(), w2, 0, da_.data());
    multiply(rows_ * units_, mask_.data(), da_.data());
    gemm(true, false, inputs, units_, rows_, x, da_.data(), 0, g1);
    if (data_size_ > 1) MPI_Allreduce(MPI_IN_PLACE, g_.data(), static_cast<int>(g_.size()), MPI_FLOAT, MPI_SUM, over_data_);
    ++step_;
    float const c1 = static_cast<float>(1 - std::pow(.9, step_)), c2 = static_cast<float>(1 - std::pow(.999, step_));
    adam(count_, 1e-3f / c1, 1 / c2, g_.data(), w_.data(), m_.data(), v_.data());
    bench::escape(w_.data());
  }

  /// Is this rank's part that of the reference?
  bool agrees(outcome<double> const& r, double tolerance) const {
    double worst = std::abs(static_cast<double>(g_[at(count_)]) - r.loss);
    auto const compare = [&](float a, double b) { worst = std::max(worst, std::abs(static_cast<double>(a) - b)); };
    for (index_t i = 0; i < inputs; ++i)
      for (index_t u = 0; u < units_; ++u) compare(w_[at(i * units_ + u)], r.w1[at(i * hidden + unit_ + u)]);
    for (index_t i = 0; i < n2_; ++i) compare(w_[at(n1_ + i)], r.w2[at(unit_ * classes + i)]);
    for (index_t o = 0; o < classes; ++o) compare(w_[at(n1_ + n2_ + o)], r.bias[at(o)]);
    return worst < tolerance && static_cast<double>(g_[at(count_ + 1)]) == r.hits;
  }

 private:
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

  static void gemm(bool ta, bool tb, index_t m, index_t n, index_t k, float const* a, float const* b, float beta, float* c) {
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, static_cast<int>(m), static_cast<int>(n),
                static_cast<int>(k), 1, a, static_cast<int>(ta ? m : k), b, static_cast<int>(tb ? k : n), beta, c, static_cast<int>(n));
  }
  static void relu_and_dropout(index_t n, float const* __restrict a, float* __restrict mask, float* __restrict h) {
    for (index_t i = 0; i < n; ++i) {
      mask[i] = a[i] > 0 ? mask[i] : 0;
      h[i] = a[i] * mask[i];
    }
  }
  static void multiply(index_t n, float const* __restrict by, float* __restrict x) {
    for (index_t i = 0; i < n; ++i) x[i] *= by[i];
  }
  // The cotangent of the logits in their place; tail: the bias' gradient, the loss and the hits of this rank's rows.
  void cross_entropy(std::int32_t const* label, float* tail) {
    std::fill_n(tail, classes + 2, 0.f);
    float const one_over_batch = 1 / static_cast<float>(data_.batch);
    for (index_t i = 0; i < rows_; ++i) {
      float* const z = &z_[at(i * classes)];
      float const largest = *std::max_element(z, z + classes), right = z[label[i]];
      float sum = 0;
      for (index_t o = 0; o < classes; ++o) sum += z[o] = std::exp(z[o] - largest);
      tail[classes] += (std::log(sum) + largest - right) * one_over_batch;
      tail[classes + 1] += right == largest;
      for (index_t o = 0; o < classes; ++o) z[o] = z[o] / sum * one_over_batch;
      z[label[i]] -= one_over_batch;
      for (index_t o = 0; o < classes; ++o) tail[o] += z[o];
    }
  }
  static void adam(index_t n, float rate_, float correction2, float const* __restrict g, float* __restrict w, float* __restrict m,
                   float* __restrict v) {
    for (index_t i = 0; i < n; ++i) {
      m[i] = .9f * m[i] + .1f * g[i];
      v[i] = .999f * v[i] + .001f * g[i] * g[i];
      w[i] -= rate_ * m[i] / (std::sqrt(v[i] * correction2) + 1e-7f);
    }
  }

  training_data const& data_;
  outcome<float> const& first_;
  int model_size_, data_size_;
  MPI_Comm over_data_ = MPI_COMM_NULL, over_model_ = MPI_COMM_NULL;
  index_t rows_ = 0, row_ = 0, units_ = 0, unit_ = 0, n1_ = 0, n2_ = 0, count_ = 0, step_ = 0;
  std::vector<float> w_, g_, m_, v_, a_, mask_, h_, da_, z_;
};

bool agree(outcome<float> const& a, outcome<double> const& b, double tolerance) {
  double worst = std::abs(static_cast<double>(a.loss) - b.loss);
  auto const compare = [&](std::vector<float> const& x, std::vector<double> const& y) {
    for (std::size_t i = 0; i < y.size(); ++i) worst = std::max(worst, std::abs(static_cast<double>(x[i]) - y[i]));
  };
  compare(a.w1, b.w1);
  compare(a.w2, b.w2);
  compare(a.bias, b.bias);
  return worst < tolerance && static_cast<double>(a.hits) == b.hits;
}

constexpr index_t checked_steps = 3;
constexpr double tolerance = 5e-5;  // steps are of 1e-3; where a gradient all but vanishes, Adam magnifies its rounding

template <class S>
void take_checked_steps(S& s) {
  s.reset();
  for (index_t i = 0; i < checked_steps; ++i) s.run();
}

template <class Mask>
bench::variant hand_variant(std::string const& name, hand_step<Mask>& s, outcome<float> const& first, index_t batch) {
  return {name, [&s] { s.run(); },
          [&s, &first, batch] {
            take_checked_steps(s);
            return s.agrees(plain_loops<Mask>(first).train(batch, checked_steps), tolerance);
          },
          [&s] { s.reset(); }};
}

template <class Strategy>
void race(bench::races& all, int data_size, int model_size) {
  device_mesh<grid> const m(MPI_COMM_WORLD, {data_size, model_size});
  for (index_t batch : {16, 128, 512}) {
    std::string const what =
        "step batch " + std::to_string(batch) + ", data=" + std::to_string(data_size) + " x model=" + std::to_string(model_size);
    if (!all.wants(what)) continue;
    training_data const data(m, batch);
    ashlar_step<Strategy> ours(m, data);
    outcome<float> const first = ours.result();
    hand_step<philox_mask> with_philox(data, first, data_size, model_size);
    hand_step<hashed_mask> with_hash(data, first, data_size, model_size);
    all.race(what, {{"ashlar", [&] { ours.run(); },
                     [&] {
                       take_checked_steps(ours);
                       return agree(ours.result(), plain_loops<philox_mask>(first).train(batch, checked_steps), tolerance);
                     },
                     [&] { ours.reset(); }},
                    hand_variant("hand: BLAS + MPI, Philox mask", with_philox, first, batch),
                    hand_variant("hand: BLAS + MPI, hashed mask", with_hash, first, batch)});
  }
}

void measure(int argc, char** argv) {
  nlohmann::json notes;
#ifdef OPENBLAS_SEQUENTIAL
  notes["blas"] = "OpenBLAS " + std::string(openblas_get_corename()) + ", threads " + std::to_string(openblas_get_num_threads());
#endif
  bench::races all("step", argc, argv, notes);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 1 && ranks != 2 && ranks != 4) throw error("step: the batches are for 1, 2 or 4 ranks, found " + std::to_string(ranks));
  race<mirrored>(all, ranks, 1);
  if (ranks == 4) race<sharded>(all, 2, 2);
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return bench::run([&] { measure(argc, argv); });
}
