// SPDX-License-Identifier: BSL-1.0
// The functions of plan/draw_svg.hpp.
#include <algorithm>

namespace ashlar::plan_detail {

ASHLAR_INLINE std::string colour_text(int hue, int darkness) {
  std::string s = "#";
  for (int bits : {16, 8, 0}) {
    int const light = static_cast<int>(light_colours[hue] >> bits & 255u);
    int const dark = static_cast<int>(dark_colours[hue] >> bits & 255u);
    int const value = (std::max)(light + (dark - light) * darkness / 100, 0);
    s += "0123456789abcdef"[value / 16];
    s += "0123456789abcdef"[value % 16];
  }
  return s;
}

ASHLAR_INLINE axis_colours colours_by(axis_mask sharding, mesh_shape const& mesh) {
  axis_colours c;
  for (int a = 0; a < mesh.axes; ++a) {
    if (!(sharding >> a & 1u) || mesh.size[a] == 1) continue;
    if (c.hue < 0)
      c.hue = a;
    else
      c.shade |= axis_mask{1} << a;
  }
  return c;
}

// The darkness of a position among `positions`.
constexpr int darkness_of(int position, int positions) { return 60 * (position + 1) / positions; }

ASHLAR_INLINE std::string drawn_tensor::colour(int rank, int more_darkness) const {
  axis_mask const sharding = layout.sharding(), shade = colours.shade & sharding;
  bool const has_hue = colours.hue >= 0 && (sharding >> colours.hue & 1u);
  return colour_text(has_hue ? mesh.coordinate(rank, colours.hue) % hues : grey,
                     more_darkness + (shade ? darkness_of(mesh.position(rank, shade), mesh.ranks(shade)) : 0));
}

ASHLAR_INLINE index_runs common_runs(region const& a, region const& b) {
  index_runs c;
  for (int d = 0; d < a.rank; ++d)
    layout_detail::for_each_common_run(a.dim[d], b.dim[d], [&](index_t length, index_t i, index_t) {
      c.dim[d].push_back({a.dim[d][i], a.dim[d][i] + length});
    });
  return c;
}

// Runs to scale: pairs of a first and a last pixel.
ASHLAR_INLINE std::vector<interval> scaled_runs(std::vector<interval> const& runs, index_t extent, int pixels) {
  std::vector<interval> scaled;
  for (interval const& i : runs) scaled.push_back({i.begin * pixels / extent, i.end * pixels / extent});
  return scaled;
}

ASHLAR_INLINE std::string svg_text(index_t x, index_t y, std::string const& text, char const* attributes) {
  std::string escaped;
  for (char const c : text) escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"" + attributes + ">" + escaped +
         "</text>\n";
}

ASHLAR_INLINE std::string svg_begin(int width, int height) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
         std::to_string(height) +
         "\" font-family=\"sans-serif\" font-size=\"14\" text-anchor=\"middle\">\n"
         "<pattern id=\"partial\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 8L8 0\" "
         "stroke=\"black\" stroke-width=\"0.5\"/></pattern>\n"
         "<pattern id=\"arrives\" width=\"16\" height=\"16\" patternUnits=\"userSpaceOnUse\"><circle cx=\"8\" "
         "cy=\"8\" r=\"2.5\"/></pattern>\n";
}

// Centres a text of any size on its height. On a pattern the letters are above their white edges.
inline constexpr char const lowered[] = " dy=\".35em\"";
inline constexpr char const edged[] = " dy=\".35em\" stroke=\"white\" stroke-width=\"4\"";

// A face, or the rectangle of a tensor of up to two dimensions. A dimension of -1 is none. Pixels go by u to the right
// and by v down.
struct face {
  int fixed, right, down;
  index_t at;  // the index in the fixed dimension
  int width, height, x, y, right_up, down_right, down_up;

