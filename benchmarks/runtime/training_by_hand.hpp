// One training step by hand, with BLAS and MPI.
#pragma once
#include <cblas.h>
#include "training.hpp"
#include "race.hpp"

namespace training {

/// Elements where the host reads them: in place, if it can.
template <class X>
auto on_host(X const& x) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x.view());
}

/// By hand: parameters, gradients and moments each in one block, which one MPI_Allreduce and one loop serve. Ranks that
/// share a part of the batch split the hidden layer, and add up logits.
template <class Mask>
class hand_step {
 public:
  hand_step(training_data const& d, outcome<float> const& first, int data_size, int model_size)
      : batch_(d.batch), model_size_(model_size), data_size_(data_size) {
    for (auto const& x : d.x) images_.push_back(on_host(x));
    for (auto const& y : d.y) labels_.push_back(on_host(y));
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % model_size, rank, &over_data_);
    MPI_Comm_split(MPI_COMM_WORLD, rank / model_size, rank, &over_model_);
    rows_ = d.batch / data_size;
    row_ = rank / model_size * rows_;
    units_ = hidden / model_size;
    unit_ = rank % model_size * units_;
    first_ = first.part(unit_, units_);
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
    std::copy(first_.w1.begin(), first_.w1.end(), w_.begin());
    std::copy(first_.w2.begin(), first_.w2.end(), w_.begin() + n1_);
    std::copy(first_.bias.begin(), first_.bias.end(), w_.begin() + n1_ + n2_);
    std::fill(m_.begin(), m_.end(), 0.f);
    std::fill(v_.begin(), v_.end(), 0.f);
    step_ = 0;
  }

  void run() {
    auto const k = static_cast<std::size_t>(step_ % batches);
    float const* const x = images_[k].data();
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
    cross_entropy(labels_[k].data(), &g_[at(n1_ + n2_)]);
    gemm(true, false, units_, classes, rows_, h_.data(), z_.data(), 0, g2);
    gemm(false, true, rows_, units_, classes, z_.data(), w2, 0, da_.data());
    multiply(rows_ * units_, mask_.data(), da_.data());
    gemm(true, false, inputs, units_, rows_, x, da_.data(), 0, g1);
    if (data_size_ > 1)
      MPI_Allreduce(MPI_IN_PLACE, g_.data(), static_cast<int>(g_.size()), MPI_FLOAT, MPI_SUM, over_data_);
    ++step_;
    float const c1 = static_cast<float>(1 - std::pow(.9, step_)), c2 = static_cast<float>(1 - std::pow(.999, step_));
    adam(count_, 1e-3f / c1, 1 / c2, g_.data(), w_.data(), m_.data(), v_.data());
    bench::escape(w_.data());
  }

  /// Of this rank's units.
  outcome<float> result() const {
    auto const w = w_.begin();
    return {{w, w + n1_}, {w + n1_, w + n1_ + n2_}, {w + n1_ + n2_, w_.end()}, g_[at(count_)], g_[at(count_ + 1)]};
  }
  outcome<double> part(outcome<double> const& whole) const { return whole.part(unit_, units_); }

 private:
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

  static void gemm(bool ta, bool tb, index_t m, index_t n, index_t k, float const* a, float const* b, float beta,
                   float* c) {
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, static_cast<int>(m),
                static_cast<int>(n), static_cast<int>(k), 1, a, static_cast<int>(ta ? m : k), b,
                static_cast<int>(tb ? k : n), beta, c, static_cast<int>(n));
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
    float const one_over_batch = 1 / static_cast<float>(batch_);
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
  static void adam(index_t n, float rate_, float correction2, float const* __restrict g, float* __restrict w,
                   float* __restrict m, float* __restrict v) {
    for (index_t i = 0; i < n; ++i) {
      m[i] = .9f * m[i] + .1f * g[i];
      v[i] = .999f * v[i] + .001f * g[i] * g[i];
      w[i] -= rate_ * m[i] / (std::sqrt(v[i] * correction2) + 1e-7f);
    }
  }

  index_t batch_;
  std::vector<decltype(on_host(std::declval<training_data::images>()))> images_;
  std::vector<decltype(on_host(std::declval<training_data::labels>()))> labels_;
  outcome<float> first_;
  int model_size_, data_size_;
  MPI_Comm over_data_ = MPI_COMM_NULL, over_model_ = MPI_COMM_NULL;
  index_t rows_ = 0, row_ = 0, units_ = 0, unit_ = 0, n1_ = 0, n2_ = 0, count_ = 0, step_ = 0;
  std::vector<float> w_, g_, m_, v_, a_, mask_, h_, da_, z_;
};

}  // namespace training
