// SPDX-License-Identifier: BSL-1.0
// Random tensors and dropout, as functions of a key and the global index.
#pragma once
#include "ashlar/meta/philox.hpp"
#include "ashlar/ops/functions.hpp"
#include "ashlar/ops/halo.hpp"
#include <limits>

namespace ashlar {

namespace ops_detail::fn {

/// Sets each element to 0 with probability `rate` and divides the others by 1 - rate. The choice is a function of the
/// key and the element's global index, so every layout and the backward pass draw the same mask.
template <class T>
struct dropout {
  static constexpr linearity kind = linearity::linear;
  T rate;
  prng_key key;
  template <int>
  constexpr auto pullback(auto const& ct, auto const&, auto const&) const {
    return elementwise(*this, ct);
  }
};

}  // namespace ops_detail::fn

/// Dropout: 0 with probability `rate`, else x / (1 - rate).
/// Pre: 0 <= rate < 1.
/// Cost: no communication.
/// Error: another rate throws ashlar::error. Integers do not compile.
/// Example: dropout(x<layout<"data", none>>, 0.1f, prng_key{1}) -> layout<"data", none>
template <tensor X>
constexpr auto dropout(X const& x, element_t<X> rate, prng_key key) {
  static_assert(ops_detail::real_or_complex_elements<X>,
                "ashlar::dropout: the elements are integers; write cast<double>(x)");
  if (!(rate >= 0 && rate < 1)) meta_detail::fail("ashlar::dropout: the rate is at least 0 and less than 1");
  plan_detail::note_argument(x, "key", key);
  return elementwise(ops_detail::fn::dropout<element_t<X>>{rate, key}, x);
}

namespace ops_detail {

/// Uniform numbers in [low, high).
template <class T>
struct uniform_distribution {
  T low, high;

  constexpr void require_range() const {
    if constexpr (std::is_floating_point_v<T>) {
      if (!(low < high))
        plan_detail::fail_rule("ashlar::uniform: numbers are at least low and less than high; give a low below high");
      // Halves, because the distance of two doubles may be no double.
      if (!(static_cast<double>(high) / 2 - static_cast<double>(low) / 2 <= (std::numeric_limits<double>::max)() / 2))
        plan_detail::fail_rule(
            "ashlar::uniform: low, high and their distance are finite numbers of double; give a shorter range");
    }
  }
};

/// Normal numbers.
template <class T>
struct normal_distribution {
  T mean, deviation;

  constexpr void require_range() const {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T largest = (std::numeric_limits<T>::max)();
      if (!(mean >= -largest && mean <= largest && deviation >= T(0) && deviation <= largest))
        plan_detail::fail_rule(
            "ashlar::normal: mean and deviation are finite, and the deviation is at least 0; give other numbers");
    }
  }
};

template <class T, class L, class Distribution, class Handle>
constexpr auto random(Distribution const& d, Handle const& m, shape const& extents, prng_key key, call_site const& w) {
  static_assert(
      !layout_is_partial<owned_layout_t<L>>::value,
      "ashlar::random: the layout is partial, and each rank would add numbers of its own; draw into the layout without it");
  static_assert(!meta_detail::is_neither_float_nor_double<T>,
                "ashlar::random: numbers are drawn as float or double; draw float, and write cast<T>(x)");
  static_assert(!halo_waits_for_its_sum<L>,
                "ashlar::random: random numbers are no terms of a sum; draw into the layout H");
  constexpr bool unfilled = layout_detail::is_in_state<L, layout_detail::halo_state::unfilled>;
  auto x = allocate<T, std::conditional_t<unfilled, owned_layout_t<L>, L>>(m, extents, w);
  if constexpr (!meta_detail::is_neither_float_nor_double<T> && !halo_waits_for_its_sum<L>)
    note_argument(x, "key", key, w), fill_random(backend_on<Handle>{}, d, x, key);
  if constexpr (unfilled)
    return copy_cells<L>(backend_on<Handle>{}, x);
  else
    return x;
}
}  // namespace ops_detail

/// A tensor of uniform numbers in [low, high), the same for every layout and mesh. The element with row-major global
/// index g is a function of (key, g). T is float or double. A number of T is as likely as the gap to the next one is
/// long, to 24 bits of float and 53 of double. A halo is computed, not exchanged; given cells are 0.
/// Post: low <= x < high
/// Error: a partial layout, halo_sums and a T that is neither float nor double do not compile. ashlar::error, if low is
/// not below high, or if their distance is no finite double.
/// Example: uniform<float, layout<"data", none>>(m, {128, 784}, prng_key{1}, -1.f, 1.f) -> layout<"data", none>
template <class T, class L, class Handle, std::size_t N>
constexpr auto uniform(Handle const& m, index_t const (&n)[N], prng_key key, T low = T(0), T high = T(1),
                       call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  ops_detail::uniform_distribution<T> const range{low, high};
  range.require_range();
  return ops_detail::random<T, L>(range, m, plan_detail::checked_extents<L>(n), key, w);
}
/// A tensor of normal numbers, the same for every layout and mesh. T is float or double.
/// Error: as uniform; ashlar::error, if mean or deviation is not finite, or if the deviation is negative.
/// Example: normal<float, layout<"data", none>>(m, {128, 784}, prng_key{1}, 0.f, 0.1f) -> layout<"data", none>
template <class T, class L, class Handle, std::size_t N>
constexpr auto normal(Handle const& m, index_t const (&n)[N], prng_key key, T mean = T(0), T deviation = T(1),
                      call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  ops_detail::normal_distribution<T> const numbers{mean, deviation};
  numbers.require_range();
  return ops_detail::random<T, L>(numbers, m, plan_detail::checked_extents<L>(n), key, w);
}

// With a seed in place of a key.
template <class T, class L, class Handle, std::size_t N, class Seed>
  requires std::is_integral_v<Seed>
constexpr auto uniform(Handle const& m, index_t const (&n)[N], Seed, T = T(0), T = T(1)) {
  static_assert(!std::is_integral_v<Seed>, "ashlar::uniform: random numbers come from a key; write prng_key{1}");
  return uniform<T, L>(m, n, prng_key{});
}
template <class T, class L, class Handle, std::size_t N, class Seed>
  requires std::is_integral_v<Seed>
constexpr auto normal(Handle const& m, index_t const (&n)[N], Seed, T = T(0), T = T(1)) {
  static_assert(!std::is_integral_v<Seed>, "ashlar::normal: random numbers come from a key; write prng_key{1}");
  return normal<T, L>(m, n, prng_key{});
}

}  // namespace ashlar
