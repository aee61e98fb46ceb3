// SPDX-License-Identifier: BSL-1.0
// The functions of plan/draw.hpp.
#include <algorithm>

namespace ashlar::plan_detail {

inline constexpr int drawing_width = 80, drawing_rows = 12;

// Joins words. Of more than 4 words it shows the first two and the last.
ASHLAR_INLINE std::string listed(std::vector<std::string> const& words, char const* between) {
  std::string s;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words.size() <= 4 || i < 2 || i + 1 == words.size())
      s += (i ? between : "") + words[i];
    else if (i == 2)
      s += between + std::string("..");
  return s;
}

ASHLAR_INLINE std::string listed_ranks(std::vector<std::string> const& numbers) {
  return (numbers.size() == 1 ? "rank " : "ranks ") + listed(numbers, ",");
}

ASHLAR_INLINE std::string ranks_text(std::vector<int> const& ranks, layout_value const& layout,
                                     mesh_shape const& mesh) {
  std::vector<std::pair<int, std::vector<std::string>>> groups;
  for (int r : ranks) {
    int const first = mesh.with_position(r, layout.partial(), 0);
    auto group = std::find_if(groups.begin(), groups.end(), [&](auto const& g) { return g.first == first; });
    if (group == groups.end()) group = groups.insert(group, {first, {}});
    group->second.push_back(std::to_string(r));
  }
  std::vector<std::string> words;
  for (auto const& g : groups) words.push_back(listed(g.second, "+"));
  return listed(words, ",");
}

ASHLAR_INLINE std::string text_of(index_set const& s) {
  std::vector<std::string> runs;
  for (index_t i = 0, n = 0; i < s.size(); i += n) {
    n = s.run(i);
    runs.push_back(std::to_string(s[i]) + ":" + std::to_string(s[i] + n));
  }
  if (runs.empty()) return std::to_string(s.begin) + ":" + std::to_string(s.end);
  if (runs.size() == 1) return runs[0];
  return runs[0] + (runs.size() > 2 ? ",..," : ",") + runs.back();
}

ASHLAR_INLINE std::string centred(std::string const& s, std::size_t width) {
  std::size_t const left = (width - s.size()) / 2;
  return std::string(left, ' ') + s + std::string(width - s.size() - left, ' ');
}

ASHLAR_INLINE std::vector<int> drawn(int n, int most) {
  std::vector<int> which;
  for (int i = 0; i < n; ++i)
    if (n <= most || i + 2 < most || i + 1 == n)
      which.push_back(i);
    else if (which.back() >= 0)
      which.push_back(-1);
  return which;
}

ASHLAR_INLINE blocks::blocks(layout_value const& layout, mesh_shape const& mesh, shape const& extents) {
  for (int r = 0; r < mesh.ranks(); ++r) {
    region const mine = local_region(extents, layout, mesh, r);
    if (mine.size() == 0) {
      without_elements.push_back(std::to_string(r));
      continue;
    }
    auto const at = static_cast<std::size_t>(std::find(part.begin(), part.end(), mine) - part.begin());
    if (at == part.size()) {
      part.push_back(mine);
      ranks.emplace_back();
    }
    ranks[at].push_back(r);
  }
}

ASHLAR_INLINE std::vector<index_set> blocks::pieces(int d) const {
  std::vector<index_set> p;
  for (region const& r : part)
    if (std::find(p.begin(), p.end(), r.dim[d]) == p.end()) p.push_back(r.dim[d]);
  std::sort(p.begin(), p.end(), [](index_set const& a, index_set const& b) { return a[0] < b[0]; });
  return p;
}

// Draws dimension 0 downwards and dimension 1 to the right. A tensor with fewer dimensions is a single row.
ASHLAR_INLINE void draw_grid(std::ostream& out, blocks const& b, layout_value const& layout, mesh_shape const& mesh) {
  auto const rows = layout.rank == 2 ? b.pieces(0) : std::vector<index_set>(1);
  auto const columns = layout.rank == 0 ? std::vector<index_set>(1) : b.pieces(layout.rank - 1);
  auto cell = [&](index_set const& row, index_set const& column) {
    for (std::size_t i = 0; i < b.part.size(); ++i)
      if ((layout.rank < 2 || b.part[i].dim[0] == row) && (layout.rank < 1 || b.part[i].dim[layout.rank - 1] == column))
        return ranks_text(b.ranks[i], layout, mesh);
    return std::string();
  };
  std::size_t side = 0, width = 6;
  for (index_set const& r : rows)
    if (layout.rank == 2) side = (std::max)(side, text_of(r).size() + 1);
  for (index_set const& c : columns) {
    if (layout.rank > 0) width = (std::max)(width, text_of(c).size());
    for (index_set const& r : rows) width = (std::max)(width, cell(r, c).size());
  }
  width += 2;
  auto const fit = (std::max)(3, (drawing_width - static_cast<int>(side) - 1) / static_cast<int>(width + 1));
  auto const down = drawn(static_cast<int>(rows.size()), drawing_rows);
  auto const right = drawn(static_cast<int>(columns.size()), fit);
  auto line = [&](std::string const& head, char const* bar, auto text) {
    std::string s = head + bar;
    for (int c : right) s += centred(c < 0 ? "..." : text(columns[static_cast<std::size_t>(c)]), width) + bar;
    out << std::string(side - head.size(), ' ') << s.substr(0, s.find_last_not_of(' ') + 1) << "\n";
  };
  std::string rule(side, ' ');
  for (std::size_t i = 0; i < right.size(); ++i) rule += "+" + std::string(width, '-');
  rule += "+\n";
  if (layout.rank > 0) line("", " ", [](index_set const& column) { return text_of(column); });
  out << rule;
  for (int r : down) {
    index_set const row = r < 0 ? index_set{} : rows[static_cast<std::size_t>(r)];
    std::string const head = r < 0 ? "... " : layout.rank == 2 ? text_of(row) + " " : "";
    line(head, "|", [&](index_set const& column) { return r < 0 ? "..." : cell(row, column); });
    out << rule;
  }
}

