// Rotary position embedding (Su et al., RoFormer, 2021), an operation of the program's own: features are turned in
// pairs by an angle that grows with the position in the sequence, so a rank that has a piece of a sequence must know
// where in the whole it lies.
#pragma once
#include <ashlar/ashlar.hpp>

#include <type_traits>

namespace rope {

using namespace ashlar;

// [operation]
struct rotary_diagnostics : user_operation_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "rotary: the axis shards the features, which are turned in pairs; all_gather them, or shard heads or positions");
    if constexpr (F != fault::sharded_dimension) user_operation_diagnostics::report<F, Axis, L...>();
  }
};

// Batch, position, feature: the features are whole. It is linear, so that partial sums pass through it. Of an
// attention, where heads stand in front of the features, it turns the queries and the keys, and leaves the values,
// which come last, as they are.
template <bool Attention = false>
struct rotary : std::conditional_t<Attention, user_operation<"cbshd->cbshd", "d", linearity::linear>,
                                   user_operation<"bsd->bsd", "d", linearity::linear>> {
  double direction = 1;
  using diagnostics = rotary_diagnostics;

  template <class Y, class X>
  ASHLAR_FUNCTION void forward(index_t const* at, Y y, X x) const {
    using number = std::remove_cvref_t<decltype(y(0))>;
    index_t const half = x.extent(0) / 2, position = !Attention ? at[1] : at[0] == 2 ? 0 : at[2];
    for (index_t i = 0; i < half; ++i) {
      double const frequency = Kokkos::pow(1e4, -static_cast<double>(i) / static_cast<double>(half));
      double const angle = direction * static_cast<double>(position) * frequency;
      auto const c = static_cast<number>(Kokkos::cos(angle)), s = static_cast<number>(Kokkos::sin(angle));
      y(i) = x(i) * c - x(i + half) * s;
      y(i + half) = x(i) * s + x(i + half) * c;
    }
  }
  // The cotangent is turned back.
  template <int>
  constexpr auto pullback(auto const& ct, auto const&, auto const&) const {
    rotary back;
    back.direction = -direction;
    return apply(back, ct);
  }
  static constexpr shape extents(layout_value const&, shape const& x) {
    if (x[x.rank - 1] % 2 != 0) throw error("rotary: the features are turned in pairs; give an even number of them");
    return x;
  }
};
// [operation]

}  // namespace rope
