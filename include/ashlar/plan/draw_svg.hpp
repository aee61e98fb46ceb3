// Pictures of layouts as SVG. Needs neither MPI nor Kokkos.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/plan/draw.hpp"
#include <cstddef>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

namespace ashlar {

namespace plan_detail {

// Fills of blocks: eight light colours that printers and most colour-blind readers tell apart.
inline constexpr char const* block_colours[] = {"#8dd3c7", "#ffffb3", "#bebada", "#fb8072",
                                                "#80b1d3", "#fdb462", "#b3de69", "#fccde5"};
inline constexpr int picture_width = 480, picture_height = 320, picture_border = 40;

// The runs of consecutive indices of a set, to scale: pairs of a first and a last pixel.
ASHLAR_INLINE std::vector<interval> scaled_runs(index_set const& s, index_t extent, int pixels);

ASHLAR_INLINE std::string svg_text(index_t x, index_t y, std::string const& text);

// Draws a block: one rectangle per pair of runs, hatched if the layout is partial, with its ranks in the first one.
ASHLAR_INLINE void draw_block(std::ostream& out, std::vector<interval> const& down, std::vector<interval> const& right,
                              char const* colour, bool partial, std::string const& ranks);

ASHLAR_INLINE void draw_picture(std::ostream& out, blocks const& b, layout_value const& layout, mesh_shape const& mesh,
                                shape const& extents);

}  // namespace plan_detail

/// Writes a picture of the blocks of a tensor, and the ranks that hold them, as a file of SVG. Blocks are to scale.
/// Dimension 0 is drawn downwards and dimension 1 to the right. Replicas are separated by commas, "0,2". Ranks that hold
/// terms of one reduction are joined, "0+2", and their blocks are hatched. Ranks without elements are listed below.
/// Pre: the layout has at most two dimensions; `draw` prints more.
/// Error: ashlar::error if the extents are not one per dimension. A layout with an axis that the mesh lacks, or with more
///   dimensions, does not compile.
/// Example: draw_svg<layout<"x", "y">>(file, mesh<axis<"x">, axis<"y">>{{2, 2}}, {7, 10})
template <class L, class... Axes>
void draw_svg(std::ostream& out, mesh<Axes...> const& m, shape const& extents) {
  using M = mesh<Axes...>;
  static_assert(!plan_detail::axes_missing_from_mesh<M, L>::value,
                "ashlar::draw_svg: the layout names an axis that the mesh does not have; use one of the mesh's axes");
  static_assert(L::rank <= 2, "ashlar::draw_svg: a picture has at most 2 dimensions; print more dimensions by draw");
  if (extents.rank != L::rank) meta_detail::fail("ashlar::draw_svg: give one extent per dimension of the layout");
  layout_value const layout = layout_detail::value_v<plan_detail::mesh_context<M, L>, L>;
  plan_detail::draw_picture(out, plan_detail::blocks(layout, m.sizes(), extents), layout, m.sizes(), extents);
}
template <class L, int N, class... Axes>
void draw_svg(std::ostream& out, mesh<Axes...> const& m, index_t const (&extents)[N]) {
  draw_svg<L>(out, m, plan_detail::checked_extents<L>(extents));
}

}  // namespace ashlar

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/plan/compiled/draw_svg.hpp"
#endif
