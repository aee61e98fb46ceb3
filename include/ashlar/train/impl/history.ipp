// SPDX-License-Identifier: BSL-1.0
// The functions of train/history.hpp.
#include <algorithm>
#include <cstdio>
#include <string_view>
#include "ashlar/comm/number.hpp"

namespace ashlar {

ASHLAR_INLINE std::string epoch_table::head() const {
  std::string line;
  for (std::string const& c : columns_) line += cell(c, c);
  return line + "\n";
}

ASHLAR_INLINE std::string epoch_table::add(std::vector<double> const& row) {
  if (row.size() != columns_.size())
    throw error("ashlar::epoch_table: expected " + std::to_string(columns_.size()) +
                " numbers, one per column, found " + std::to_string(row.size()));
  rows_.push_back(row);
  return line_of(row);
}

ASHLAR_INLINE std::string epoch_table::text() const {
  std::string all = head();
  for (auto const& row : rows_) all += line_of(row);
  return all;
}

ASHLAR_INLINE std::string epoch_table::cell(std::string const& text, std::string const& column) {
  std::size_t const width = std::max<std::size_t>(column.size(), 10) + 2;
  return std::string(width - (std::min)(width - 1, text.size()), ' ') + text;
}

ASHLAR_INLINE std::string epoch_table::number(double x) {
  char text[64];
  double const size = std::abs(x);
  bool const whole = std::isfinite(x) && x == std::floor(x) && size < 1e9;
  std::snprintf(text, sizeof text, whole ? "%.0f" : size >= 0.001 && size < 1e5 ? "%.4f" : "%.3e", x);
  return text;
}

ASHLAR_INLINE std::string epoch_table::line_of(std::vector<double> const& row) const {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) line += cell(number(row[i]), columns_[i]);
  return line + "\n";
}

ASHLAR_INLINE csv_log::csv_log(communicator const& c, std::string const& file_path,
                               std::vector<std::string> const& column_names, double before)
    : comm_(c), path_(file_path), columns_(column_names.size()) {
  std::string head;
  for (std::string const& name : column_names) head += (head.empty() ? "" : ",") + name;
  comm::on_root(c, [&] {
    for (std::string const& name : column_names)
      if (name.empty() || name.find_first_of(",\"\n\r") != name.npos)
        throw error("ashlar::csv_log: " + file_path +
                    ": expected names of columns without commas, quotes and ends of lines, found '" + name + "'");
    file_ = train_detail::line_file(file_path, "ashlar::csv_log");
    std::size_t const kept = whole_lines(head + "\n", before);
    file_.cut(kept);
    if (kept == 0) file_.add(head);
  });
}

ASHLAR_INLINE void csv_log::add(std::vector<double> const& row) {
  comm::collectively(comm_, [&] {
    if (row.size() != columns_)
      throw error("ashlar::csv_log: " + path_ + ": expected " + std::to_string(columns_) +
                  " numbers, one per column, found " + std::to_string(row.size()));
    if (comm_.rank() != 0) return;
    std::string line;
    for (double const x : row) line += (line.empty() ? "" : ",") + train_detail::number_text(x);
    file_.add(line);
  });
}

ASHLAR_INLINE std::size_t csv_log::whole_lines(std::string const& head, double before) const {
  std::string const text = file_.text();
  if (head.starts_with(text)) return 0;  // an empty file, or the beginning of `head`
  if (!text.starts_with(head))
    file_.fail("expected the columns " + head.substr(0, head.size() - 1) + ", found others; choose another file");
  std::size_t kept = head.size();
  for (std::size_t end; (end = text.find('\n', kept)) != text.npos; kept = end + 1) {
    std::size_t const first = (std::min)(end, text.find(',', kept));
    if (comm_detail::number<double>(std::string_view(text).substr(kept, first - kept)).value_or(0) >= before) break;
  }
  return kept;
}

}  // namespace ashlar
