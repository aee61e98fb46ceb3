// The reference of convnet.cpp: its training step by plain loops in double, on one rank.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace convnet {

using numbers = std::vector<double>;

/// The convolution of images [n][size][size][in] with a kernel [window][window][in][out], with equally many zeros at
/// opposite edges.
struct plain_convolution {
  std::size_t n, size, in, out, window, stride;
  std::size_t across() const { return (size + stride - 1) / stride; }
  std::size_t positions() const { return n * across() * across(); }

  /// Calls f(offset of a pixel's first channel, offset in the kernel, offset in the result) for each pair of pixel and
  /// kernel element.
  template <class F>
  void each(F const& f) const {
    std::size_t const before = ((across() - 1) * stride + window - size) / 2;
    for (std::size_t image = 0; image < n; ++image)
      for (std::size_t i = 0; i < across(); ++i)
        for (std::size_t j = 0; j < across(); ++j)
          for (std::size_t k = 0; k < window; ++k)
            for (std::size_t l = 0; l < window; ++l) {
              std::size_t const y = i * stride + k - before,
                                x = j * stride + l - before;  // beyond an edge: size or more
              if (y < size && x < size)
                f(((image * size + y) * size + x) * in, (k * window + l) * in * out,
                  ((image * across() + i) * across() + j) * out);
            }
  }
  numbers forward(numbers const& x, numbers const& kernel) const {
    numbers y(positions() * out);
    each([&](std::size_t a, std::size_t b, std::size_t c) {
      for (std::size_t i = 0; i < in; ++i)
        for (std::size_t o = 0; o < out; ++o) y[c + o] += x[a + i] * kernel[b + i * out + o];
    });
    return y;
  }
  void backward(numbers const& x, numbers const& kernel, numbers const& dy, numbers& dx, numbers& d_kernel) const {
    each([&](std::size_t a, std::size_t b, std::size_t c) {
      for (std::size_t i = 0; i < in; ++i)
        for (std::size_t o = 0; o < out; ++o) {
          dx[a + i] += dy[c + o] * kernel[b + i * out + o];
          d_kernel[b + i * out + o] += dy[c + o] * x[a + i];
        }
    });
  }
};

/// Normalises each column of rows [n][columns] to mean 0 and a variance of about 1, then adds a shift and applies relu.
struct plain_normalisation {
  std::size_t columns;
  numbers inverse, normal;  // 1 / deviation; the rows before the shift

  numbers forward(numbers const& x, numbers const& shift) {
    numbers mean(columns), square(columns), y(x.size());
    double const n = static_cast<double>(x.size() / columns);
    for (std::size_t i = 0; i < x.size(); ++i) mean[i % columns] += x[i] / n;
    for (std::size_t i = 0; i < x.size(); ++i)
      square[i % columns] += (x[i] - mean[i % columns]) * (x[i] - mean[i % columns]) / n;
    inverse.clear();
    for (double v : square) inverse.push_back(1 / std::sqrt(v + 1e-3));
    normal = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      normal[i] = (x[i] - mean[i % columns]) * inverse[i % columns];
      y[i] = std::max(normal[i] + shift[i % columns], 0.);
    }
    return y;
  }
  numbers backward(numbers const& y, numbers dy, numbers& d_shift) const {
    numbers along(columns);
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (!(y[i] > 0)) dy[i] = 0;
      d_shift[i % columns] += dy[i];
      along[i % columns] += dy[i] * normal[i];
    }
    double const n = static_cast<double>(y.size() / columns);
    for (std::size_t i = 0; i < y.size(); ++i) {
      std::size_t const c = i % columns;
      dy[i] = inverse[c] * (dy[i] - d_shift[c] / n - normal[i] * along[c] / n);
    }
    return dy;
  }
};

/// x [n][in] times w [in][out], plus a bias.
struct plain_product {
  std::size_t in, out;
  numbers forward(numbers const& x, numbers const& w, numbers const& bias) const {
    numbers y(x.size() / in * out);
    for (std::size_t r = 0; r < x.size() / in; ++r)
      for (std::size_t o = 0; o < out; ++o) {
        y[r * out + o] = bias[o];
        for (std::size_t i = 0; i < in; ++i) y[r * out + o] += x[r * in + i] * w[i * out + o];
      }
    return y;
  }
  numbers backward(numbers const& x, numbers const& w, numbers const& dy, numbers& dw, numbers& d_bias) const {
    numbers dx(x.size());
    for (std::size_t r = 0; r < x.size() / in; ++r)
      for (std::size_t o = 0; o < out; ++o) {
        d_bias[o] += dy[r * out + o];
        for (std::size_t i = 0; i < in; ++i) {
          dx[r * in + i] += dy[r * out + o] * w[i * out + o];
          dw[i * out + o] += dy[r * out + o] * x[r * in + i];
        }
      }
    return dx;
  }
};

