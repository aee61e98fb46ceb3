// SPDX-License-Identifier: BSL-1.0
// Pictures of the way from one layout to another as SVG.
#pragma once
#include "ashlar/plan/candidates.hpp"
#include "ashlar/plan/draw_svg.hpp"
#include "ashlar/plan/links.hpp"
#include "ashlar/plan/print.hpp"
#include <ostream>
#include <string>
#include <vector>

namespace ashlar::plan_detail {

// One of several pictures: a file of SVG, the caption above it, and the lines of the arrow to the next picture.
struct panel {
  std::string svg, caption;
  std::vector<std::string> arrow;
};

// A file of SVG that holds rows of pictures, each at half its size.
struct picture_rows {
  std::string body;
  int width = 0, height = 0;

  void add(std::vector<panel> const& row);
  void add(std::string const& line);
  std::string file() const;
};

// The picture of a plan: its layouts with the steps between them, and below the elements of the ranks.
ASHLAR_INLINE std::string plan_picture(redistribution_plan const& p, mesh_shape const& mesh, shape const& extents,
                                       index_t element_bytes, char const* const* names);

}  // namespace ashlar::plan_detail

namespace ashlar::planning {

/// Writes a picture of the plan by which `redistribute` brings a tensor from one layout to another, as a file of SVG:
/// the layouts as draw_svg draws them, and between them the steps, with the bytes that the busiest rank receives. A
/// second row, in up to three dimensions, shows the elements of each rank after the plan. They have the colours of the
/// ranks that held them before. An element is dotted if it, or a term of it, arrives from another rank. Of more than
/// four ranks the row shows the first two and the last.
/// Error: ashlar::error if the extents are not one per dimension. Layouts with an axis that the mesh lacks, or with
///   different numbers of dimensions, do not compile.
/// Example: planning::draw_svg<layout<"x", none>, layout<none, "x">>(file, mesh<axis<"x">>{{4}}, {8, 8}, sizeof(double))
template <class From, class To, class... Axes>
void draw_svg(std::ostream& out, mesh<Axes...> const& m, shape const& extents, index_t element_bytes = 4) {
  using M = mesh<Axes...>;
  using c = plan_detail::mesh_context<M, From, To>;
  static_assert(
      !plan_detail::axes_missing_from_mesh<M, From>::value && !plan_detail::axes_missing_from_mesh<M, To>::value,
      "ashlar::planning::draw_svg: a layout names an axis that the mesh does not have; use one of the mesh's axes");
  static_assert(
      From::rank == To::rank,
      "ashlar::planning::draw_svg: the layouts have different numbers of dimensions; a redistribution keeps them");
  if constexpr (From::rank == To::rank) {
    if (extents.rank != From::rank)
      meta_detail::fail("ashlar::planning::draw_svg: give one extent per dimension of the layout");
    redistribution_plan const p =
        plan(layout_detail::value_v<c, From>, layout_detail::value_v<c, To>, extents, m.sizes(), element_bytes,
             (axis_mask{1} << M::axes) - 1, plan_detail::complete_links<M>());
    out << plan_detail::plan_picture(p, m.sizes(), extents, element_bytes, plan_detail::axis_texts<M>);
  }
}
template <class From, class To, std::size_t N, class... Axes>
void draw_svg(std::ostream& out, mesh<Axes...> const& m, index_t const (&extents)[N], index_t element_bytes = 4) {
  draw_svg<From, To>(out, m, plan_detail::checked_extents<From>(extents), element_bytes);
}

}  // namespace ashlar::planning

#if ASHLAR_IMPL
#include "ashlar/plan/impl/draw_plan.ipp"
#endif
