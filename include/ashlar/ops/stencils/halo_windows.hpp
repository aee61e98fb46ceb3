// SPDX-License-Identifier: BSL-1.0
// Windows that slide over dimensions of tensors with halos.
#pragma once
#include "ashlar/layout/halo.hpp"
#include "ashlar/layout/window.hpp"
#include "ashlar/ops/apply.hpp"
#include "ashlar/ops/halo.hpp"

namespace ashlar::ops_detail {

/// The result of an operation that reads halo cells: that of the rule for owned cells.
template <reads_halo_cells Op, class... X>
struct result_of<Op, X...> {
  using mesh = mesh_t<first_t<X...>>;
  using c = mesh_context<mesh, owned_layout_t<layout_t<X>>...>;
  static constexpr rule_result r = Op::rule(value_v<c, owned_layout_t<layout_t<X>>>...);
  using axis = typename axis_for_message<typename mesh::names, r.axis>::type;
  using owned = layout_from_t<c, encode(r.out), encode_blocks(r.out), r.out.rank>;
  using layout = typename Op::template result_layout<owned>;
  using element = typename Op::template element<element_t<X>...>;
};

/// The cells beside a part of a dimension that the part's windows read.
struct cells_beside {
  index_t below = 0, above = 0;
};
// Visits parts of the elements `own` and of the windows `out`, which the axes from number `level` on split.
constexpr void widen_for_parts(cells_beside& most, windows const& w, layout_detail::axis_list const& axes,
                               mesh_shape const& mesh, int level, interval const& own, interval const& out) {
  if (out.size() == 0) return;
  if (level == axes.size) {
    index_t const below = own.begin - w.first(out.begin), above = w.first(out.end - 1) + w.reach() - own.end;
    if (most.below < below) most.below = below;
    if (most.above < above) most.above = above;
    return;
  }
  // The first parts have one element or one window more. Between these numbers of parts the cells change by the same
  // number from part to part. So the largest numbers are at the ends.
  index_t const parts = mesh.size[axes[level]], longer = own.size() % parts, more = out.size() % parts;
  index_t const last = out.size() < parts ? more - 1 : parts - 1;
  index_t const ends[]{0, longer - 1, longer, more - 1, more, last};
  for (int e = 0; e < 6; ++e) {
    bool again = ends[e] < 0 || ends[e] > last;
    for (int k = 0; k < e; ++k) again = again || ends[k] == ends[e];
    if (!again)
      widen_for_parts(most, w, axes, mesh, level + 1, layout_detail::part_of(own, parts, ends[e]),
                      layout_detail::part_of(out, parts, ends[e]));
  }
}
/// The largest numbers over all parts. Windows are split as the dimension is.
/// Cost: does not grow with the number of parts.
constexpr cells_beside cells_beside_parts(windows const& w, layout_detail::axis_list const& axes,
                                          mesh_shape const& mesh) {
  if (w.count() == w.n && w.stride == 1) return {w.before(), w.reach() - 1 - w.before()};
  cells_beside most;
  widen_for_parts(most, w, axes, mesh, 0, {0, w.n}, {0, w.count()});
  return most;
}

/// True if windows may reach beyond a dimension that has no room there: nothing shards it, and 0 is beyond it.
constexpr bool is_whole_before_zeros(layout_detail::axis_list const& axes, layout_detail::halo_width const& w) {
  return axes.size == 0 && w == layout_detail::halo_width{};
}

/// Checks that the windows of each rank are in its stored cells, on every rank alike.
template <class X>
constexpr void require_windows_in_halo(char const* function, X const& x, windows const& rows, windows const& columns) {
  using L = layout_t<X>;
  constexpr layout_value const& v = value_v<mesh_context<mesh_t<X>, owned_layout_t<L>>, owned_layout_t<L>>;
  for (int d = 1; d <= 2; ++d) {
    layout_detail::halo_width const& width = layout_detail::halo_of<L>::widths.dim[d];
    if (is_whole_before_zeros(v.dim[d], width)) continue;
    cells_beside const c = cells_beside_parts(d == 1 ? rows : columns, v.dim[d], x.mesh().sizes());
    if (c.below > width.lower || c.above > width.upper)
      plan_detail::fail_windows(function, d, c.below, c.above, width.lower, width.upper);
  }
}

/// Cells that a window of a constant size reads beside the middle one.
constexpr cells_beside cells_beside_middle(index_t size, index_t dilation) {
  index_t const all = (size - 1) * dilation;
  return {all / 2, all - all / 2};
}
// The first dimension in which one window per element reaches beyond the halo, or -1.
template <class Mesh, class L, index_t Rows, index_t Columns, int Dilation>
inline constexpr int dimension_narrower_than_windows = [] {
  constexpr layout_value const& v = value_v<mesh_context<Mesh, owned_layout_t<L>>, owned_layout_t<L>>;
  for (int d = 1; d <= 2; ++d) {
    layout_detail::halo_width const& w = layout_detail::halo_of<L>::widths.dim[d];
    cells_beside const c = cells_beside_middle(d == 1 ? Rows : Columns, Dilation);
    if (!is_whole_before_zeros(v.dim[d], w) && (c.below > w.lower || c.above > w.upper)) return d;
  }
  return -1;
}();
/// The plain tensor of an operand.
template <class X>
using tensor_behind = std::remove_cvref_t<decltype(stop_gradient(std::declval<X const&>()))>;

/// What is wrong with the halo of images.
enum class image_halo { fits, unfilled, sums, corners, other_dimensions };
template <class L>
inline constexpr image_halo halo_of_images = [] {
  auto const has_room = [](halo_width const& w) { return w.lower > 0 || w.upper > 0; };
  auto const& w = layout_detail::halo_of<L>::widths;
  if (is_in_state<L, halo_state::unfilled>) return image_halo::unfilled;
  if (halo_waits_for_its_sum<L>) return image_halo::sums;
  if (is_in_state<L, halo_state::without_corners> && has_room(w.dim[1]) && has_room(w.dim[2]))
    return image_halo::corners;
  return has_room(w.dim[0]) || has_room(w.dim[3]) ? image_halo::other_dimensions : image_halo::fits;
}();

/// The layout of a result that is named To, or Owned if To is void.
template <class To, class Owned>
using named_or_owned = std::conditional_t<std::is_void_v<To>, Owned, To>;

// Requires a layout To that the result of an operation can have, if the operands fit.
template <class Op, class To, class... X>
struct result_of_windows {
  using R = result_of<Op, tensor_behind<X>...>;
  static constexpr bool any = std::is_void_v<To> || R::r.why != fault::fits;
  static constexpr bool unfilled = any || layout_detail::is_in_state<To, layout_detail::halo_state::unfilled>,
                        split = any || std::is_same_v<owned_layout_t<To>, typename R::owned>, ok = unfilled && split;
  static constexpr void say() {
    static_assert(
        unfilled,
        "ashlar::halo: the layout of the result that is asked for is fresh<H>, and the halo of the result is not filled; write H, or leave it out");
    static_assert(
        !unfilled || split,
        "ashlar::halo: the layout of the result that is asked for is split otherwise than the result; write a halo of the result's layout");
  }
};

/// A tensor without its halo: a copy of the owned cells if it has one.
template <class Ct>
constexpr auto without_halo(Ct const& ct) {
  if constexpr (layout_detail::layout_has_a_halo<layout_t<Ct>>::value)
    return owned(ct);
  else
    return ct;
}

}  // namespace ashlar::ops_detail
