// SPDX-License-Identifier: BSL-1.0
// Drawings of the blocks of a tensor and the ranks that hold them. Needs neither MPI nor Kokkos.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/layout/halo.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/plan/dry_run.hpp"
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::plan_detail {

ASHLAR_INLINE std::string listed_ranks(std::vector<std::string> const& numbers);

// The text of the ranks that hold the same block: replicas, or groups of ranks that hold terms of one reduction.
ASHLAR_INLINE std::string ranks_text(std::vector<int> const& ranks, layout_value const& layout, mesh_shape const& mesh);

// The text of an index set: its runs of consecutive indices. Of more than two runs it shows the first and the last.
ASHLAR_INLINE std::string text_of(index_set const& s);

// The rows or columns to draw, of n, if `most` fit: all, or the first ones and the last with a gap (-1) between.
ASHLAR_INLINE std::vector<int> drawn(int n, int most);

/// The blocks of a tensor, in the order of their first ranks, and the ranks that hold them.
struct blocks {
  std::vector<region> part;
  std::vector<std::vector<int>> ranks;
  std::vector<std::string> without_elements;

  blocks(layout_value const& layout, mesh_shape const& mesh, shape const& extents);
  // The parts of a dimension, in order.
  std::vector<index_set> pieces(int d) const;
};

// A table of the blocks and their ranks: its lines.
ASHLAR_INLINE std::vector<std::string> table_of(blocks const& b, layout_value const& layout, mesh_shape const& mesh);

ASHLAR_INLINE void draw_shards(std::ostream& out, layout_value const& layout, mesh_shape const& mesh,
                               shape const& extents);

// A table of the cells that each rank stores.
ASHLAR_INLINE void draw_stored_cells(std::ostream& out, layout_value const& layout,
                                     layout_detail::halo_widths const& widths, mesh_shape const& mesh,
                                     shape const& extents, char const* state);

// The layout of the owned cells as a value.
template <class M, class L>
constexpr layout_value drawn_layout() {
  return layout_detail::value_v<mesh_context<M, L>, owned_layout_t<L>>;
}
template <class L>
constexpr bool check_drawn_halo() {
  static_assert(!layout_detail::halo_is_missing<L>,
                "ashlar::planning::draw: the layout has no halo; leave with_halos out");
  return layout_detail::layout_has_a_halo<L>::value;
}

}  // namespace ashlar::plan_detail

namespace ashlar::planning {

/// Draws the blocks of a tensor and the ranks that hold them. Up to two dimensions are a grid (dimension 0 downwards)
/// with index ranges at its borders and ranks in its cells. More dimensions are a table of regions. Replicas are
/// separated by commas, "0,2". Ranks that hold terms of one reduction are joined, "0+2". The drawing fits 80 columns:
/// of many blocks the first and the last are shown.
/// Example: planning::draw<layout<"x", "y">>(std::cout, mesh<axis<"x">, axis<"y">>{{2, 2}}, {7, 10})
template <class L, class... Axes>
void draw(std::ostream& out, mesh<Axes...> const& m, shape const& extents) {
  using M = mesh<Axes...>;
  static_assert(
      !plan_detail::axes_missing_from_mesh<M, L>::value,
      "ashlar::planning::draw: the layout names an axis that the mesh does not have; use one of the mesh's axes");
  if (extents.rank != L::rank) meta_detail::fail("ashlar::planning::draw: give one extent per dimension of the layout");
  plan_detail::draw_shards(out, plan_detail::drawn_layout<M, L>(), m.sizes(), extents);
}
template <class L, std::size_t N, class... Axes>
void draw(std::ostream& out, mesh<Axes...> const& m, index_t const (&extents)[N]) {
  draw<L>(out, m, plan_detail::checked_extents<L>(extents));
}
/// Draws a tensor. On a device_mesh rank 0 writes; nothing is communicated, and the other ranks need not call it.
template <plain_tensor X>
void draw(std::ostream& out, X const& x) {
  if constexpr (requires { x.mesh().rank(); })
    if (x.mesh().rank() != 0) return;
  plan_detail::draw_shards(out, plan_detail::drawn_layout<mesh_t<X>, layout_t<X>>(), x.mesh().sizes(), x.extents());
}

/// The same, and then a table of the cells that each rank stores. Its owned cells are in brackets, and cells of other ranks
/// beside them. Cells beyond the domain have the name of their boundary. The last line says what the halo holds.
/// Error: does not compile without a halo.
/// Example: planning::draw<layout<halo("y", 1), none>>(std::cout, grid{{2, 1}}, {4, 3}, with_halos)
///   // rank 0 stores: zero -1:0 [0:2] 2:3
template <class L, class... Axes>
void draw(std::ostream& out, mesh<Axes...> const& m, shape const& extents, layout_detail::show_halos) {
  draw<L>(out, m, extents);
  if constexpr (plan_detail::check_drawn_halo<L>())
    plan_detail::draw_stored_cells(out, plan_detail::drawn_layout<mesh<Axes...>, L>(),
                                   layout_detail::halo_of<L>::widths, m.sizes(), extents,
                                   layout_detail::halo_state_text<L>());
}
template <class L, std::size_t N, class... Axes>
void draw(std::ostream& out, mesh<Axes...> const& m, index_t const (&extents)[N], layout_detail::show_halos) {
  draw<L>(out, m, plan_detail::checked_extents<L>(extents), with_halos);
}
template <plain_tensor X>
void draw(std::ostream& out, X const& x, layout_detail::show_halos) {
  using L = layout_t<X>;
  draw(out, x);
  if constexpr (plan_detail::check_drawn_halo<L>()) {
    if constexpr (requires { x.mesh().rank(); })
      if (x.mesh().rank() != 0) return;
    plan_detail::draw_stored_cells(out, plan_detail::drawn_layout<mesh_t<X>, L>(), layout_detail::halo_of<L>::widths,
                                   x.mesh().sizes(), x.extents(), layout_detail::halo_state_text<L>());
  }
}

}  // namespace ashlar::planning

#if ASHLAR_IMPL
#include "ashlar/plan/impl/draw.ipp"
#endif
