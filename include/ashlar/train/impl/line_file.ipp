// SPDX-License-Identifier: BSL-1.0
// The functions of train/line_file.hpp.
#include <charconv>

namespace ashlar::train_detail {

ASHLAR_INLINE std::string number_text(double x) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::general, 17).ptr};
}

ASHLAR_INLINE line_file::line_file(std::string const& file_path, char const* caller)
    : file_(file_path, caller, O_RDWR | O_CREAT) {
  file_.lock();
  end_ = file_.size();
}

ASHLAR_INLINE std::string line_file::text() const {
  std::string all(static_cast<std::size_t>(end_), '\0');
  file_.read(0, all.data(), all.size());
  return all;
}

ASHLAR_INLINE void line_file::cut(std::uint64_t n) {
  if (n < end_) file_.resize(n);
  end_ = n;
}

ASHLAR_INLINE void line_file::add(std::string const& line) {
  std::string const whole = line + "\n";
  file_.write(end_, whole.data(), whole.size());
  end_ += whole.size();
}

}  // namespace ashlar::train_detail
