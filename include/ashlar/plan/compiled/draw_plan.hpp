// The functions of plan/draw_plan.hpp.
#pragma once
#include <algorithm>
#include <sstream>
#include "ashlar/plan/draw_plan.hpp"

namespace ashlar::plan_detail {

ASHLAR_INLINE std::string text_at(int x, int y, std::string const& text, char const* attributes = "") {
  std::string escaped;
  for (char const c : text) escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"" + attributes + ">" + escaped +
         "</text>\n";
}

ASHLAR_INLINE std::string rows_of_pictures(std::vector<std::vector<panel>> const& rows) {
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
  int width = 0, height = 0;
  std::string body;
  for (auto const& row : rows) {
    int x = 0, tallest = 0;
    for (panel const& p : row) tallest = std::max(tallest, height_of(p.svg) / 2);
    for (panel const& p : row) {
      body += text_at(x + panel_width / 2, height + 20, p.caption, " font-family=\"monospace\" font-size=\"13\"");
      body += "<g transform=\"translate(" + std::to_string(x + 20) + "," + std::to_string(height + caption_height) +
              ") scale(0.5)\">\n" + larger_text(p.svg) + "</g>\n";
      x += panel_width;
      if (p.arrow.empty()) continue;
      int const y = height + caption_height + tallest / 2;
      for (std::size_t k = 0; k < p.arrow.size(); ++k)  // the first line above the arrow, the others below
        body += text_at(x + arrow_width / 2, k == 0 ? y - 10 : y + 2 + 18 * static_cast<int>(k), p.arrow[k]);
      body += "<path d=\"M" + std::to_string(x) + " " + std::to_string(y) + "h" + std::to_string(arrow_width - 8) +
              "\" stroke=\"black\" marker-end=\"url(#head)\"/>\n";
      x += arrow_width;
    }
    width = std::max(width, x);
    height += caption_height + tallest;
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
         std::to_string(height) +
         "\" font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n"
         "<marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refY=\"4\" orient=\"auto\"><path d=\"M0 0L8 4L0 "
         "8z\"/></marker>\n" +
         body + "</svg>\n";
}

ASHLAR_INLINE std::vector<panel> panels_of(redistribution_plan const& p, mesh_shape const& mesh, shape const& extents,
                                           index_t element_bytes, char const* const* names) {
  std::vector<panel> out;
  auto const add = [&](layout_value const& v) {
    std::ostringstream svg;
    draw_picture(svg, blocks(v, mesh, extents), v, mesh, extents);
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

}  // namespace ashlar::plan_detail
