// The functions of plan/draw_svg.hpp.
#pragma once
#include "ashlar/plan/draw_svg.hpp"

namespace ashlar::plan_detail {

ASHLAR_INLINE std::vector<interval> scaled_runs(index_set const& s, index_t extent, int pixels) {
  std::vector<interval> runs;
  auto const to_pixel = [&](index_t i) { return picture_border + i * pixels / extent; };
  for (index_t i = 0, n = 0; i < s.size(); i += n) {
    n = s.run(i);
    runs.push_back({to_pixel(s[i]), to_pixel(s[i] + n)});
  }
  return runs;
}

ASHLAR_INLINE std::string svg_text(index_t x, index_t y, std::string const& text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\">" + text + "</text>\n";
}

ASHLAR_INLINE void draw_block(std::ostream& out, std::vector<interval> const& down, std::vector<interval> const& right,
                              char const* colour, bool partial, std::string const& ranks) {
  bool named = false;
  for (interval const& y : down)
    for (interval const& x : right) {
      std::string const box = "<rect x=\"" + std::to_string(x.begin) + "\" y=\"" + std::to_string(y.begin) +
                              "\" width=\"" + std::to_string(x.size()) + "\" height=\"" + std::to_string(y.size()) +
                              "\" fill=\"";
      out << box << colour << "\" stroke=\"black\"/>\n";
      if (partial) out << box << "url(#partial)\"/>\n";
      if (!named) out << svg_text((x.begin + x.end) / 2, (y.begin + y.end) / 2 + 5, ranks);
      named = true;
    }
}

ASHLAR_INLINE void draw_picture(std::ostream& out, blocks const& b, layout_value const& layout, mesh_shape const& mesh,
                                shape const& extents) {
  int const height = layout.rank == 2 ? picture_height : picture_border;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << picture_width + 2 * picture_border << "\" height=\""
      << height + 2 * picture_border << "\" font-family=\"sans-serif\" font-size=\"14\" text-anchor=\"middle\">\n"
      << "<pattern id=\"partial\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 8L8 0\" "
         "stroke=\"black\" stroke-width=\"0.5\"/></pattern>\n";
  std::vector<interval> const all_rows{{picture_border, picture_border + height}},
      all_columns{{picture_border, picture_border + picture_width}};
  for (std::size_t i = 0; i < b.part.size(); ++i) {
    auto const down = layout.rank == 2 ? scaled_runs(b.part[i].dim[0], extents[0], height) : all_rows;
    auto const right = layout.rank == 0
                           ? all_columns
                           : scaled_runs(b.part[i].dim[layout.rank - 1], extents[layout.rank - 1], picture_width);
    draw_block(out, down, right, block_colours[i % std::size(block_colours)], layout.levels != 0,
               ranks_text(b.ranks[i], layout, mesh));
  }
  if (layout.rank > 0)
    out << svg_text(picture_border + picture_width / 2, picture_border - 12, std::to_string(extents[layout.rank - 1]));
  if (layout.rank == 2) out << svg_text(picture_border / 2, picture_border + height / 2, std::to_string(extents[0]));
  if (!b.without_elements.empty())
    out << svg_text(picture_border + picture_width / 2, picture_border + height + 25,
                    "no elements: ranks " + listed(b.without_elements, ","));
  out << "</svg>\n";
}

}  // namespace ashlar::plan_detail
