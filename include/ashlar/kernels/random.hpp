// SPDX-License-Identifier: BSL-1.0
// Random numbers for a shard as a function of key and global index, as leaves of expressions and as fills.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/meta/philox.hpp"
#include "ashlar/kernels/elementwise.hpp"
#include <cmath>
#include <cstdint>

namespace ashlar::kernels_detail {

template <class T>
struct uniform_generator {
  using value_type = T;
  using block_type = uniform_block<T>;
  KOKKOS_FUNCTION static prng_key stream(prng_key key) { return key; }
  KOKKOS_FUNCTION static block_type block(philox_words const& w) { return uniforms<T>(w); }
};

// Folds "normal" into the key, so that normal and uniform numbers of one key are independent.
KOKKOS_FUNCTION constexpr prng_key normal_key(prng_key key) { return fold_in(key, 0x6c616d726f6e); }

/// Each pair of uniform numbers u, v of a block makes a pair of normal ones.
/// Source: Box and Muller, A note on the generation of random normal deviates, 1958.
template <class T>
struct normal_generator {
  using value_type = T;
  using block_type = uniform_block<T>;
  KOKKOS_FUNCTION static prng_key stream(prng_key key) { return normal_key(key); }
  KOKKOS_FUNCTION static block_type block(philox_words const& w) {
    block_type n = uniforms<T>(w);
    for (int i = 0; i < block_type::size; i += 2) {
      T const radius = Kokkos::sqrt(T(-2) * Kokkos::log(T(1) - n.value[i]));  // 1 - u > 0
      T const angle = T(6.283185307179586477) * n.value[i + 1];
      n.value[i] = radius * Kokkos::cos(angle);
      n.value[i + 1] = radius * Kokkos::sin(angle);
    }
    return n;
  }
};

/// The random bits of n consecutive counters of a key's numbers. A processor with AVX2 evaluates 8 counters at once,
/// whatever options the program is compiled with.
/// Pre: 0 <= first, 0 <= n
/// Post: out[k] == philox(key, first + k, philox_use::numbers) for 0 <= k < n
ASHLAR_INLINE void philox_blocks(prng_key key, index_t first, index_t n, meta_detail::philox_words* out);

/// The block of numbers with number b of a key.
template <class Generator>
KOKKOS_FUNCTION typename Generator::block_type random_block(prng_key key, index_t b) {
  return Generator::block(philox(Generator::stream(key), static_cast<std::uint64_t>(b), philox_use::numbers));
}

template <class T>
struct scale_and_shift {
  T scale, shift;
  KOKKOS_FUNCTION T operator()(T x) const { return shift + x * scale; }
};

/// Moves u, uniform in [0, 1), to [low, high). It rounds down, so that a number of T is as likely as its distance to the
/// next one is long. Rounding to the nearest would give high, and low half as often as others.
/// Pre: low < high, and a double holds high - low
template <class T>
class in_range {
 public:
  in_range(T low, T high)
      : low_(low), last_(std::nextafter(high, low)), width_(static_cast<double>(high) - static_cast<double>(low)) {}
  KOKKOS_FUNCTION T operator()(T u) const {
    double const moved = static_cast<double>(u) * width_, low = static_cast<double>(low_), x = low + moved;
    T const y = static_cast<T>(x);
    // In double the error of the sum is x - (low + moved), by Knuth's two-sum.
    double const added = x - low;
    word const is_above =
        sizeof(T) == sizeof(double) ? (low - (x - added)) + (moved - added) < 0 : static_cast<double>(y) > x;
    // The number below y, without a branch: half of all draws are rounded.
    auto const bits = Kokkos::bit_cast<word>(y);
    T const rounded = Kokkos::bit_cast<T>(bits - is_above * (bits < 0 ? -1 : 1));
    return rounded < last_ ? rounded : last_;  // distances of subnormal numbers may be rounded up to high - low
  }

 private:
  using word = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

  T low_, last_;
  double width_;
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// A leaf: the random number of each element's global index, base + sum of i_d * stride[d]. On the host, neighbours
/// with consecutive indices share evaluations of Philox.
template <class Generator>
struct random_numbers {
  prng_key key;
  index_t base;
  index_t stride[layout_detail::max_rank];

