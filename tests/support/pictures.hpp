// Pictures of pages: draw_svg's pictures side by side, with arrows, frames and captions, and a ledger as bars.
#pragma once
#include <doctest/doctest.h>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>
#include "ashlar/plan/draw_svg.hpp"
#include "ashlar/plan/print.hpp"
#include "ashlar/plan/print_ledger.hpp"
#include "support/data.hpp"

namespace ashlar_test {

using namespace ashlar;

template <class L, class Mesh, int N>
std::string picture(Mesh const& m, index_t const (&extents)[N]) {
  std::ostringstream out;
  draw_svg<L>(out, m, extents);
  return out.str();
}

// Each picture of the pages is what the program draws. A picture that differs is written beside the test.
inline void check_picture(std::string const& name, std::string const& drawn) {
  std::ifstream file(testing::data_folder() / "../../docs/pictures" / name);
  std::string const committed(std::istreambuf_iterator<char>(file), {});
  if (committed != drawn) std::ofstream(name) << drawn;
  CHECK_MESSAGE(committed == drawn,
                "docs/pictures/" << name << " is not what draw_svg draws; the new picture is in " << name);
}

// One of several pictures: draw_svg's, a caption above it and, if another one follows, the arrow's text.
struct panel {
  std::string svg, caption, arrow;
};

inline std::string escaped(std::string const& text) {
  std::string out;
  for (char const c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

inline std::string text_at(int x, int y, std::string const& text, std::string const& attributes = "") {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"" + attributes + ">" + escaped(text) +
         "</text>\n";
}

// The height that a picture gives itself.
inline int height_of(std::string const& svg) {
  auto const at = svg.find("height=\"") + 8;
  return std::stoi(svg.substr(at, svg.find('"', at) - at));
}

// The same picture with text that can still be read at half its size.
inline std::string larger_text(std::string svg) {
  std::string const size = "font-size=\"14\"";
  return svg.replace(svg.find(size), size.size(), "font-size=\"26\"");
}

inline constexpr int panel_width = 320, arrow_width = 120, caption_height = 30;

// A file of SVG that holds rows of pictures, each at half its size.
inline std::string rows_of_pictures(std::vector<std::vector<panel>> const& rows) {
  int width = 0, height = 0;
  std::string body;
  for (auto const& row : rows) {
    int x = 0, tallest = 0;
    for (panel const& p : row) tallest = std::max(tallest, height_of(p.svg) / 2);
    for (panel const& p : row) {
      int const middle = x + panel_width / 2;
      body += text_at(middle, height + 20, p.caption, " font-family=\"monospace\" font-size=\"13\"");
      body += "<g transform=\"translate(" + std::to_string(x + 20) + "," + std::to_string(height + caption_height) +
              ") scale(0.5)\">\n" + larger_text(p.svg) + "</g>\n";
      x += panel_width;
      if (p.arrow.empty()) continue;
      int const y = height + caption_height + tallest / 2;
      auto const over = p.arrow.find(" over ");
      body += text_at(x + arrow_width / 2, y - 10, p.arrow.substr(0, over));
      if (over != p.arrow.npos) body += text_at(x + arrow_width / 2, y + 20, p.arrow.substr(over + 1));
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

// A plan as pictures of the layouts between its steps; the steps are the arrows.
template <class Mesh>
std::vector<panel> plan_pictures(redistribution_plan const& p, Mesh const& m, shape const& extents) {
  constexpr auto const& names = meta_detail::names_of_list<typename Mesh::names>::text;
  std::vector<panel> out;
  auto const add = [&](layout_value const& v) {
    std::ostringstream svg;
    plan_detail::draw_picture(svg, plan_detail::blocks(v, m.sizes(), extents), v, m.sizes(), extents);
    out.push_back({svg.str(), to_string(v, names), ""});
  };
  add(p.layout(0));
  for (plan_step const& s : p) {
    out.back().arrow = to_text(s.what);
    if (s.axes) out.back().arrow += " over " + plan_detail::joined(s.axes, names);
    add(s.to);
  }
  return out;
}

// A dashed frame around rows [begin, end) of a picture of `extent` rows.
inline std::string framed_rows(std::string svg, index_t begin, index_t end, index_t extent) {
  auto const pixel = [&](index_t i) { return plan_detail::picture_border + i * plan_detail::picture_height / extent; };
  svg.insert(svg.rfind("</svg>"),
             "<rect x=\"" + std::to_string(plan_detail::picture_border + 4) + "\" y=\"" + std::to_string(pixel(begin)) +
                 "\" width=\"" + std::to_string(plan_detail::picture_width - 8) + "\" height=\"" +
                 std::to_string(pixel(end) - pixel(begin)) +
                 "\" fill=\"none\" stroke=\"black\" stroke-width=\"5\" stroke-dasharray=\"14 8\"/>\n");
  return svg;
}

// A ledger as bars: one per record, as long as its bytes are many, coloured by its axes.
template <class Mesh, class Records>
std::string ledger_picture(ledger<Mesh, Records> const& log) {
  int constexpr line = 34, left = 250, longest = 400;
  index_t most = 1;
  int y = 0;
  std::string body;
  for (auto const& r : log) most = std::max(most, r.bytes_per_rank);
  for (auto const& r : log) {
    std::string axes;
    int first = -1;
    for (int a = 0; a < Mesh::axes; ++a)
      if (r.axes >> a & 1u) {
        axes += (axes.empty() ? "" : "+") + std::string(meta_detail::name_text<typename Mesh::names>(a));
        first = first < 0 ? a : first;
      }
    body += text_at(left - 10, y + 22, std::string(to_text(r.when)) + ": " + to_text(r.what) + " over " + axes,
                    " text-anchor=\"end\"");
    auto const bar = std::max(r.bytes_per_rank * longest / most, index_t{1});
    body += "<rect x=\"" + std::to_string(left) + "\" y=\"" + std::to_string(y + 6) + "\" width=\"" +
            std::to_string(bar) + "\" height=\"22\" fill=\"" + plan_detail::block_colours[first] +
            "\" stroke=\"black\"/>\n";
    body += text_at(left + static_cast<int>(bar) + 8, y + 22, std::to_string(r.bytes_per_rank) + " bytes",
                    " text-anchor=\"start\"");
    y += line;
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(left + longest + 120) + "\" height=\"" +
         std::to_string(y) + "\" font-family=\"sans-serif\" font-size=\"13\">\n" + body + "</svg>\n";
}

}  // namespace ashlar_test
