// SPDX-License-Identifier: BSL-1.0
// The functions of data/synthetic_digits.hpp.
#pragma once
#include <algorithm>
#include "ashlar/data/synthetic_digits.hpp"

namespace ashlar::data_detail {

ASHLAR_INLINE void digit_painter::draw(std::size_t digit) {
  char const* text = digit_strokes[digit][static_cast<std::size_t>(between(0, 3))];
  // A random matrix near the identity turns, slants and stretches the digit.
  for (float& m : map_) m = between(-0.3f, 0.3f);
  map_[0] += 0.9f;
  map_[3] += 1;
  center_ = {between(12, 15), between(12, 15)};
  radius_ = between(0.5f, 1.5f);
  ink_ = between(150, 255);

  std::vector<point> stroke;
  for (; *text != '\0'; ++text)
    if (*text == '/') {
      paint(stroke);
      stroke.clear();
    } else if (*text != ' ') {
      stroke.push_back(on_paper(text[0] - '0', text[1] - '0'));
      ++text;
    }
  paint(stroke);
  add_noise();
}

ASHLAR_INLINE digit_painter::point digit_painter::on_paper(int column, int row) {
  float const x = 2.0f * (static_cast<float>(column) - 5 + between(-0.75f, 0.75f));
  float const y = 2.0f * (static_cast<float>(row) - 4.5f + between(-0.75f, 0.75f));
  return {center_.x + map_[0] * x + map_[1] * y, center_.y + map_[2] * x + map_[3] * y};
}

ASHLAR_INLINE void digit_painter::paint(std::vector<point> const& stroke) {
  for (std::size_t i = 0; i + 1 < stroke.size(); ++i) {
    point const p0 = stroke[i > 0 ? i - 1 : 0], p1 = stroke[i], p2 = stroke[i + 1];
    point const p3 = stroke[(std::min)(i + 2, stroke.size() - 1)];
    auto const curve = [](float a, float b, float c, float d, float t) {
      return b + t / 2 * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
    };
    point last = p1;
    for (float t : {0.25f, 0.5f, 0.75f, 1.0f}) {
      point const next{curve(p0.x, p1.x, p2.x, p3.x, t), curve(p0.y, p1.y, p2.y, p3.y, t)};
      paint_line(last, next);
      last = next;
    }
  }
}

ASHLAR_INLINE void digit_painter::paint_line(point a, point b) {
  float const dx = b.x - a.x, dy = b.y - a.y, length2 = (std::max)(dx * dx + dy * dy, 1e-6f), reach = radius_ + 0.5f;
  auto const pixel = [](float z) { return static_cast<int>(std::clamp(z, 0.0f, side - 1.0f)); };
  for (int y = pixel((std::min)(a.y, b.y) - reach); y <= pixel((std::max)(a.y, b.y) + reach); ++y)
    for (int x = pixel((std::min)(a.x, b.x) - reach); x <= pixel((std::max)(a.x, b.x) + reach); ++x) {
      float const px = static_cast<float>(x) - a.x, py = static_cast<float>(y) - a.y;
      float const t = std::clamp((px * dx + py * dy) / length2, 0.0f, 1.0f), ex = px - t * dx, ey = py - t * dy;
      float const cover = std::clamp(reach - std::sqrt(ex * ex + ey * ey), 0.0f, 1.0f);
      std::uint8_t& target = pixels_[y * side + x];
      target = (std::max)(target, static_cast<std::uint8_t>(ink_ * cover));
    }
}

ASHLAR_INLINE void digit_painter::add_noise() {
  float const strength = between(0, 60);
  for (int i = 0; i < side * side; i += 4) {
    auto const u = uniforms<float>(noise_key_, i / 4);
    for (int j = 0; j < 4; ++j) {
      float const noisy = static_cast<float>(pixels_[i + j]) + strength * (u.value[j] - 0.5f);
      pixels_[i + j] = static_cast<std::uint8_t>(std::clamp(noisy, 0.0f, 255.0f));
    }
  }
}

ASHLAR_INLINE void make_synthetic_digits(prng_key key, index_t n, idx_array& images, idx_array& labels) {
  images = {{n, 28, 28}, std::vector<std::uint8_t>(static_cast<std::size_t>(n) * 784)};
  labels = {{n}, std::vector<std::uint8_t>(static_cast<std::size_t>(n))};
  for (std::size_t i = 0; i < labels.bytes.size(); ++i) {
    labels.bytes[i] = static_cast<std::uint8_t>(i % 10);
    digit_painter(images.bytes.data() + i * 784, fold_in(key, i)).draw(i % 10);
  }
}

}  // namespace ashlar::data_detail

namespace ashlar {

ASHLAR_INLINE digit_data synthetic_digits(prng_key key, index_t n_train, index_t n_test) {
  digit_data data;
  data_detail::make_synthetic_digits(fold_in(key, 0), n_train, data.train_images, data.train_labels);
  data_detail::make_synthetic_digits(fold_in(key, 1), n_test, data.test_images, data.test_labels);
  return data;
}

}  // namespace ashlar