  using value_type = typename Generator::value_type;
  static constexpr int block_size = meta_detail::uniform_block<value_type>::size;
  struct buffer {
    value_type value[meta_detail::array_bound(kernels_detail::piece_length + 2 * block_size)];
    buffer() {}  // leaves the values unset
  };
  struct pointer {
    value_type const* data;
    value_type operator()(index_t, index_t j) const { return data[j]; }
  };
  index_t const* strides() const { return stride; }
  KOKKOS_FUNCTION value_type at(index_t offset) const {
    index_t const g = base + offset;
    return kernels_detail::random_block<Generator>(key, g / block_size).value[g % block_size];
  }
  static bool buffered(index_t) { return true; }
  pointer rows(index_t offset, index_t, index_t step, index_t length, buffer& b) const {
    if (step != 1) {
      for (index_t j = 0; j < length; ++j) b.value[j] = at(offset + j * step);
      return {b.value};
    }
    index_t const first = (base + offset) / block_size, before = (base + offset) % block_size;
    index_t const blocks = (before + length + block_size - 1) / block_size;
    meta_detail::philox_words words[meta_detail::array_bound(kernels_detail::piece_length / block_size + 2)];
    kernels_detail::philox_blocks(Generator::stream(key), first, blocks, words);
    for (index_t k = 0; k < blocks; ++k) {
      auto const block = Generator::block(words[k]);
      for (int i = 0; i < block_size; ++i) b.value[k * block_size + i] = block.value[i];
    }
    return {b.value + before};
  }
};

/// The same if a dimension is block-cyclic, so that a global index is no such sum. Element (i_0, ..) of the shard has
/// the indices held[d][i_d] in an array with strides global_stride.
template <class Generator>
struct cyclic_random_numbers {
  prng_key key;
  int rank;
  index_set held[layout_detail::max_rank];
  index_t global_stride[layout_detail::max_rank], stride[layout_detail::max_rank];

  cyclic_random_numbers(prng_key k, region const& part, shape const& global)
      : key(k), rank(part.rank), global_stride{}, stride{} {
    for (int d = 0; d < rank; ++d) {
      held[d] = part.dim[d];
      global_stride[d] = global.stride(d);
      stride[d] = part.extents().stride(d);
    }
  }

  using value_type = typename Generator::value_type;
  static constexpr int block_size = meta_detail::uniform_block<value_type>::size;
  using buffer = kernels_detail::piece_buffer<value_type>;
  using pointer = typename random_numbers<Generator>::pointer;
  index_t const* strides() const { return stride; }
  KOKKOS_FUNCTION value_type at(index_t offset) const {
    index_t g = 0;
    for (int d = rank - 1; d >= 0; --d) {
      g += held[d][offset % held[d].size()] * global_stride[d];
      offset /= held[d].size();
    }
    return kernels_detail::random_block<Generator>(key, g / block_size).value[g % block_size];
  }
  static bool buffered(index_t) { return true; }
  pointer rows(index_t offset, index_t, index_t step, index_t length, buffer& b) const {
    for (index_t j = 0; j < length; ++j) b.value[j] = at(offset + j * step);
    return {b.value};
  }
};

/// Uniform in [0, 1): the value for global index g is uniform<T>(key, g).
template <class T>
using uniform_numbers = random_numbers<kernels_detail::uniform_generator<T>>;

/// Fills a shard with f of a generator's numbers. The shard is the region `part` of an array of extents `global`.
template <class Generator, class Space, class T, class F>
void fill_random(Space const& space, T* out, region const& part, shape const& global, prng_key key, F const& f) {
  if (layout_detail::is_cyclic(part))
    return map(space, part.extents(), out, f, cyclic_random_numbers<Generator>(key, part, global));
  random_numbers<Generator> numbers{key, 0, {}};
  for (int d = 0; d < part.rank; ++d) numbers.base += part.dim[d].begin * (numbers.stride[d] = global.stride(d));
  map(space, part.extents(), out, f, numbers);
}

/// Fills a shard with uniform numbers. An element's number depends on key and global index alone. So the global array
/// is bitwise the same for every layout.
/// Post: low <= number < high
template <class Space, class T>
void fill_uniform(Space const& space, T* out, region const& part, shape const& global, prng_key key,
                  std::type_identity_t<T> low, std::type_identity_t<T> high) {
  fill_random<kernels_detail::uniform_generator<T>>(space, out, part, global, key,
                                                    kernels_detail::in_range<T>(low, high));
}

/// Fills a shard with normal numbers; see fill_uniform.
template <class Space, class T>
void fill_normal(Space const& space, T* out, region const& part, shape const& global, prng_key key,
                 std::type_identity_t<T> mean, std::type_identity_t<T> deviation) {
  fill_random<kernels_detail::normal_generator<T>>(space, out, part, global, key,
                                                   kernels_detail::scale_and_shift<T>{deviation, mean});
}

/// Zero if u, uniform in [0, 1), is less than `rate`; else x / (1 - rate). The mask is the same for every T. Forward
/// and backward apply the same function, to the value and to the cotangent.
/// Pre: 0 <= rate < 1
/// Example: map(space, s, y, dropout<T>(0.4), contiguous(x, s), uniform_numbers<float>{key, base, {200, 1}})
template <class T>
struct dropout {
  float rate;
  T scale;
  explicit dropout(double r) : rate(static_cast<float>(r)), scale(static_cast<T>(1 / (1 - r))) {}
  KOKKOS_FUNCTION T operator()(T x, float u) const { return x * (u < rate ? T(0) : scale); }  // without a branch
};

}  // namespace ashlar::kernels

#if ASHLAR_IMPL
#include "ashlar/kernels/impl/random.ipp"
#endif
