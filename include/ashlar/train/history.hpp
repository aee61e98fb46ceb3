// SPDX-License-Identifier: BSL-1.0
// Reports of a training run: a table for people, and a file of numbers for programs.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/train/line_file.hpp"
#include <cmath>
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
  explicit epoch_table(std::vector<std::string> column_names) : columns_(std::move(column_names)) {}

  std::string head() const;
  /// Adds a row and returns its line.
  std::string add(std::vector<double> const& row);
  std::string text() const;
  std::vector<std::vector<double>> const& rows() const { return rows_; }

 private:
  static std::string cell(std::string const& text, std::string const& column);
  // Prints whole numbers as such, others with 4 decimals, or with a power of ten if they are very small or large.
  static std::string number(double x);
  std::string line_of(std::vector<double> const& row) const;

  std::vector<std::string> columns_;
  std::vector<std::vector<double>> rows_;
};

/// A file of comma-separated numbers. Rank 0 appends one row at a time, so that reported rows survive the program. An
/// existing file is continued. First an unfinished last line of a killed program is removed. So are the rows from the
/// first one that begins with `before` or more: a run resumed from a checkpoint writes them again.
/// Pre: the first column rises from row to row.
/// Collective: construction and add, over all ranks of c. Cost: an all-reduce of 64 bytes; rank 0 writes a line.
/// Error: ashlar::error on every rank if the file cannot be opened or written, another run writes it, or it has other
/// columns. Also for a name with a comma, a quote or the end of a line, and if a rank gives a row of more or fewer
/// numbers. If rank 0 gives a right one then, the file has it.
/// Example: csv_log log(m.communicator(), "run.csv", {"epoch", "loss"}, first_epoch); log.add({1, 0.31});
class csv_log {
 public:
  csv_log(communicator const& c, std::string const& file_path, std::vector<std::string> const& column_names,
          double before = std::numeric_limits<double>::infinity());
  csv_log(csv_log const&) = delete;
  csv_log& operator=(csv_log const&) = delete;

  /// Appends a row. It is then in the file system, not necessarily on the disk.
  void add(std::vector<double> const& row);

 private:
  // The number of bytes up to the end of the last line that stays.
  std::size_t whole_lines(std::string const& head, double before) const;
  communicator comm_;
  std::string path_;
  std::size_t columns_;
  train_detail::line_file file_;
};

}  // namespace ashlar

#if ASHLAR_IMPL
#include "ashlar/train/impl/history.ipp"
#endif
