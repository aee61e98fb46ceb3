// One hand-written training step, with BLAS and MPI.
#pragma once
#include <cblas.h>
#include "training.hpp"
#include "race.hpp"

namespace training_benchmark {

/// The elements in host memory, without a copy if they are there already.
template <class X>
auto on_host(X const& x) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x.view());
}

/// The hand-written step. Parameters, gradients and moments are one block each, so that one MPI_Allreduce and one loop
/// suffice. Ranks that share a part of the batch split the hidden layer of a network of two layers, and sum the logits.
/// The first of these layers has no bias.
template <class Mask>
class hand_step {
 public:
  hand_step(dense_network const& whole, training_data const& d, std::vector<float> const& first, int data_size,
            int model_size)
      : net_(whole), whole_(whole), batch_(d.batch), model_size_(model_size), data_size_(data_size) {
    for (auto const& x : d.x) images_.push_back(on_host(x));
    for (auto const& y : d.y) labels_.push_back(on_host(y));
    for (auto const& t : d.targets) targets_.push_back(on_host(t));
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % model_size, rank, &over_data_);
    MPI_Comm_split(MPI_COMM_WORLD, rank / model_size, rank, &over_model_);
    rows_ = d.batch / data_size;
    row_ = rank / model_size * rows_;
    net_.width[1] /= model_size;
    unit_ = rank % model_size * net_.width[1];
    first_ = whole.part(first, unit_, net_.width[1]);
    places_ = net_.places();
    count_ = first_.size();
    // The blocks are an odd number of quarters of a page apart. At the same offset in a page they may evict each
    // other's cache lines, which makes adam four times slower.
    std::size_t const quarter = 1024 / sizeof(float),
                      apart = (count_ + 2 + 2 * quarter - 1) / (2 * quarter) * 2 * quarter + quarter;
    blocks_.resize(4 * apart);
    w_ = blocks_.data();
    m_ = w_ + apart;
    v_ = m_ + apart;
    g_ = v_ + apart;  // the gradients, then the loss and the hits
    y_.resize(places_.size());
    d_.resize(places_.size());
    for (std::size_t l = 0; l < places_.size(); ++l)
      for (auto* layer : {&y_[l], &d_[l]}) layer->resize(at(rows_ * net_.width[l + 1]));
    if (Mask::drops) mask_.resize(y_[0].size());
    reset();
  }
  hand_step(hand_step const&) = delete;
  hand_step& operator=(hand_step const&) = delete;
  ~hand_step() {
    MPI_Comm_free(&over_data_);
    MPI_Comm_free(&over_model_);
  }

  void reset() {
    std::copy(first_.begin(), first_.end(), w_);
    std::fill_n(m_, count_, 0.f);
    std::fill_n(v_, count_, 0.f);
    step_ = 0;
  }

  void run() {
    auto const k = static_cast<std::size_t>(step_ % batches);
    std::size_t const last = places_.size() - 1;
    auto const input = [&](std::size_t l) {
      return l == 0 ? static_cast<float const*>(images_[k].data()) : y_[l - 1].data();
    };
    for (std::size_t l = 0; l <= last; ++l) {
      bool const biased = places_[l].has_bias() && (l < last || model_size_ == 1);
      if (biased) copy_to_rows(width(l), l);
      gemm(false, false, rows_, width(l), net_.width[l], input(l), w_ + places_[l].kernel, biased ? 1.f : 0.f,
           y_[l].data());
      if (l < last) activate(l);
    }
    if (model_size_ > 1) {
      MPI_Allreduce(MPI_IN_PLACE, y_[last].data(), static_cast<int>(y_[last].size()), MPI_FLOAT, MPI_SUM, over_model_);
      for (index_t i = 0; i < rows_; ++i)
        for (index_t o = 0; o < classes; ++o) y_[last][at(i * classes + o)] += w_[places_[last].bias + o];
    }
    float* const tail = g_ + places_[last].bias;
    if (net_.loss == objective::squared_error)
      squared_error(targets_[k].data(), y_[last].data(), tail);
    else
      cross_entropy(labels_[k].data(), y_[last].data(), tail);
    for (std::size_t l = last;; --l) {
      float const* const d = l < last ? d_[l].data() : y_[l].data();
      gemm(true, false, net_.width[l], width(l), rows_, input(l), d, 0, g_ + places_[l].kernel);
      if (l < last && places_[l].has_bias()) sum_rows(rows_, width(l), d, g_ + places_[l].bias);
      if (l == 0) break;
      gemm(false, true, rows_, net_.width[l], width(l), d, w_ + places_[l].kernel, 0, d_[l - 1].data());
      if (Mask::drops)
        multiply(d_[l - 1].size(), mask_.data(), d_[l - 1].data());
      else
        where_positive(d_[l - 1].size(), y_[l - 1].data(), d_[l - 1].data());
    }
    if (data_size_ > 1) MPI_Allreduce(MPI_IN_PLACE, g_, static_cast<int>(count_ + 2), MPI_FLOAT, MPI_SUM, over_data_);
    ++step_;
    double const c1 = 1 - std::pow(.9, step_), c2 = 1 - std::pow(.999, step_);
    if (net_.update == update_rule::adam)
      adam(count_, static_cast<float>(net_.learning_rate / c1), static_cast<float>(1 / c2), g_, w_, m_, v_);
    else
      rmsprop(count_, static_cast<float>(net_.learning_rate), g_, w_, v_);
    bench::escape(w_);
  }

  dense_network const& shape() const { return net_; }
  std::string transport() const { return data_size_ * model_size_ > 1 ? "mpi" : "none"; }
  /// The outcome for this rank's units.
  outcome<float> result() const { return {{w_, w_ + count_}, g_[count_], g_[count_ + 1]}; }
  outcome<double> part(outcome<double> const& all) const {
    return {whole_.part(all.parameters, unit_, net_.width[1]), all.loss, all.hits};
  }

 private:
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
  index_t width(std::size_t l) const { return net_.width[l + 1]; }

  static void gemm(bool ta, bool tb, index_t m, index_t n, index_t k, float const* a, float const* b, float beta,
                   float* c) {
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, static_cast<int>(m),
                static_cast<int>(n), static_cast<int>(k), 1, a, static_cast<int>(ta ? m : k), b,
                static_cast<int>(tb ? k : n), beta, c, static_cast<int>(n));
  }
  void copy_to_rows(index_t n, std::size_t l) {
    for (index_t i = 0; i < rows_; ++i) std::copy_n(w_ + places_[l].bias, n, &y_[l][at(i * n)]);
  }
  void activate(std::size_t l) {
    if constexpr (Mask::drops) {
      Mask::fill(step_, row_, rows_, unit_, width(l), mask_.data());
      relu_and_dropout(mask_.size(), mask_.data(), y_[l].data());
    } else {
      relu(y_[l].size(), y_[l].data());
    }
  }

  // Kernels are not inlined: compilers forget restrict in inlined code.
  [[gnu::noinline]] static void relu(std::size_t n, float* __restrict y) {
    for (std::size_t i = 0; i < n; ++i) y[i] = y[i] > 0 ? y[i] : 0;
  }
  [[gnu::noinline]] static void relu_and_dropout(std::size_t n, float* __restrict mask, float* __restrict y) {
    for (std::size_t i = 0; i < n; ++i) {
      mask[i] = y[i] > 0 ? mask[i] : 0;
      y[i] *= mask[i];
    }
  }
  [[gnu::noinline]] static void multiply(std::size_t n, float const* __restrict by, float* __restrict x) {
    for (std::size_t i = 0; i < n; ++i) x[i] *= by[i];
  }
  [[gnu::noinline]] static void where_positive(std::size_t n, float const* __restrict y, float* __restrict x) {
    for (std::size_t i = 0; i < n; ++i) x[i] = y[i] > 0 ? x[i] : 0;
  }
  [[gnu::noinline]] static void sum_rows(index_t rows, index_t n, float const* __restrict d, float* __restrict sum) {
    std::fill_n(sum, n, 0.f);
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < n; ++j) sum[j] += d[i * n + j];
  }
  static float softmax(float* z) {
    float const largest = *std::max_element(z, z + classes);
    float sum = 0;
    for (index_t o = 0; o < classes; ++o) sum += z[o] = std::exp(z[o] - largest);
    for (index_t o = 0; o < classes; ++o) z[o] /= sum;
    return std::log(sum) + largest;
  }
  // Replaces the logits by their cotangent. `tail` gets the bias' gradient, and the loss and the hits of this rank's
  // rows.
  void cross_entropy(std::int32_t const* label, float* logits, float* tail) const {
    std::fill_n(tail, classes + 2, 0.f);
    float const scale = net_.loss == objective::cross_entropy ? 1 / static_cast<float>(batch_) : 1.f;
    for (index_t i = 0; i < rows_; ++i) {
      float* const z = logits + i * classes;
      float const right = z[label[i]];
      tail[classes + 1] += right == *std::max_element(z, z + classes);
      tail[classes] += (softmax(z) - right) * scale;
      for (index_t o = 0; o < classes; ++o) z[o] *= scale;
      z[label[i]] -= scale;
      for (index_t o = 0; o < classes; ++o) tail[o] += z[o];
    }
  }
  void squared_error(float const* targets, float* logits, float* tail) const {
    std::fill_n(tail, classes + 2, 0.f);
    float const scale = 1 / static_cast<float>(batch_ * classes);
    for (index_t i = 0; i < rows_; ++i) {
      float *const z = logits + i * classes, off[classes], dot = 0;
      (void)softmax(z);
      for (index_t o = 0; o < classes; ++o) {
        off[o] = z[o] - targets[i * classes + o];
        tail[classes] += scale * off[o] * off[o];
        dot += z[o] * off[o];
      }
      for (index_t o = 0; o < classes; ++o) tail[o] += z[o] *= 2 * scale * (off[o] - dot);
    }
  }
  [[gnu::noinline]] static void adam(std::size_t n, float rate_, float correction2, float const* __restrict g,
                                     float* __restrict w, float* __restrict m, float* __restrict v) {
    for (std::size_t i = 0; i < n; ++i) {
      m[i] = .9f * m[i] + .1f * g[i];
      v[i] = .999f * v[i] + .001f * g[i] * g[i];
      w[i] -= rate_ * m[i] / (std::sqrt(v[i] * correction2) + 1e-7f);
    }
  }
  [[gnu::noinline]] static void rmsprop(std::size_t n, float rate_, float const* __restrict g, float* __restrict w,
                                        float* __restrict v) {
    for (std::size_t i = 0; i < n; ++i) {
      v[i] = .9f * v[i] + .1f * g[i] * g[i];
      w[i] -= rate_ * g[i] / std::sqrt(v[i] + 1e-7f);
    }
  }

  dense_network net_, whole_;  // this rank's part, and the whole network
  index_t batch_;
  std::vector<decltype(on_host(std::declval<training_data::images>()))> images_, targets_;
  std::vector<decltype(on_host(std::declval<training_data::labels>()))> labels_;
  int model_size_, data_size_;
  MPI_Comm over_data_ = MPI_COMM_NULL, over_model_ = MPI_COMM_NULL;
  index_t rows_ = 0, row_ = 0, unit_ = 0, step_ = 0;
  std::vector<dense_network::place> places_;
  std::size_t count_ = 0;
  float *w_ = nullptr, *m_ = nullptr, *v_ = nullptr, *g_ = nullptr;
  std::vector<float> first_, blocks_, mask_;
  std::vector<std::vector<float>> y_, d_;
};

}  // namespace training_benchmark
