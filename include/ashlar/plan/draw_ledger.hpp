// SPDX-License-Identifier: BSL-1.0
// Pictures of ledgers as SVG.
#pragma once
#include "ashlar/plan/draw_svg.hpp"
#include "ashlar/plan/ledger.hpp"
#include <bit>
#include <ostream>
#include <string>
#include <vector>

namespace ashlar::plan_detail {

// Bars of a picture: the text on the left of each, its length, and the axis that colours it.
struct bars {
  std::vector<std::string> text;
  std::vector<index_t> bytes;
  std::vector<int> axis;
};

ASHLAR_INLINE void draw_bars(std::ostream& out, bars const& b);

}  // namespace ashlar::plan_detail

namespace ashlar::planning {

/// Writes a picture of a ledger as a file of SVG: a bar for each record, as long as its bytes per rank are many, in the
/// colour of its first axis. Equal collectives of a call site are one bar, with their number. The totals of further
/// collectives follow. Dry runs and recorders make ledgers.
/// Example: planning::draw_svg(file, dry_run(mesh<axis<"data">>{{4}}, step))
template <class Mesh, class Records>
void draw_svg(std::ostream& out, ledger<Mesh, Records> const& log) {
  plan_detail::bars bars;
  auto const add = [&](auto const& r) {
    bars.text.push_back(std::string(to_text(r.when)) + ": " + to_text(r.what) + " over " +
                        plan_detail::joined(r.axes, plan_detail::axis_texts<Mesh>));
    if (r.times != 1) bars.text.back() += ", " + std::to_string(r.times) + " times";
    bars.bytes.push_back(r.bytes_per_rank);
    bars.axis.push_back(std::countr_zero(r.axes));
  };
  for (auto const& r : log) add(r);
  for (auto const& t : log.further()) add(t);
  plan_detail::draw_bars(out, bars);
}

}  // namespace ashlar::planning

#if ASHLAR_IMPL
#include "ashlar/plan/impl/draw_ledger.ipp"
#endif
