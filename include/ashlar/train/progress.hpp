// The progress of a training run: a bar on a terminal, plain lines elsewhere.
#pragma once
#include "ashlar/config.hpp"
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace ashlar {

/// How progress is shown. `automatic` draws a bar on a terminal of known width.
/// Being a terminal is not enough: Open MPI's mpiexec gives a rank a terminal of width 0 even if its output goes to a
/// file. MPICH's always gives it a pipe.
enum class progress_style { automatic, bar, lines };

/// Shows the progress of each epoch, with loss, accuracy, images per second and the remaining time. At the end of the
/// epoch it shows the time that it took instead. A bar is redrawn at most 10 times per second and never wraps. `head`
/// replaces "epoch 1/5".
/// Pre: epochs >= 1, images_per_epoch >= 0, 1 <= percent_per_line <= 100.
/// Collective: no. All ranks may call it; ranks with active == false return at once.
/// Cost: one read of the clock, unless something is written.
/// Example: progress bar(stdout, rank == 0, 5, 60000); bar.start_epoch(); bar.show(128, 2.31, 0.09);
class progress {
 public:
  progress(std::FILE* out, bool active, int epochs, index_t images_per_epoch,
           progress_style style = progress_style::automatic, int percent_per_line = 100, std::string head = "")
      : out_(out),
        active_(active),
        bar_(style == progress_style::bar || (style == progress_style::automatic && active && is_terminal(out))),
        epochs_(epochs),
        images_(images_per_epoch),
        percent_per_line_(percent_per_line),
        head_(std::move(head)) {}
  ~progress() { close_line(); }
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  /// Starts the next epoch and its clock, or the epoch `number` if that is positive. If a run resumes in the middle of
  /// an epoch, `done_before` of its images were done before.
  void start_epoch(int number = 0, index_t done_before = 0) {
    if (!active_) return;
    close_line();
    epoch_ = number > 0 ? number : epoch_ + 1;
    before_ = done_before;
    running_ = true;
    next_percent_ = percent_per_line_;
    start_ = clock::now();
    drawn_ = {};
  }

  /// Reports that `images` images of the epoch are done. The epoch ends with its last image.
  void show(index_t images, double loss, double accuracy) {
    show(images, [&] {
      char numbers[160];
      std::snprintf(numbers, sizeof numbers, "loss %.4f  accuracy %.4f  %6.0f images/s", loss, accuracy,
                    static_cast<double>(images - before_) / seconds());
      return std::string(numbers);
    });
  }
  /// Shows other numbers: the text numbers(), which is called only if something is written.
  template <class Numbers>
    requires requires(Numbers const& n) { std::string(n()); }
  void show(index_t images, Numbers const& numbers) {
    if (!running_) return;
    auto const now = clock::now();
    bool const last = images >= images_;
    int const percent = last ? 100 : static_cast<int>(100 * images / images_);
    if (!last && (bar_ ? now - drawn_ < std::chrono::milliseconds(100) : percent < next_percent_)) return;

    std::string const head = head_.empty() ? "epoch " + std::to_string(epoch_) + "/" + std::to_string(epochs_) : head_;
    std::string tail = "  " + numbers() + "  ";
    if (last)
      tail += time_text(seconds());
    else if (images > before_)
      tail += time_text(static_cast<double>(images_ - images) * seconds() / static_cast<double>(images - before_)) +
              " left";

    if (bar_) {
      drawn_ = now;
      draw(head, percent, tail);
    } else {
      next_percent_ = (percent / percent_per_line_ + 1) * percent_per_line_;
      write(head + percent_text(percent) + tail + "\n");
    }
    if (last) close_line();
    running_ = !last;
  }

  /// Ends the epoch without its last line. Erases a bar, so that the next output, such as a table's row, takes its
  /// place.
  void erase() {
    if (line_open_) write("\r\x1b[K");
    line_open_ = running_ = false;
  }

 private:
  using clock = std::chrono::steady_clock;

  double seconds() const { return std::max(std::chrono::duration<double>(clock::now() - start_).count(), 1e-9); }
  static int columns(std::FILE* out) {
    winsize size{};
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  }
  static bool is_terminal(std::FILE* out) {
    char const* terminal = std::getenv("TERM");
    return isatty(fileno(out)) && columns(out) > 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
  }
  static std::string percent_text(int percent) {
    std::string const text = std::to_string(percent);
    return std::string(5 - text.size(), ' ') + text + "%";
  }
  static std::string time_text(double seconds) {
    auto const s = static_cast<long long>(std::min(seconds + 0.5, 1e12));
    char text[40];
    if (s < 3600)
      std::snprintf(text, sizeof text, "%lld:%02lld", s / 60, s % 60);
    else
      std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    return text;
  }

  // Overwrites the whole line by one write and erases only its remainder, so that nothing flickers. Leaves the last
  // column free, since some terminals wrap there. Shows a percentage if there is no room for a bar.
  void draw(std::string const& head, int percent, std::string const& tail) {
    int const known = columns(out_), width = (known > 0 ? known : 80) - 1;
    int const room = std::min(width - static_cast<int>(head.size() + tail.size()) - 3, 40);
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
    line.resize(std::min(line.size(), static_cast<std::size_t>(width)));
    write("\r" + line + "\x1b[K");
    line_open_ = true;
  }
  void close_line() {
    if (line_open_) write("\n");
    line_open_ = false;
  }
  void write(std::string const& text) {
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
  }

  std::FILE* out_;
  bool active_, bar_, running_ = false, line_open_ = false;
  int epochs_, epoch_ = 0;
  index_t images_, before_ = 0;
  int percent_per_line_, next_percent_ = 0;
  std::string head_;
  clock::time_point start_{}, drawn_{};
};

}  // namespace ashlar
