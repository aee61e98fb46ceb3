// SPDX-License-Identifier: BSL-1.0
// The functions of train/progress.hpp.
#include <cstdlib>

namespace ashlar::training {

ASHLAR_INLINE void progress::start_epoch(int number, index_t done_before) {
  if (!active_) return;
  close_line();
  epoch_ = number > 0 ? number : epoch_ + 1;
  before_ = done_before;
  running_ = true;
  next_percent_ = percent_per_line_;
  start_ = clock::now();
  drawn_ = {};
}

ASHLAR_INLINE void progress::show(index_t images, double loss, double share) {
  show(images, [&] {
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, "loss %.4f  accuracy %.4f  %6.0f images/s", loss, share,
                  static_cast<double>(images - before_) / seconds());
    return std::string(numbers);
  });
}

ASHLAR_INLINE void progress::erase() {
  if (line_open_) write("\r\x1b[K");
  line_open_ = running_ = false;
}

ASHLAR_INLINE int progress::columns(std::FILE* out) {
  winsize size{};
  return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

ASHLAR_INLINE bool progress::is_terminal(std::FILE* out) {
  char const* terminal = std::getenv("TERM");
  return isatty(fileno(out)) && columns(out) > 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

ASHLAR_INLINE std::string progress::percent_text(int percent) {
  std::string const text = std::to_string(percent);
  return std::string(5 - text.size(), ' ') + text + "%";
}

ASHLAR_INLINE std::string progress::time_text(double seconds) {
  auto const s = static_cast<long long>((std::min)(seconds + 0.5, 1e12));
  char text[40];
  if (s < 3600)
    std::snprintf(text, sizeof text, "%lld:%02lld", s / 60, s % 60);
  else
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
  return text;
}

ASHLAR_INLINE void progress::draw(std::string const& head, int percent, std::string const& tail) {
  int const known = columns(out_), width = (known > 0 ? known : 80) - 1;
  int const room = (std::min)(width - static_cast<int>(head.size() + tail.size()) - 3, 40);
  std::string line = head;
  if (room >= 5) {
    std::string cells(static_cast<std::size_t>(room * percent / 100), '=');
    if (percent < 100) cells += '>';
    cells.resize(static_cast<std::size_t>(room), ' ');
    line += " [" + cells + "]";
  } else {
    line += percent_text(percent);
  }
  line += tail;
  line.resize((std::min)(line.size(), static_cast<std::size_t>(width)));
  write("\r" + line + "\x1b[K");
  line_open_ = true;
}

ASHLAR_INLINE void progress::close_line() {
  if (line_open_) write("\n");
  line_open_ = false;
}

ASHLAR_INLINE void progress::write(std::string const& text) {
  std::fwrite(text.data(), 1, text.size(), out_);
  std::fflush(out_);
}

}  // namespace ashlar::training