/// The network and its optimizer, Adam.
class plain_loops {
 public:
  explicit plain_loops(std::vector<std::vector<float>> const& first) {
    for (auto const& a : first) p.emplace_back(a.begin(), a.end());
    m_ = v_ = zeros();
  }
  std::vector<numbers> p;
  double loss = 0, hits = 0;

  /// Dropout multiplies by `mask`.
  void step(std::vector<float> const& images, std::vector<std::int32_t> const& labels, std::vector<float> const& mask) {
    std::size_t const n = labels.size();
    auto g = zeros();
    std::vector<plain_convolution> const convolution{
        {n, 28, 1, 12, 3, 1}, {n, 28, 12, 24, 6, 2}, {n, 14, 24, 32, 6, 2}};
    std::vector<plain_normalisation> normalisation{{12, {}, {}}, {24, {}, {}}, {32, {}, {}}};
    std::vector<numbers> h(1);
    for (float x : images) h[0].push_back(static_cast<double>(x) / 255);
    for (std::size_t k = 0; k < 3; ++k)
      h.push_back(normalisation[k].forward(convolution[k].forward(h[k], p[2 * k]), p[2 * k + 1]));
    numbers pooled(n * 32);
    for (std::size_t i = 0; i < h[3].size(); ++i) pooled[i / (49 * 32) * 32 + i % 32] += h[3][i] / 49;
    plain_product const dense1{32, 256}, dense2{256, 10};
    numbers a = dense1.forward(pooled, p[6], p[7]), dropped(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) dropped[i] = std::max(a[i], 0.) * static_cast<double>(mask[i]);
    numbers z = dense2.forward(dropped, p[8], p[9]);
    loss = hits = 0;
    for (std::size_t r = 0; r < n; ++r) {
      double* const row = z.data() + r * 10;
      auto const label = static_cast<std::size_t>(labels[r]);
      double const largest = *std::max_element(row, row + 10);
      hits += row[label] == largest;
      double sum = 0;
      for (std::size_t o = 0; o < 10; ++o) sum += row[o] = std::exp(row[o] - largest);
      loss -= std::log(row[label] / sum) / static_cast<double>(n);
      for (std::size_t o = 0; o < 10; ++o) row[o] = (row[o] / sum - (o == label)) / static_cast<double>(n);
    }
    numbers d = dense2.backward(dropped, p[8], z, g[8], g[9]);
    for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] > 0 ? d[i] * static_cast<double>(mask[i]) : 0;
    d = dense1.backward(pooled, p[6], d, g[6], g[7]);
    numbers dh(h[3].size());
    for (std::size_t i = 0; i < dh.size(); ++i) dh[i] = d[i / (49 * 32) * 32 + i % 32] / 49;
    for (std::size_t k = 3; k-- > 0;) {
      numbers dx(h[k].size());
      convolution[k].backward(h[k], p[2 * k], normalisation[k].backward(h[k + 1], dh, g[2 * k + 1]), dx, g[2 * k]);
      dh = dx;
    }
    adam(g);
  }

 private:
  std::vector<numbers> zeros() const {
    std::vector<numbers> z;
    for (auto const& a : p) z.emplace_back(a.size());
    return z;
  }
  void adam(std::vector<numbers> const& g) {
    ++steps_;
    double const c1 = 1 - std::pow(.9, steps_), c2 = 1 - std::pow(.999, steps_);
    for (std::size_t k = 0; k < p.size(); ++k)
      for (std::size_t i = 0; i < p[k].size(); ++i) {
        m_[k][i] = .9 * m_[k][i] + .1 * g[k][i];
        v_[k][i] = .999 * v_[k][i] + .001 * g[k][i] * g[k][i];
        p[k][i] -= 1e-3 * (m_[k][i] / c1) / (std::sqrt(v_[k][i] / c2) + 1e-7);
      }
  }

  std::vector<numbers> m_, v_;
  int steps_ = 0;
};

}  // namespace convnet
