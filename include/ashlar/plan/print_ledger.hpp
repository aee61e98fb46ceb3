// A ledger as a table.
#pragma once
#include "ashlar/plan/ledger.hpp"
#include <iomanip>
#include <ostream>
#include <string>
#include <string_view>

namespace ashlar {

/// Writes a ledger with one line per record: its pass, name, axes, bytes received per rank and call site. The line ends
/// with the number of equal collectives if there are several. The last line has the sums of collectives and bytes.
template <class Mesh, class Records>
std::ostream& operator<<(std::ostream& out, ledger<Mesh, Records> const& log) {
  for (auto const& r : log) {
    std::string axes;
    for (int a = 0; a < Mesh::axes; ++a)
      if (r.axes >> a & 1u)
        axes += (axes.empty() ? "" : "+") + std::string(meta_detail::name_text<typename Mesh::names>(a));
    std::string_view file = r.file;
    file.remove_prefix(file.rfind('/') + 1);
    out << "  " << std::left << std::setw(9) << to_text(r.when) << std::setw(15) << to_text(r.what) << std::setw(12)
        << axes << std::right << std::setw(12) << r.bytes_per_rank << " bytes per rank   " << file << ":" << r.line;
    if (r.times != 1) out << ", " << r.times << " times";
    out << "\n";
  }
  return out << "  " << log.count() << " collectives, " << log.bytes_per_rank() << " bytes per rank\n";
}

}  // namespace ashlar
