// Synthetic digits in the shape of MNIST, for programs that must run without data files.
#pragma once
#include <ashlar/io/idx.hpp>
#include <ashlar/meta/philox.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace examples {

using namespace ashlar;

// The ways to write each digit: the points that a pen passes on a grid of 10x10. A point is two figures, x to the right
// and y down. A slash lifts the pen; a point given twice makes a corner.
inline constexpr std::array<std::array<char const*, 3>, 10> digit_strokes{{
    {"50 21 14 27 49 68 85 73 50", "40 22 15 38 59 77 84 62 40", "60 31 24 27 49 58 75 72 50 30"},
    {"50 53 56 59", "32 50 50 53 56 59", "32 50 50 54 59 / 39 59 79"},
    {"22 40 70 82 55 29 29 59 89", "22 40 70 82 56 28 38 47 69 88", "31 50 72 64 46 28 19 19 59 79"},
    {"21 50 72 63 44 44 74 77 59 28", "20 50 70 70 44 44 74 77 59 28", "21 50 72 54 44 / 44 64 76 59 28"},
    {"60 43 26 26 56 86 / 63 66 69", "30 24 25 55 85 / 71 74 79", "30 25 25 55 75 71 71 75 79"},
    {"80 30 30 24 24 53 75 77 59 28", "30 24 24 53 75 77 59 28 / 30 50 80", "70 40 32 44 65 67 49 28"},
    {"70 41 24 27 49 78 66 45 27", "50 33 26 28 59 78 65 35", "40 23 26 38 69 77 65 46 37"},
    {"20 50 80 80 55 49", "20 50 80 80 55 49 / 35 55 75", "22 20 20 50 80 80 64 59"},
    {"50 31 33 54 76 69 49 26 43 72 70 50", "73 50 32 54 77 59 27 54 73", "50 32 44 63 52 50 / 44 26 49 68 66 44"},
    {"73 50 31 33 54 73 72 75 59", "73 50 31 33 54 73 73 76 79", "72 60 42 44 63 72 72 76 58 38"},
}};

// Draws one digit on 28x28 black pixels. It calls no library function whose last bit may differ between machines.
class digit_painter {
 public:
  digit_painter(std::uint8_t* pixels, prng_key key)
      : pixels_(pixels), key_(fold_in(key, 0)), noise_key_(fold_in(key, 1)) {}

  void draw(std::size_t digit);

 private:
  static constexpr int side = 28;
  struct point {
    float x, y;
  };

  float between(float low, float high) { return low + (high - low) * uniform<float>(key_, drawn_++); }

  point on_paper(int column, int row);

  // Paints a Catmull-Rom curve through the points of a stroke.
  void paint(std::vector<point> const& stroke);

  // Paints a line with round ends. The ink falls off over one pixel at its rim.
  void paint_line(point a, point b);

  void add_noise();

  std::uint8_t* pixels_;
  prng_key key_, noise_key_;
  index_t drawn_ = 0;
  float map_[4]{}, radius_ = 0, ink_ = 0;
  point center_{};
};

inline void digit_painter::draw(std::size_t digit) {
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

inline digit_painter::point digit_painter::on_paper(int column, int row) {
  float const x = 2.0f * (static_cast<float>(column) - 5 + between(-0.75f, 0.75f));
  float const y = 2.0f * (static_cast<float>(row) - 4.5f + between(-0.75f, 0.75f));
  return {center_.x + map_[0] * x + map_[1] * y, center_.y + map_[2] * x + map_[3] * y};
}

inline void digit_painter::paint(std::vector<point> const& stroke) {
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

inline void digit_painter::paint_line(point a, point b) {
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

inline void digit_painter::add_noise() {
  float const strength = between(0, 60);
  for (int i = 0; i < side * side; i += 2) {
    std::uint64_t const bits = random_bits(noise_key_, i / 2);  // of two pixels
    for (int j = 0; j < 2; ++j) {
      float const u = static_cast<float>(bits >> (32 * j + 8) & 0xffffff) * 0x1p-24f;
      float const noisy = static_cast<float>(pixels_[i + j]) + strength * (u - 0.5f);
      pixels_[i + j] = static_cast<std::uint8_t>(std::clamp(noisy, 0.0f, 255.0f));
    }
  }
}

inline void make_synthetic_digits(prng_key key, index_t n, io::idx_array& images, io::idx_array& labels) {
  images = {{n, 28, 28}, std::vector<std::uint8_t>(static_cast<std::size_t>(n) * 784)};
  labels = {{n}, std::vector<std::uint8_t>(static_cast<std::size_t>(n))};
  for (std::size_t i = 0; i < labels.bytes.size(); ++i) {
    labels.bytes[i] = static_cast<std::uint8_t>(i % 10);
    digit_painter(images.bytes.data() + i * 784, fold_in(key, i)).draw(i % 10);
  }
}

/// Draws grey digits of 28x28 pixels from pen strokes, turned, slanted, stretched, shifted, shaken, of different
/// thickness and ink, with noise. Example i shows the digit i % 10 and depends only on the key and i.
/// Shape: images {n, 28, 28}, labels {n}.
/// Pre: n_train >= 0, n_test >= 0.
/// Post: the same bytes on every rank.
/// Cost: about 6 microseconds per image.
/// Example: digit_data const digits = synthetic_digits(prng_key{1}, 60000, 10000);
inline io::digit_data synthetic_digits(prng_key key, index_t n_train, index_t n_test) {
  io::digit_data data;
  make_synthetic_digits(fold_in(key, 0), n_train, data.train_images, data.train_labels);
  make_synthetic_digits(fold_in(key, 1), n_test, data.test_images, data.test_labels);
  return data;
}

}  // namespace examples
