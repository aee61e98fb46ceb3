// The functions of plan/draw_ledger.hpp.
#pragma once
#include <algorithm>
#include "ashlar/plan/draw_ledger.hpp"

namespace ashlar::plan_detail {

ASHLAR_INLINE void draw_bars(std::ostream& out, std::vector<bar> const& bars) {
  int constexpr line = 34, left = 250, longest = 400;
  index_t most = 1;
  for (bar const& b : bars) most = std::max(most, b.bytes);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << left + longest + 120 << "\" height=\""
      << line * bars.size() << "\" font-family=\"sans-serif\" font-size=\"13\">\n";
  int y = 0;
  for (bar const& b : bars) {
    index_t const length = std::max(b.bytes * longest / most, index_t{1});
    out << "<text x=\"" << left - 10 << "\" y=\"" << y + 22 << "\" text-anchor=\"end\">" << b.text << "</text>\n"
        << "<rect x=\"" << left << "\" y=\"" << y + 6 << "\" width=\"" << length << "\" height=\"22\" fill=\""
        << block_colours[static_cast<std::size_t>(std::max(b.axis, 0)) % std::size(block_colours)]
        << "\" stroke=\"black\"/>\n"
        << "<text x=\"" << left + length + 8 << "\" y=\"" << y + 22 << "\" text-anchor=\"start\">" << b.bytes
        << " bytes</text>\n";
    y += line;
  }
  out << "</svg>\n";
}

}  // namespace ashlar::plan_detail
