// SPDX-License-Identifier: BSL-1.0
// A text file to which one process appends lines of numbers.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/checked_file.hpp"
#include <concepts>
#include <string>
#include <string_view>

namespace ashlar::train_detail {

/// A number as text: 17 digits, in the same form in all locales.
ASHLAR_INLINE std::string number_text(double x);
inline std::string number_text(std::integral auto n) { return std::to_string(n); }

/// A file of lines, which no other process writes at the same time. Ranks of a killed run may outlive it. They would
/// write between the lines of the next run.
/// Error: ashlar::error as of checked_file; also if another process, or another object, has the file.
class line_file {
 public:
  line_file() = default;
  line_file(std::string const& file_path, char const* caller);
  /// The whole file.
  std::string text() const;
  /// Keeps the first n bytes.
  void cut(std::uint64_t n);
  /// Post: the line is in the file system, not necessarily on the disk.
  void add(std::string const& line);
  [[noreturn]] void fail(std::string const& what) const { file_.fail(what); }

 private:
  io_detail::checked_file file_;
  std::uint64_t end_ = 0;
};

}  // namespace ashlar::train_detail

#if ASHLAR_IMPL
#include "ashlar/train/impl/line_file.ipp"
#endif
