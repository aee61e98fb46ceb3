// A text file to which one process appends lines of numbers.
#pragma once
#include "ashlar/io/checked_file.hpp"
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace ashlar::train_detail {

/// A number as text: 17 digits, in the same form in all locales.
inline std::string number_text(double x) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::general, 17).ptr};
}
inline std::string number_text(std::integral auto n) { return std::to_string(n); }

/// A file of lines, which no other process writes at the same time. Ranks of a killed run may outlive it. They would
/// write between the lines of the next run.
/// Error: ashlar::error as of checked_file; also if another process, or another object, has the file.
class line_file {
 public:
  line_file() = default;
  line_file(std::filesystem::path const& path, char const* caller) : file_(path, caller, O_RDWR | O_CREAT) {
    file_.lock();
    end_ = file_.size();
  }
  /// The whole file.
  std::string text() const {
    std::string all(static_cast<std::size_t>(end_), '\0');
    file_.read(0, all.data(), all.size());
    return all;
  }
  /// Keeps the first n bytes.
  void cut(std::uint64_t n) {
    if (n < end_) file_.resize(n);
    end_ = n;
  }
  /// Post: the line is in the file system, not necessarily on the disk.
  void add(std::string const& line) {
    std::string const whole = line + "\n";
    file_.write(end_, whole.data(), whole.size());
    end_ += whole.size();
  }
  [[noreturn]] void fail(std::string const& what) const { file_.fail(what); }

 private:
  io_detail::checked_file file_;
  std::uint64_t end_ = 0;
};

}  // namespace ashlar::train_detail
