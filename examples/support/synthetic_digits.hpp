// SPDX-License-Identifier: BSL-1.0
// Synthetic digits in the shape of MNIST, for programs that must run without data files.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/meta/philox.hpp"
#include "ashlar/io/idx.hpp"
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar {
namespace data_detail {

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

ASHLAR_INLINE void make_synthetic_digits(prng_key key, index_t n, idx_array& images, idx_array& labels);

}  // namespace data_detail

/// Draws grey digits of 28x28 pixels from pen strokes, turned, slanted, stretched, shifted, shaken, of different
/// thickness and ink, with noise. Example i shows the digit i % 10 and depends only on the key and i.
/// Shape: images {n, 28, 28}, labels {n}.
/// Pre: n_train >= 0, n_test >= 0.
/// Post: the same bytes on every rank.
/// Cost: about 6 microseconds per image.
/// Example: digit_data const digits = synthetic_digits(prng_key{1}, 60000, 10000);
ASHLAR_INLINE digit_data synthetic_digits(prng_key key, index_t n_train, index_t n_test);

}  // namespace ashlar

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/data/compiled/synthetic_digits.hpp"
#endif