  index_t to_x(index_t u, index_t v) const { return x + u + down_right * v; }
  index_t to_y(index_t u, index_t v) const { return y + (down_up ? -v : v) - right_up * u; }
  std::string point(index_t u, index_t v) const {
    return std::to_string(to_x(u, v)) + " " + std::to_string(to_y(u, v));
  }
  std::string outline(interval const& u, interval const& v) const {
    if (fixed >= 0)
      return "<path d=\"M" + point(u.begin, v.begin) + "L" + point(u.end, v.begin) + "L" + point(u.end, v.end) + "L" +
             point(u.begin, v.end) + "Z\" fill=\"";
    return "<rect x=\"" + std::to_string(to_x(u.begin, v.begin)) + "\" y=\"" + std::to_string(to_y(u.begin, v.begin)) +
           "\" width=\"" + std::to_string(u.size()) + "\" height=\"" + std::to_string(v.size()) + "\" fill=\"";
  }
  bool has(index_runs const& runs) const {
    bool found = fixed < 0;
    if (fixed >= 0)
      for (interval const& i : runs.dim[fixed]) found = found || (i.begin <= at && at < i.end);
    return found;
  }
  void draw(std::ostream& out, index_runs const& runs, shape const& extents, looks const& l) const {
    auto const pixels = [&](int d, int most) {
      return d < 0 ? std::vector<interval>{{0, most}} : scaled_runs(runs.dim[d], extents[d], most);
    };
    bool named = l.text.empty();
    for (interval const& v : pixels(down, height))
      for (interval const& u : pixels(right, width)) {
        std::string const box = outline(u, v);
        out << box << l.colour << "\" stroke=\"black\"/>\n";
        if (l.partial) out << box << "url(#partial)\"/>\n";
        if (l.arrives) out << box << "url(#arrives)\"/>\n";
        bool const fits = v.size() >= letter_height && u.size() >= letter_width * static_cast<index_t>(l.text.size());
        if (named || !fits) continue;
        index_t const middle = (u.begin + u.end) / 2, centre = (v.begin + v.end) / 2;
        if (l.partial || l.arrives) out << svg_text(to_x(middle, centre), to_y(middle, centre), l.text, edged);
        out << svg_text(to_x(middle, centre), to_y(middle, centre), l.text, lowered);
        named = fixed >= 0;
      }
  }
};

ASHLAR_INLINE void draw_elements(std::ostream& out, index_runs const& runs, shape const& extents, looks const& l) {
  int constexpr left = picture_border, right = left + front_width, top = picture_border + front_depth;
  if (extents.rank == 3) {
    face const faces[] = {{1, 2, 0, 0, front_width, front_depth, left, top, 0, 1, 1},
                          {2, 0, 1, extents[2] - 1, front_depth, front_height, right, top, 1, 0, 0},
                          {0, 2, 1, 0, front_width, front_height, left, top, 0, 0, 0}};
    for (face const& f : faces)
      if (f.has(runs)) f.draw(out, runs, extents, l);
    return;
  }
  int const down = extents.rank == 2 ? 0 : -1, height = extents.rank == 2 ? picture_height : picture_border;
  face{-1, extents.rank - 1, down, 0, picture_width, height, left, picture_border, 0, 0, 0}.draw(out, runs, extents, l);
}

ASHLAR_INLINE void draw_extents(std::ostream& out, shape const& extents) {
  int constexpr left = picture_border, right = left + front_width, bottom = picture_border + front_depth + front_height;
  auto const text = [&](int d) { return std::to_string(extents[d]); };
  if (extents.rank == 1 || extents.rank == 2)
    out << svg_text(left + picture_width / 2, picture_border - 12, text(extents.rank - 1));
  if (extents.rank == 2) out << svg_text(left / 2, picture_border + picture_height / 2, text(0));
  if (extents.rank == 3)
    out << svg_text(left + front_width / 2, bottom + 24, text(2))
        << svg_text(left / 2, bottom - front_height / 2, text(1))
        << svg_text(right + front_depth / 2 + 18, bottom - front_depth / 2 + 14, text(0));
}

// Draws a dashed frame around the cells that the ranks of a block store.
ASHLAR_INLINE void draw_frame(std::ostream& out, region const& owned, layout_detail::halo_widths const& widths,
                              shape const& extents, std::string const& colour, std::size_t block) {
  int const inset = block % 2 == 0 ? 3 : 7;
  interval side[2] = {{0, picture_border}, {0, picture_width}};
  for (int d = 0; d < extents.rank; ++d) {
    interval const stored{std::max<index_t>(owned.dim[d].begin - widths.dim[d].lower, 0),
                          std::min<index_t>(owned.dim[d].end + widths.dim[d].upper, extents[d])};
    bool const is_down = extents.rank == 2 && d == 0;
    side[is_down ? 0 : 1] = scaled_runs({stored}, extents[d], is_down ? picture_height : picture_width)[0];
  }
  out << "<rect x=\"" << picture_border + side[1].begin + inset << "\" y=\"" << picture_border + side[0].begin + inset
      << "\" width=\"" << side[1].size() - 2 * inset << "\" height=\"" << side[0].size() - 2 * inset
      << "\" fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"3\" stroke-dasharray=\"8 5\"/>\n";
}

