// Pictures of layouts as SVG. Needs neither MPI nor Kokkos.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/layout/halo.hpp"
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
// Frames: the same colours, darker.
inline constexpr char const* frame_colours[] = {"#1b7f6b", "#8a7d00", "#5b4fa0", "#b02318",
                                                "#22618f", "#a85e00", "#55801a", "#a8477c"};
inline constexpr int picture_width = 480, picture_height = 320, picture_border = 40;
// Of a picture of three dimensions: its front, and the depth, which goes to the right and up by as many pixels.
inline constexpr int front_width = 320, front_height = 240, front_depth = 120;

// The runs of consecutive indices of a set, to scale: pairs of a first and a last pixel.
ASHLAR_INLINE std::vector<interval> scaled_runs(index_set const& s, index_t extent, int pixels);

ASHLAR_INLINE std::string svg_text(index_t x, index_t y, std::string const& text);

// The first lines of a file of SVG.
ASHLAR_INLINE std::string svg_begin(int width, int height);

// Draws a block: one rectangle per pair of runs, hatched if the layout is partial, with its ranks in the first one.
ASHLAR_INLINE void draw_block(std::ostream& out, std::vector<interval> const& down, std::vector<interval> const& right,
                              char const* colour, bool partial, std::string const& ranks);

// Draws three faces of a tensor of three dimensions, each as the blocks that are seen there.
ASHLAR_INLINE void draw_faces(std::ostream& out, blocks const& b, layout_value const& layout, mesh_shape const& mesh,
                              shape const& extents);

// Draws a dashed frame around the cells that the ranks of a block store.
ASHLAR_INLINE void draw_frame(std::ostream& out, region const& owned, layout_detail::halo_widths const& widths,
                              shape const& extents, std::size_t block);

ASHLAR_INLINE void draw_picture(std::ostream& out, blocks const& b, layout_value const& layout, mesh_shape const& mesh,
                                shape const& extents,
                                layout_detail::halo_widths const& widths = layout_detail::halo_widths{});

}  // namespace plan_detail

/// Writes a picture of the blocks of a tensor, and the ranks that hold them, as a file of SVG. Blocks are to scale.
/// Dimension 0 is drawn downwards and dimension 1 to the right. Of three dimensions the picture has three faces: dimension
/// 0 goes to the back, 1 downwards and 2 to the right. More dimensions are a table. Replicas are separated by commas,
/// "0,2". Ranks that hold terms of one reduction are joined, "0+2", and their blocks are hatched. Dashed frames, in up to
/// two dimensions, have the halo cells too. Ranks without elements are listed below.
/// Error: ashlar::error if the extents are not one per dimension. A layout with an axis that the mesh lacks does not
///   compile.
/// Example: draw_svg<layout<"x", "y">>(file, mesh<axis<"x">, axis<"y">>{{2, 2}}, {7, 10})
template <class L, class... Axes>
void draw_svg(std::ostream& out, mesh<Axes...> const& m, shape const& extents) {
  using M = mesh<Axes...>;
  using owned = typename layout_detail::halo_of<L>::owned;
  static_assert(!plan_detail::axes_missing_from_mesh<M, owned>::value,
                "ashlar::draw_svg: the layout names an axis that the mesh does not have; use one of the mesh's axes");
  if (extents.rank != L::rank) meta_detail::fail("ashlar::draw_svg: give one extent per dimension of the layout");
  layout_value const layout = layout_detail::value_v<plan_detail::mesh_context<M, owned>, owned>;
  layout_detail::halo_widths widths;
  if constexpr (layout_detail::layout_has_a_halo<L>::value) widths = layout_detail::halo_of<L>::widths;
  plan_detail::draw_picture(out, plan_detail::blocks(layout, m.sizes(), extents), layout, m.sizes(), extents, widths);
}
template <class L, int N, class... Axes>
void draw_svg(std::ostream& out, mesh<Axes...> const& m, index_t const (&extents)[N]) {
  draw_svg<L>(out, m, plan_detail::checked_extents<L>(extents));
}

}  // namespace ashlar

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/plan/compiled/draw_svg.hpp"
#endif
