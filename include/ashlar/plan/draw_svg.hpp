// SPDX-License-Identifier: BSL-1.0
// Pictures of layouts as SVG. Needs neither MPI nor Kokkos.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/layout/halo.hpp"
#include "ashlar/plan/draw.hpp"
#include "ashlar/plan/print.hpp"
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace ashlar::plan_detail {

// Colours of blocks: eight light ones that printers and most colour-blind readers tell apart, and grey for blocks
// without a hue. The same colours, darker, are for frames.
inline constexpr unsigned light_colours[] = {0x8dd3c7, 0xffffb3, 0xbebada, 0xfb8072, 0x80b1d3,
                                             0xfdb462, 0xb3de69, 0xfccde5, 0xd9d9d9};
inline constexpr unsigned dark_colours[] = {0x1b7f6b, 0x8a7d00, 0x5b4fa0, 0xb02318, 0x22618f,
                                            0xa85e00, 0x55801a, 0xa8477c, 0x606060};
inline constexpr int hues = 8, grey = 8;
inline constexpr int picture_width = 480, picture_height = 320, picture_border = 40, legend_height = 40;
// The room that a text needs, in pixels: per letter, and in height.
inline constexpr int letter_width = 8, letter_height = 14;
// Of a picture of three dimensions: its front, and the depth, which goes to the right and up by as many pixels.
inline constexpr int front_width = 320, front_height = 240, front_depth = 120;

// A colour of SVG. Darkness 0 is the light colour and 100 the dark one.
ASHLAR_INLINE std::string colour_text(int hue, int darkness);

// The axes that colour blocks. The coordinate along one gives the hue. The position among the others makes it darker.
struct axis_colours {
  int hue = -1;
  axis_mask shade = 0;
};

// Of the axes that shard, the first one of the mesh gives the hue. Axes of size 1 colour nothing.
ASHLAR_INLINE axis_colours colours_by(axis_mask sharding, mesh_shape const& mesh);

// A tensor to draw.
struct drawn_tensor {
  layout_value layout;
  mesh_shape mesh;
  shape extents;
  axis_colours colours;

  std::string colour(int rank, int more_darkness = 0) const;
};

// Indices of a tensor of up to three dimensions: their runs of consecutive ones, per dimension.
struct index_runs {
  std::vector<interval> dim[3];
};

// The indices that two regions have in common.
ASHLAR_INLINE index_runs common_runs(region const& a, region const& b);

// The looks of some elements. Those that are partial are hatched, those that arrive are dotted.
struct looks {
  std::string colour, text;
  bool partial = false, arrives = false;
};

// A text, with the characters that SVG reserves replaced.
ASHLAR_INLINE std::string svg_text(index_t x, index_t y, std::string const& text, char const* attributes = "");

// The first lines of a file of SVG.
ASHLAR_INLINE std::string svg_begin(int width, int height);

// Draws elements: a rectangle per pair of runs, with the text in the first one that has room for it. Of three
// dimensions it draws the parts of three faces.
ASHLAR_INLINE void draw_elements(std::ostream& out, index_runs const& runs, shape const& extents, looks const& l);

// The extents, beside the picture.
ASHLAR_INLINE void draw_extents(std::ostream& out, shape const& extents);

ASHLAR_INLINE void draw_picture(std::ostream& out, drawn_tensor const& t, char const* const* names,
                                layout_detail::halo_widths const& widths = layout_detail::halo_widths{});

}  // namespace ashlar::plan_detail

namespace ashlar::planning {

/// Writes a picture of the blocks of a tensor, and the ranks that hold them, as a file of SVG. Blocks are to scale.
/// Dimension 0 is drawn downwards and dimension 1 to the right. Of three dimensions the picture has three faces:
/// dimension 0 goes to the back, 1 downwards and 2 to the right. More dimensions are a table. Replicas are separated by
/// commas, "0,2". Ranks that hold terms of one reduction are joined, "0+2", and their blocks are hatched. Dashed
/// frames, in up to two dimensions, have the halo cells too. Ranks without elements are listed below. A block that is
/// too small for the text of its ranks has none. Of the axes that shard the tensor, the first one of the mesh gives the
/// hue: blocks of one coordinate have one hue. The others make it darker, by the position among them. Below, a legend
/// names the axes, also those over which there are copies or terms of a reduction. A tensor that is not sharded is grey.
/// Error: ashlar::error if the extents are not one per dimension. A layout with an axis that the mesh lacks does not
///   compile.
/// Example: planning::draw_svg<layout<"x", "y">>(file, mesh<axis<"x">, axis<"y">>{{2, 2}}, {7, 10})
template <class L, class... Axes>
void draw_svg(std::ostream& out, mesh<Axes...> const& m, shape const& extents) {
  using M = mesh<Axes...>;
  using owned = typename layout_detail::halo_of<L>::owned;
  static_assert(
      !plan_detail::axes_missing_from_mesh<M, owned>::value,
      "ashlar::planning::draw_svg: the layout names an axis that the mesh does not have; use one of the mesh's axes");
  if (extents.rank != L::rank)
    meta_detail::fail("ashlar::planning::draw_svg: give one extent per dimension of the layout");
  layout_value const layout = layout_detail::value_v<plan_detail::mesh_context<M, owned>, owned>;
  layout_detail::halo_widths widths;
  if constexpr (layout_detail::layout_has_a_halo<L>::value) widths = layout_detail::halo_of<L>::widths;
  plan_detail::draw_picture(out, {layout, m.sizes(), extents, plan_detail::colours_by(layout.sharding(), m.sizes())},
                            plan_detail::axis_texts<M>, widths);
}
template <class L, std::size_t N, class... Axes>
void draw_svg(std::ostream& out, mesh<Axes...> const& m, index_t const (&extents)[N]) {
  draw_svg<L>(out, m, plan_detail::checked_extents<L>(extents));
}

}  // namespace ashlar::planning

#if ASHLAR_IMPL
#include "ashlar/plan/impl/draw_svg.ipp"
#endif