// The axes of the legend's lines: a mask for each, 0 if there is no such line.
struct legend_lines {
  axis_mask hue, shade, terms, copies;
  int count;

  explicit legend_lines(drawn_tensor const& t)
      : hue(t.colours.hue < 0 ? 0 : t.layout.sharding() & axis_mask{1} << t.colours.hue),
        shade(t.layout.sharding() & t.colours.shade),
        terms(0),
        copies(0) {
    for (int a = 0; a < t.mesh.axes; ++a)
      if (axis_mask const axis = axis_mask{1} << a; t.mesh.size[a] > 1 && !(t.layout.sharding() & axis))
        (t.layout.partial() & axis ? terms : copies) |= axis;
    count = (hue != 0) + (shade != 0) + (terms != 0) + (copies != 0);
    if (t.layout.rank > 3) count = 0;
  }
};

// Draws a circle per coordinate in its colour, beside the name of the axis: a line for the hue, and one for the shade. Other axes
// have terms or copies of the blocks.
ASHLAR_INLINE void draw_legend(std::ostream& out, drawn_tensor const& t, char const* const* names, int top) {
  int constexpr radius = 17;
  legend_lines const lines(t);
  int y = top + radius;
  auto const line = [&](axis_mask axes, bool is_hue) {
    if (!axes) return;
    int const coordinates = t.mesh.ranks(axes);
    int x = picture_border + radius;
    for (int k : drawn(coordinates, 8)) {
      if (k >= 0)
        out << "<circle cx=\"" << x << "\" cy=\"" << y << "\" r=\"" << radius << "\" fill=\""
            << (is_hue ? colour_text(k % hues, 0) : colour_text(grey, darkness_of(k, coordinates)))
            << "\" stroke=\"black\"/>\n";
      out << svg_text(x, y, k < 0 ? ".." : std::to_string(k), lowered);
      x += 2 * radius + 4;
    }
    out << svg_text(x - radius + 6, y, joined(axes, names), " dy=\".35em\" text-anchor=\"start\"");
    y += legend_height;
  };
  line(lines.hue, true);
  line(lines.shade, false);
  auto const words = [&](axis_mask axes, std::string const& what) {
    if (!axes) return;
    out << svg_text(picture_border, y, what + joined(axes, names), " dy=\".35em\" text-anchor=\"start\"");
    y += legend_height;
  };
  words(lines.terms, "hatched: terms over ");
  words(lines.copies, "copies over ");
}

ASHLAR_INLINE void draw_picture(std::ostream& out, drawn_tensor const& t, char const* const* names,
                                layout_detail::halo_widths const& widths) {
  blocks const b(t.layout, t.mesh, t.extents);
  int const rank = t.layout.rank, lines = legend_lines(t).count;
  int width = picture_width, height = rank == 2 ? picture_height : picture_border;
  std::vector<std::string> table;
  if (rank == 3) width = front_width + front_depth, height = front_height + front_depth;
  if (rank > 3) table = table_of(b, t.layout, t.mesh), height = 20 * static_cast<int>(table.size());
  out << svg_begin(width + 2 * picture_border, height + 2 * picture_border + lines * legend_height);
  for (std::size_t k = 0; k < table.size(); ++k)
    out << svg_text(picture_border, static_cast<index_t>(picture_border + 20 * k + 15), table[k],
                    " text-anchor=\"start\" font-family=\"monospace\" xml:space=\"preserve\"");
  for (std::size_t i = 0; i < b.part.size() && rank <= 3; ++i)
    draw_elements(out, common_runs(b.part[i], b.part[i]), t.extents,
                  {t.colour(b.ranks[i][0]), ranks_text(b.ranks[i], t.layout, t.mesh), t.layout.levels != 0, false});
  if (rank <= 2 && !(widths == layout_detail::halo_widths{}))
    for (std::size_t i = 0; i < b.part.size(); ++i)
      draw_frame(out, b.part[i], widths, t.extents, t.colour(b.ranks[i][0], 100), i);
  draw_extents(out, t.extents);
  if (!b.without_elements.empty())
    out << svg_text(picture_border + width / 2, picture_border + height + (rank == 3 ? 38 : 25),
                    "no elements: " + listed_ranks(b.without_elements));
  draw_legend(out, t, names, 2 * picture_border + height);
  out << "</svg>\n";
}

}  // namespace ashlar::plan_detail
