// SPDX-License-Identifier: BSL-1.0
// The functions of plan/draw_plan.hpp.
#include <algorithm>
#include <sstream>

namespace ashlar::plan_detail {

ASHLAR_INLINE void picture_rows::add(std::vector<panel> const& row) {
  int constexpr panel_width = 320, arrow_width = 120, caption_height = 30;
  // The height that a picture gives itself.
  auto const height_of = [](std::string const& svg) {
    auto const at = svg.find("height=\"") + 8;
    return std::stoi(svg.substr(at, svg.find('"', at) - at));
  };
  // The same picture with text that can still be read at half its size.
  auto const larger_text = [](std::string svg) {
    std::string const size = "font-size=\"14\"";
    return svg.replace(svg.find(size), size.size(), "font-size=\"26\"");
  };
  int x = 0, tallest = 0;
  for (panel const& p : row) tallest = (std::max)(tallest, height_of(p.svg) / 2);
  for (panel const& p : row) {
    body += svg_text(x + panel_width / 2, height + 20, p.caption, " font-family=\"monospace\" font-size=\"13\"");
    body += "<g transform=\"translate(" + std::to_string(x + 20) + "," + std::to_string(height + caption_height) +
            ") scale(0.5)\">\n" + larger_text(p.svg) + "</g>\n";
    x += panel_width;
    if (p.arrow.empty()) continue;
    int const y = height + caption_height + tallest / 2;
    for (std::size_t k = 0; k < p.arrow.size(); ++k)  // the first line above the arrow, the others below
      body += svg_text(x + arrow_width / 2, k == 0 ? y - 10 : y + 2 + 18 * static_cast<int>(k), p.arrow[k]);
    body += "<path d=\"M" + std::to_string(x) + " " + std::to_string(y) + "h" + std::to_string(arrow_width - 8) +
            "\" stroke=\"black\" marker-end=\"url(#head)\"/>\n";
    x += arrow_width;
  }
  width = (std::max)(width, x);
  height += caption_height + tallest;
}

ASHLAR_INLINE void picture_rows::add(std::string const& line) {
  body += svg_text(20, height + 20, line, " text-anchor=\"start\"");
  height += 30;
}

ASHLAR_INLINE std::string picture_rows::file() const {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
         std::to_string(height) +
         "\" font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n"
         "<marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refY=\"4\" orient=\"auto\"><path d=\"M0 0L8 4L0 "
         "8z\"/></marker>\n" +
         body + "</svg>\n";
}

// The layouts between the steps of a plan, with the steps as arrows.
ASHLAR_INLINE std::vector<panel> panels_of(redistribution_plan const& p, mesh_shape const& mesh, shape const& extents,
                                           axis_colours colours, index_t element_bytes, char const* const* names) {
  std::vector<panel> out;
  auto const add = [&](layout_value const& v) {
    std::ostringstream svg;
    draw_picture(svg, {v, mesh, extents, colours}, names);
    out.push_back({svg.str(), to_string(v, names), {}});
  };
  add(p.layout(0));
  for (plan_step const& s : p.steps()) {
    out.back().arrow = {to_text(s.what)};
    if (s.axes) out.back().arrow.push_back("over " + joined(s.axes, names));
    if (index_t const bytes = step_bytes(s, extents, mesh, element_bytes); bytes != 0)
      out.back().arrow.push_back(std::to_string(bytes) + " bytes");
    add(s.to);
  }
  return out;
}

// The elements of a rank after a plan, each in the colour of the rank that held it before. Those that arrive are
// dotted. Of many ranks it shows the first two and the last.
ASHLAR_INLINE std::vector<panel> panels_of_change(redistribution_plan const& p, mesh_shape const& mesh,
                                                  shape const& extents, axis_colours colours) {
  drawn_tensor const before{p.layout(0), mesh, extents, colours};
  layout_value const to = p.layout(p.size);
  bool const reduced = mesh.ranks(before.layout.partial() & ~to.partial()) > 1;
  blocks const held(before.layout, mesh, extents);
  region const whole = local_region(extents, layout_value{extents.rank}, mesh, 0);
  std::vector<panel> out;
  for (int r : drawn(mesh.ranks(), 4)) {
    if (r < 0) continue;
    region const mine = local_region(extents, to, mesh, r);
    index_t arrive = 0;
    std::ostringstream svg;
    int const height = extents.rank == 3   ? front_height + front_depth
                       : extents.rank == 2 ? picture_height
                                           : picture_border;
    svg << svg_begin(picture_width + 2 * picture_border, height + 2 * picture_border);
    draw_elements(svg, common_runs(whole, whole), extents, {"white", "", false, false});
    for (std::size_t i = 0; i < held.part.size(); ++i) {
      index_t const common = layout_detail::common_size(mine, held.part[i]);
      if (common == 0) continue;
      bool arrives = true;
      for (int const holder : held.ranks[i]) arrives = arrives && (reduced || holder != r);
      arrive += arrives ? common : 0;
      draw_elements(svg, common_runs(mine, held.part[i]), extents,
                    {before.colour(held.ranks[i][0]), ranks_text(held.ranks[i], before.layout, mesh),
                     before.layout.levels != 0, arrives});
    }
    draw_extents(svg, extents);
    svg << "</svg>\n";
    out.push_back(
        {svg.str(),
         "rank " + std::to_string(r) + ": " + std::to_string(arrive) + " of " + std::to_string(mine.size()) + " arrive",
         {}});
  }
  return out;
}

ASHLAR_INLINE std::string plan_picture(redistribution_plan const& p, mesh_shape const& mesh, shape const& extents,
                                       index_t element_bytes, char const* const* names) {
  axis_mask sharding = 0;
  for (int i = 0; i <= p.size; ++i) sharding |= p.layout(i).sharding();
  axis_colours const colours = colours_by(sharding, mesh);  // so a rank has one colour in all pictures
  picture_rows rows;
  rows.add(panels_of(p, mesh, extents, colours, element_bytes, names));
  if (p.size != 0 && extents.rank <= 3 && extents.size() != 0) {
    rows.add("After the plan, with the ranks that held the elements before. Dotted elements arrive:");
    rows.add(panels_of_change(p, mesh, extents, colours));
  }
  return rows.file();
}

}  // namespace ashlar::plan_detail
