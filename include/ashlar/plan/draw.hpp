// Drawings of the blocks of a tensor and the ranks that hold them. Needs neither MPI nor Kokkos.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/layout/layout.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/plan/abstract_tensor.hpp"
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ashlar {

namespace plan_detail {

// Joins words. Of more than 4 words it shows the first two and the last.
ASHLAR_INLINE std::string listed(std::vector<std::string> const& words, char const* between);

// The text of the ranks that hold the same block: replicas, or groups of ranks that hold terms of one reduction.
ASHLAR_INLINE std::string ranks_text(std::vector<int> const& ranks, layout_value const& layout, mesh_shape const& mesh);

// The text of an index set: its runs of consecutive indices. Of more than two runs it shows the first and the last.
ASHLAR_INLINE std::string text_of(index_set const& s);

ASHLAR_INLINE std::string centred(std::string const& s, std::size_t width);

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

inline constexpr int drawing_width = 80, drawing_rows = 12;

// Draws dimension 0 downwards and dimension 1 to the right. A tensor with fewer dimensions is a single row.
ASHLAR_INLINE void draw_grid(std::ostream& out, blocks const& b, layout_value const& layout, mesh_shape const& mesh);

// A table of the blocks and their ranks: its lines.
ASHLAR_INLINE std::vector<std::string> table_of(blocks const& b, layout_value const& layout, mesh_shape const& mesh);

ASHLAR_INLINE void draw_table(std::ostream& out, blocks const& b, layout_value const& layout, mesh_shape const& mesh);

ASHLAR_INLINE void draw_shards(std::ostream& out, layout_value const& layout, mesh_shape const& mesh,
                               shape const& extents);

}  // namespace plan_detail

/// Draws the blocks of a tensor and the ranks that hold them. Up to two dimensions are a grid (dimension 0 downwards)
/// with index ranges at its borders and ranks in its cells. More dimensions are a table of regions. Replicas are
/// separated by commas, "0,2". Ranks that hold terms of one reduction are joined, "0+2". The drawing fits 80 columns:
/// of many blocks the first and the last are shown.
/// Example: draw<layout<"x", "y">>(std::cout, mesh<axis<"x">, axis<"y">>{{2, 2}}, {7, 10})
template <class L, class... Axes>
void draw(std::ostream& out, mesh<Axes...> const& m, shape const& extents) {
  using M = mesh<Axes...>;
  static_assert(!plan_detail::axes_missing_from_mesh<M, L>::value,
                "ashlar::draw: the layout names an axis that the mesh does not have; use one of the mesh's axes");
  if (extents.rank != L::rank) meta_detail::fail("ashlar::draw: give one extent per dimension of the layout");
  plan_detail::draw_shards(out, layout_detail::value_v<plan_detail::mesh_context<M, L>, L>, m.sizes(), extents);
}
template <class L, int N, class... Axes>
void draw(std::ostream& out, mesh<Axes...> const& m, index_t const (&extents)[N]) {
  draw<L>(out, m, plan_detail::checked_extents<L>(extents));
}
/// Draws a tensor. On a device_mesh rank 0 writes; nothing is communicated, and the other ranks need not call it.
template <plain_tensor X>
void draw(std::ostream& out, X const& x) {
  if constexpr (requires { x.mesh().rank(); })
    if (x.mesh().rank() != 0) return;
  plan_detail::draw_shards(out, layout_value_v<mesh_t<X>, layout_t<X>>, x.mesh().sizes(), x.extents());
}

}  // namespace ashlar

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/plan/compiled/draw.hpp"
#endif
