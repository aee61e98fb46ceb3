// Pictures of pages: draw_svg's pictures side by side, with arrows, frames and captions.
#pragma once
#include <doctest/doctest.h>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>
#include "ashlar/plan/draw_ledger.hpp"
#include "ashlar/plan/draw_plan.hpp"
#include "support/data.hpp"

namespace ashlar_test {

using namespace ashlar;
using namespace ashlar::planning;

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

using plan_detail::panel;

inline std::string rows_of_pictures(std::vector<std::vector<panel>> const& rows) {
  plan_detail::picture_rows p;
  for (auto const& row : rows) p.add(row);
  return p.file();
}

}  // namespace ashlar_test