// The lines of a table, whose columns are aligned.
ASHLAR_INLINE std::vector<std::string> aligned(std::vector<std::vector<std::string>> const& table) {
  std::vector<std::string> lines;
  for (auto const& row : table) {
    lines.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::size_t width = 0;
      for (auto const& other : table) width = (std::max)(width, other[c].size());
      lines.back() += row[c] + (c + 1 < row.size() ? std::string(width - row[c].size() + 3, ' ') : "");
    }
  }
  return lines;
}

// A table with a line for each block: text(block, dimension) is an entry.
template <class Text>
std::vector<std::string> table_with(blocks const& b, layout_value const& layout, mesh_shape const& mesh,
                                    Text const& text) {
  std::vector<std::vector<std::string>> table{{"ranks"}};
  for (int d = 0; d < layout.rank; ++d) table[0].push_back("dim " + std::to_string(d));
  for (int i : drawn(static_cast<int>(b.part.size()), 2 * drawing_rows)) {
    auto const at = static_cast<std::size_t>(i);
    table.push_back({i < 0 ? "..." : ranks_text(b.ranks[at], layout, mesh)});
    for (int d = 0; d < layout.rank; ++d) table.back().push_back(i < 0 ? "..." : text(b.part[at], d));
  }
  return aligned(table);
}

ASHLAR_INLINE std::vector<std::string> table_of(blocks const& b, layout_value const& layout, mesh_shape const& mesh) {
  return table_with(b, layout, mesh, [](region const& part, int d) { return text_of(part.dim[d]); });
}

ASHLAR_INLINE void draw_shards(std::ostream& out, layout_value const& layout, mesh_shape const& mesh,
                               shape const& extents) {
  blocks const b(layout, mesh, extents);
  if (layout.rank <= 2 && !b.part.empty()) draw_grid(out, b, layout, mesh);
  if (layout.rank > 2 && !b.part.empty())
    for (std::string const& line : table_of(b, layout, mesh)) out << line << "\n";
  if (!b.without_elements.empty()) out << "no elements: " << listed_ranks(b.without_elements) << "\n";
  if (layout.levels != 0) out << "+ joins ranks whose blocks are still to be reduced\n";
}

ASHLAR_INLINE std::string stored_text(interval const& own, layout_detail::halo_width const& w, index_t n) {
  constexpr char const* names[]{"zero", "copy", "mirror", "reflect", "odd", "periodic", "given"};
  index_t const first = own.begin - w.lower, last = own.end + w.upper;
  std::string text;
  if (first < 0) text += names[static_cast<int>(w.below)] + (" " + text_of(interval{first, 0}) + " ");
  if (index_t const begin = std::max<index_t>(first, 0); begin < own.begin)
    text += text_of(interval{begin, own.begin}) + " ";
  text += "[" + text_of(own) + "]";
  if (index_t const end = (std::min)(last, n); own.end < end) text += " " + text_of(interval{own.end, end});
  if (n < last) text += " " + text_of(interval{n, last}) + " " + names[static_cast<int>(w.above)];
  return text;
}

ASHLAR_INLINE void draw_stored_cells(std::ostream& out, layout_value const& layout,
                                     layout_detail::halo_widths const& widths, mesh_shape const& mesh,
                                     shape const& extents, char const* state) {
  blocks const b(layout, mesh, extents);
  auto const stored = [&](region const& part, int d) {
    return stored_text({part.dim[d].begin, part.dim[d].end}, widths.dim[d], extents[d]);
  };
  out << "stored cells:\n";
  if (!b.part.empty())
    for (std::string const& line : table_with(b, layout, mesh, stored)) out << line << "\n";
  if (!b.without_elements.empty()) out << "nothing: " << listed_ranks(b.without_elements) << "\n";
  out << "the halo is: " << state << "\n";
}

}  // namespace ashlar::plan_detail
