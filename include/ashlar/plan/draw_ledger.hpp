// Pictures of ledgers as SVG.
#pragma once
#include "ashlar/plan/draw_svg.hpp"
#include "ashlar/plan/ledger.hpp"
#include <ostream>
#include <string>
#include <vector>

namespace ashlar {

namespace plan_detail {

// A bar of a picture: a text on its left, its length, and the axis that colours it.
struct bar {
  std::string text;
  index_t bytes;
  int axis;
};

ASHLAR_INLINE void draw_bars(std::ostream& out, std::vector<bar> const& bars);

}  // namespace plan_detail

/// Writes a picture of a ledger as a file of SVG: a bar for each record, as long as its bytes per rank are many, in the
/// colour of its first axis. Equal collectives of a call site are one bar, with their number. The totals of further
/// collectives follow. Dry runs and recorders make ledgers.
/// Example: draw_svg(file, collectives(mesh<axis<"data">>{{4}}, step))
template <class Mesh, class Records>
void draw_svg(std::ostream& out, ledger<Mesh, Records> const& log) {
  std::vector<plan_detail::bar> bars;
  auto const add = [&](auto const& r) {
    std::string axes;
    int first = -1;
    for (int a = 0; a < Mesh::axes; ++a)
      if (r.axes >> a & 1u) {
        axes += (axes.empty() ? "" : "+") + std::string(meta_detail::name_text<typename Mesh::names>(a));
        first = first < 0 ? a : first;
      }
    bars.push_back({std::string(to_text(r.when)) + ": " + to_text(r.what) + " over " + axes, r.bytes_per_rank, first});
    if (r.times != 1) bars.back().text += ", " + std::to_string(r.times) + " times";
  };
  for (auto const& r : log) add(r);
  for (auto const& t : log.further()) add(t);
  plan_detail::draw_bars(out, bars);
}

}  // namespace ashlar

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/plan/compiled/draw_ledger.hpp"
#endif
