// SPDX-License-Identifier: BSL-1.0
// A ledger as a table.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/plan/ledger.hpp"
#include "ashlar/plan/print.hpp"
#include <ostream>
#include <string>
#include <string_view>

namespace ashlar {

namespace plan_detail {

ASHLAR_INLINE std::string text_of_line(char const* path, unsigned line);

// A wasteful pair as a sentence, which says what to write instead.
ASHLAR_INLINE std::string text_of(waste_record const& r);

}  // namespace plan_detail

/// Writes a ledger with one line per record: its pass, name, axes, bytes received per rank and call site. The bytes
/// of a solver are not counted. After the call site of an exchange of halos comes the number of neighbours. The line ends
/// with the number of equal collectives if there are several. The totals of further collectives follow. Then
/// a line has the sums of collectives and bytes. A line follows for each wasteful pair of redistributions.
template <class Mesh, class Records>
std::ostream& operator<<(std::ostream& out, ledger<Mesh, Records> const& log) {
  auto const begin_line = [&out](auto const& r) -> std::ostream& {
    auto const column = [&out](int places, std::string_view entry) {
      out.width(places);
      out << entry;
    };
    out << "  " << std::left;
    column(9, to_text(r.when));
    column(15, to_text(r.what));
    column(12, plan_detail::joined(r.axes, plan_detail::axis_texts<Mesh>));
    out << std::right;
    column(27,
           r.what == collective::solver ? "bytes not counted" : std::to_string(r.bytes_per_rank) + " bytes per rank");
    return out << "   ";
  };
  for (auto const& r : log) {
    begin_line(r) << plan_detail::text_of_line(r.file, r.line);
    if (r.neighbours != 0) out << ", " << r.neighbours << (r.neighbours == 1 ? " neighbour" : " neighbours");
    if (r.times != 1) out << ", " << r.times << " times";
    out << "\n";
  }
  for (auto const& t : log.further()) begin_line(t) << "in " << t.times << " more\n";
  out << "  " << log.count() << (log.count() == 1 ? " collective, " : " collectives, ") << log.bytes_per_rank()
      << " bytes per rank\n";
  for (auto const& r : log.waste()) out << "  waste: " << plan_detail::text_of(r) << "\n";
  return out;
}

}  // namespace ashlar

#if ASHLAR_IMPL
#include "ashlar/plan/impl/print_ledger.ipp"
#endif
