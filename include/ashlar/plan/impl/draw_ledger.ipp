// SPDX-License-Identifier: BSL-1.0
// The functions of plan/draw_ledger.hpp.
#include <algorithm>

namespace ashlar::plan_detail {

ASHLAR_INLINE void draw_bars(std::ostream& out, bars const& b) {
  int constexpr line = 34, left = 250, longest = 400;
  index_t most = 1;
  for (index_t const bytes : b.bytes) most = (std::max)(most, bytes);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << left + longest + 120 << "\" height=\""
      << line * b.text.size() << "\" font-family=\"sans-serif\" font-size=\"13\">\n";
  int y = 0;
  for (std::size_t k = 0; k < b.text.size(); ++k) {
    index_t const length = (std::max)(b.bytes[k] * longest / most, index_t{1});
    out << "<text x=\"" << left - 10 << "\" y=\"" << y + 22 << "\" text-anchor=\"end\">" << b.text[k] << "</text>\n"
        << "<rect x=\"" << left << "\" y=\"" << y + 6 << "\" width=\"" << length << "\" height=\"22\" fill=\""
        << colour_text((std::max)(b.axis[k], 0) % hues, 0) << "\" stroke=\"black\"/>\n"
        << "<text x=\"" << left + length + 8 << "\" y=\"" << y + 22 << "\" text-anchor=\"start\">" << b.bytes[k]
        << " bytes</text>\n";
    y += line;
  }
  out << "</svg>\n";
}

}  // namespace ashlar::plan_detail
