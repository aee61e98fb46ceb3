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

ASHLAR_INLINE std::string svg_begin(int width, int height) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
         std::to_string(height) +
         "\" font-family=\"sans-serif\" font-size=\"14\" text-anchor=\"middle\">\n"
         "<pattern id=\"partial\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 8L8 0\" "
         "stroke=\"black\" stroke-width=\"0.5\"/></pattern>\n";
}

// The dimensions of a face, and the way of its pixels: u to the right, v down.
struct face {
  int fixed, right, down;
  index_t at;  // the index in the fixed dimension
  int width, height, x, right_up, down_right, down_up;

  std::string point(index_t u, index_t v) const {
    return std::to_string(x + u + down_right * v) + " " +
           std::to_string(picture_border + front_depth + (down_up ? -v : v) - right_up * u);
  }
  std::string corners(interval const& u, interval const& v) const {
    return "<path d=\"M" + point(u.begin, v.begin) + "L" + point(u.end, v.begin) + "L" + point(u.end, v.end) + "L" +
           point(u.begin, v.end) + "Z\" fill=\"";
  }
};

ASHLAR_INLINE void draw_faces(std::ostream& out, blocks const& b, layout_value const& layout, mesh_shape const& mesh,
                              shape const& extents) {
  int constexpr left = picture_border, right = left + front_width;
  face const faces[] = {{1, 2, 0, 0, front_width, front_depth, left, 0, 1, 1},
                        {2, 0, 1, extents[2] - 1, front_depth, front_height, right, 1, 0, 0},
                        {0, 2, 1, 0, front_width, front_height, left, 0, 0, 0}};
  for (face const& f : faces)
    for (std::size_t i = 0; i < b.part.size(); ++i) {
      if (b.part[i].dim[f.fixed].find(f.at) < 0) continue;
      bool named = false;
      for (interval v : scaled_runs(b.part[i].dim[f.down], extents[f.down], f.height))
        for (interval u : scaled_runs(b.part[i].dim[f.right], extents[f.right], f.width)) {
          u = {u.begin - picture_border, u.end - picture_border};
          interval const w{v.begin - picture_border, v.end - picture_border};
          out << f.corners(u, w) << block_colours[i % std::size(block_colours)] << "\" stroke=\"black\"/>\n";
          if (layout.levels != 0) out << f.corners(u, w) << "url(#partial)\"/>\n";
          if (named) continue;
          named = true;
          index_t const middle = (u.begin + u.end) / 2, centre = (w.begin + w.end) / 2;
          out << svg_text(f.x + middle + f.down_right * centre,
                          picture_border + front_depth + (f.down_up ? -centre : centre) - f.right_up * middle + 5,
                          ranks_text(b.ranks[i], layout, mesh));
        }
    }
  int constexpr bottom = picture_border + front_depth + front_height;
  out << svg_text(left + front_width / 2, bottom + 18, std::to_string(extents[2]))
      << svg_text(left / 2, bottom - front_height / 2, std::to_string(extents[1]))
      << svg_text(right + front_depth / 2 + 18, bottom - front_depth / 2 + 14, std::to_string(extents[0]));
}

ASHLAR_INLINE void draw_frame(std::ostream& out, region const& owned, layout_detail::halo_widths const& widths,
                              shape const& extents, std::size_t block) {
  int const inset = block % 2 == 0 ? 3 : 7;
  interval side[2] = {{picture_border, picture_border + picture_border},
                      {picture_border, picture_border + picture_width}};
  for (int d = 0; d < extents.rank; ++d) {
    index_set const stored(std::max<index_t>(owned.dim[d].begin - widths.dim[d].lower, 0),
                           std::min<index_t>(owned.dim[d].end + widths.dim[d].upper, extents[d]));
    bool const is_down = extents.rank == 2 && d == 0;
    side[is_down ? 0 : 1] = scaled_runs(stored, extents[d], is_down ? picture_height : picture_width)[0];
  }
  out << "<rect x=\"" << side[1].begin + inset << "\" y=\"" << side[0].begin + inset << "\" width=\""
      << side[1].size() - 2 * inset << "\" height=\"" << side[0].size() - 2 * inset << "\" fill=\"none\" stroke=\""
      << frame_colours[block % std::size(frame_colours)] << "\" stroke-width=\"3\" stroke-dasharray=\"8 5\"/>\n";
}

ASHLAR_INLINE void draw_picture(std::ostream& out, blocks const& b, layout_value const& layout, mesh_shape const& mesh,
                                shape const& extents, layout_detail::halo_widths const& widths) {
  int width = picture_width, height = layout.rank == 2 ? picture_height : picture_border;
  std::vector<std::string> table;
  if (layout.rank == 3) width = front_width + front_depth, height = front_height + front_depth;
  if (layout.rank > 3) table = table_of(b, layout, mesh), height = 20 * static_cast<int>(table.size());
  out << svg_begin(width + 2 * picture_border, height + 2 * picture_border);
  if (layout.rank == 3) draw_faces(out, b, layout, mesh, extents);
  for (std::size_t k = 0; k < table.size(); ++k)
    out << "<text x=\"" << picture_border << "\" y=\"" << picture_border + 20 * k + 15
        << "\" text-anchor=\"start\" font-family=\"monospace\" xml:space=\"preserve\">" << table[k] << "</text>\n";
  std::vector<interval> const all_rows{{picture_border, picture_border + height}},
      all_columns{{picture_border, picture_border + picture_width}};
  for (std::size_t i = 0; i < b.part.size() && layout.rank <= 2; ++i) {
    auto const down = layout.rank == 2 ? scaled_runs(b.part[i].dim[0], extents[0], height) : all_rows;
    auto const right = layout.rank == 0
                           ? all_columns
                           : scaled_runs(b.part[i].dim[layout.rank - 1], extents[layout.rank - 1], picture_width);
    draw_block(out, down, right, block_colours[i % std::size(block_colours)], layout.levels != 0,
               ranks_text(b.ranks[i], layout, mesh));
  }
  if (layout.rank <= 2 && !(widths == layout_detail::halo_widths{}))
    for (std::size_t i = 0; i < b.part.size(); ++i) draw_frame(out, b.part[i], widths, extents, i);
  if (layout.rank == 1 || layout.rank == 2)
    out << svg_text(picture_border + picture_width / 2, picture_border - 12, std::to_string(extents[layout.rank - 1]));
  if (layout.rank == 2) out << svg_text(picture_border / 2, picture_border + height / 2, std::to_string(extents[0]));
  if (!b.without_elements.empty())
    out << svg_text(picture_border + width / 2, picture_border + height + (layout.rank == 3 ? 35 : 25),
                    "no elements: ranks " + listed(b.without_elements, ","));
  out << "</svg>\n";
}

}  // namespace ashlar::plan_detail
