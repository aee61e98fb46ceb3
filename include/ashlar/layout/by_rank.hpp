// SPDX-License-Identifier: BSL-1.0
// Layouts that are given by their number of dimensions.
#pragma once
#include "ashlar/layout/layout.hpp"

namespace ashlar {

namespace layout_detail {
template <int Rank>
inline constexpr bool scalar_has_no_batch = Rank < 1;
template <class Index>
struct whole_dimensions;
template <int... I>
struct whole_dimensions<std::integer_sequence<int, I...>> {
  using type = basic_layout<std::conditional_t<I >= 0, whole, whole>...>;
  template <class First>
  using behind = basic_layout<First, std::conditional_t<I >= 0, whole, whole>...>;
};
// Batch is the spec of the first dimension as a type: split<...>, cyclic_split<...> or whole.
template <class Batch, int Rank>
struct batch_layout {
  static_assert(!scalar_has_no_batch<Rank>,
                "ashlar::batch_sharded: a scalar has no dimension that a batch could split; write replicated<0>");
  using type =
      typename whole_dimensions<std::make_integer_sequence<int, (Rank < 1 ? 1 : Rank) - 1>>::template behind<Batch>;
};
}  // namespace layout_detail

/// The layout of `Rank` dimensions that no axis shards.
/// Example: replicated<2> is layout<none, none>
template <int Rank>
using replicated = typename layout_detail::whole_dimensions<std::make_integer_sequence<int, Rank>>::type;

/// The layout of `Rank` dimensions whose first dimension is sharded as `Batch` says.
/// Error: does not compile if Rank < 1.
/// Example: batch_sharded<"data", 4> is layout<"data", none, none, none>
template <dimension Batch, int Rank>
using batch_sharded = typename layout_detail::batch_layout<typename layout_detail::dim_of<Batch>::type, Rank>::type;

}  // namespace ashlar
