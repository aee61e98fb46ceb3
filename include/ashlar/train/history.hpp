// Reports of a training run: a table for people, and a file of numbers for programs.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/train/line_file.hpp"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace ashlar {

/// A table of numbers with one row per epoch. Its columns are aligned with their names, whether it is printed at once
/// or line by line.
/// Error: ashlar::error for a row of more or fewer numbers than there are columns.
/// Example: epoch_table t({"epoch", "loss", "accuracy"}); std::cout << t.head(); ... std::cout << t.add({1, 0.31, 0.912});
class epoch_table {
 public:
  explicit epoch_table(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  std::string head() const {
    std::string line;
    for (std::string const& c : columns_) line += cell(c, c);
    return line + "\n";
  }
  /// Adds a row and returns its line.
  std::string add(std::vector<double> const& row) {
    if (row.size() != columns_.size())
      throw error("ashlar::epoch_table: expected " + std::to_string(columns_.size()) +
                  " numbers, one a column, found " + std::to_string(row.size()));
    rows_.push_back(row);
    return line_of(row);
  }
  std::string text() const {
    std::string all = head();
    for (auto const& row : rows_) all += line_of(row);
    return all;
  }
  std::vector<std::vector<double>> const& rows() const { return rows_; }

 private:
  static std::string cell(std::string const& text, std::string const& column) {
    std::size_t const width = std::max<std::size_t>(column.size(), 10) + 2;
    return std::string(width - std::min(width - 1, text.size()), ' ') + text;
  }
  // Prints whole numbers as such, others with 4 decimals, or with a power of ten if they are very small or large.
  static std::string number(double x) {
    char text[64];
    double const size = std::abs(x);
    bool const whole = std::isfinite(x) && x == std::floor(x) && size < 1e9;
    std::snprintf(text, sizeof text, whole ? "%.0f" : size >= 0.001 && size < 1e5 ? "%.4f" : "%.3e", x);
    return text;
  }
  std::string line_of(std::vector<double> const& row) const {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += cell(number(row[i]), columns_[i]);
    return line + "\n";
  }

  std::vector<std::string> columns_;
  std::vector<std::vector<double>> rows_;
};

/// A file of comma-separated numbers. Rank 0 appends one row at a time, so that reported rows survive the program. An
/// existing file is continued. First an unfinished last line of a killed program is removed. So are the rows from the
/// first one that begins with `before` or more: a run resumed from a checkpoint writes them again.
/// Pre: the first column rises from row to row.
/// Collective: construction and add, over all ranks of c. Cost: an all-reduce of 8 bytes; rank 0 writes a line.
/// Error: ashlar::error on every rank if the file cannot be opened or written, another run writes it, or it has other
/// columns. Also for a name with a comma, a quote or the end of a line, and for a row of more or fewer numbers.
/// Example: csv_log log(m.communicator(), "run.csv", {"epoch", "loss"}, first_epoch); log.add({1, 0.31});
class csv_log {
 public:
  csv_log(communicator const& c, std::filesystem::path const& path, std::vector<std::string> const& columns,
          double before = std::numeric_limits<double>::infinity())
      : comm_(c), columns_(columns.size()) {
    std::string head;
    for (std::string const& name : columns) head += (head.empty() ? "" : ",") + name;
    comm::on_root(c, [&] {
      for (std::string const& name : columns)
        if (name.empty() || name.find_first_of(",\"\n\r") != name.npos)
          throw error("ashlar::csv_log: " + path.string() +
                      ": expected names of columns without commas, quotes and ends of lines, found '" + name + "'");
      file_ = train_detail::line_file(path, "ashlar::csv_log");
      std::size_t const kept = whole_lines(head + "\n", before);
      file_.cut(kept);
      if (kept == 0) file_.add(head);
    });
  }
  csv_log(csv_log const&) = delete;
  csv_log& operator=(csv_log const&) = delete;

  /// Appends a row. It is then in the file system, not necessarily on the disk.
  void add(std::vector<double> const& row) {
    comm::on_root(comm_, [&] {
      if (row.size() != columns_)
        file_.fail("expected " + std::to_string(columns_) + " numbers, one a column, found " +
                   std::to_string(row.size()));
      std::string line;
      for (double const x : row) line += (line.empty() ? "" : ",") + train_detail::number_text(x);
      file_.add(line);
    });
  }

 private:
  // The number of bytes up to the end of the last line that stays.
  std::size_t whole_lines(std::string const& head, double before) const {
    std::string const text = file_.text();
    if (head.starts_with(text)) return 0;  // an empty file, or the beginning of `head`
    if (!text.starts_with(head))
      file_.fail("expected the columns " + head.substr(0, head.size() - 1) + ", found others; choose another file");
    std::size_t kept = head.size();
    for (std::size_t end; (end = text.find('\n', kept)) != text.npos; kept = end + 1) {
      double epoch = 0;
      std::from_chars(text.data() + kept, text.data() + end, epoch);
      if (epoch >= before) break;
    }
    return kept;
  }
  communicator comm_;
  std::size_t columns_;
  train_detail::line_file file_;
};

}  // namespace ashlar
