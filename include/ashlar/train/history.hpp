// Reports of a training run: a table for people, and a file of numbers for programs.
#pragma once
#include "ashlar/comm/agree.hpp"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
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
/// Pre: the first column rises from row to row; nobody else writes the file.
/// Collective: construction and add, over all ranks of c. Cost: an all-reduce of 8 bytes; rank 0 writes a line.
/// Error: ashlar::error on every rank if the file cannot be opened or written, or has other columns. Also for a name
/// with a comma, a quote or the end of a line, and for a row of more or fewer numbers.
/// Example: csv_log log(m.communicator(), "run.csv", {"epoch", "loss"}, first_epoch); log.add({1, 0.31});
class csv_log {
 public:
  csv_log(communicator const& c, std::filesystem::path const& path, std::vector<std::string> const& columns,
          double before = std::numeric_limits<double>::infinity())
      : comm_(c), path_(path), columns_(columns.size()) {
    std::string head;
    for (std::string const& name : columns) head += (head.empty() ? "" : ",") + name;
    try {
      comm::on_root(c, [&] {
        for (std::string const& name : columns)
          if (name.empty() || name.find_first_of(",\"\n\r") != name.npos)
            fail("expected names of columns without commas, quotes and ends of lines, found '" + name + "'");
        open(head + "\n", before);
      });
    } catch (...) {
      close();
      throw;
    }
  }
  ~csv_log() { close(); }
  csv_log(csv_log const&) = delete;
  csv_log& operator=(csv_log const&) = delete;

  /// Appends a row. It is then in the file system, not necessarily on the disk.
  void add(std::vector<double> const& row) {
    comm::on_root(comm_, [&] {
      if (row.size() != columns_)
        fail("expected " + std::to_string(columns_) + " numbers, one a column, found " + std::to_string(row.size()));
      std::string line;
      for (double const x : row) {
        char text[40];  // not by printf: a locale may write a decimal comma
        char* const end = std::to_chars(text, text + sizeof text, x, std::chars_format::general, 17).ptr;
        line += (line.empty() ? "" : ",") + std::string(text, end);
      }
      write(line + "\n");
    });
  }

 private:
  [[noreturn]] void fail(std::string const& what) const {
    throw error("ashlar::csv_log: " + path_.string() + ": " + what);
  }
  [[noreturn]] void fail_by_errno(char const* what) const { fail(std::string(what) + ": " + std::strerror(errno)); }

  void open(std::string const& head, double before) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file_ < 0) fail_by_errno("cannot be opened");
    struct stat s {};
    if (::fstat(file_, &s) != 0) fail_by_errno("cannot be examined");
    if (!S_ISREG(s.st_mode)) fail("expected a file, found something else");
    off_t const kept = whole_lines(head, before);
    if (kept < s.st_size && ::ftruncate(file_, kept) != 0) fail_by_errno("cannot be cut");
    if (kept == 0) write(head);
  }
  // The number of bytes up to the end of the last line that stays.
  off_t whole_lines(std::string const& head, double before) const {
    std::ifstream in(path_, std::ios::binary);
    if (!in) fail("cannot be read");
    std::string line(head.size(), '\0');
    in.read(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(static_cast<std::size_t>(in.gcount()));
    if (line != head) {
      if (head.compare(0, line.size(), line) == 0) return 0;  // an empty file, or the beginning of `head`
      fail("expected the columns " + head.substr(0, head.size() - 1) + ", found others; choose another file");
    }
    auto kept = static_cast<off_t>(head.size());
    while (std::getline(in, line) && !in.eof()) {
      double epoch = 0;
      std::from_chars(line.data(), line.data() + line.size(), epoch);
      if (epoch >= before) break;
      kept += static_cast<off_t>(line.size() + 1);
    }
    return kept;
  }
  void write(std::string const& text) const {
    for (std::size_t done = 0; done < text.size();) {
      ssize_t const n = ::write(file_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail_by_errno("cannot be written");
      done += static_cast<std::size_t>(n);
    }
  }
  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }

  communicator comm_;
  std::filesystem::path path_;
  std::size_t columns_;
  int file_ = -1;
};

}  // namespace ashlar
