// Layouts by the number of their dimensions.
#pragma once
#include "ashlar/layout/layout.hpp"

namespace ashlar {

namespace detail {
template <int Rank>
struct scalar_has_no_batch {
  static constexpr bool value = Rank < 1;
};
template <class Index>
struct whole_dimensions;
template <int... I>
struct whole_dimensions<std::integer_sequence<int, I...>> {
  using type = basic_layout<std::conditional_t<I >= 0, whole, whole>...>;
  template <class First>
  using behind = basic_layout<First, std::conditional_t<I >= 0, whole, whole>...>;
};
// Batch is what the first dimension is: split<...>, cyclic_split<...> or whole.
template <class Batch, int Rank>
struct batch_layout {
  static_assert(!scalar_has_no_batch<Rank>::value, "ashlar::batch_sharded: a scalar has no dimension that a batch could split; write replicated<0>");
  using type = typename whole_dimensions<std::make_integer_sequence<int, (Rank < 1 ? 1 : Rank) - 1>>::template behind<Batch>;
};
}  // namespace detail

/// The layout of so many dimensions, each of which every rank holds whole.
/// Example: replicated<2> is layout<none, none>
template <int Rank>
using replicated = typename detail::whole_dimensions<std::make_integer_sequence<int, Rank>>::type;

/// The layout of so many dimensions of which the axes split the first.
/// Error: fewer than one dimension do not compile.
/// Example: batch_sharded<"data", 4> is layout<"data", none, none, none>
template <dimension Batch, int Rank>
using batch_sharded = typename detail::batch_layout<typename detail::dim_of<Batch>::type, Rank>::type;

}  // namespace ashlar
