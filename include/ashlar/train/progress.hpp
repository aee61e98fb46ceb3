// SPDX-License-Identifier: BSL-1.0
// The progress of a training run: a bar on a terminal, plain lines elsewhere.
#pragma once
#include "ashlar/config.hpp"
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace ashlar::training {

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
  void start_epoch(int number = 0, index_t done_before = 0);

  /// Reports that `images` images of the epoch are done. The epoch ends with its last image.
  void show(index_t images, double loss, double share);
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
  void erase();

 private:
  using clock = std::chrono::steady_clock;

  double seconds() const { return (std::max)(std::chrono::duration<double>(clock::now() - start_).count(), 1e-9); }
  static int columns(std::FILE* out);
  static bool is_terminal(std::FILE* out);
  static std::string percent_text(int percent);
  static std::string time_text(double seconds);

  // Overwrites the whole line by one write and erases only its remainder, so that nothing flickers. Leaves the last
  // column free, since some terminals wrap there. Shows a percentage if there is no room for a bar.
  void draw(std::string const& head, int percent, std::string const& tail);
  void close_line();
  void write(std::string const& text);

  std::FILE* out_;
  bool active_, bar_, running_ = false, line_open_ = false;
  int epochs_, epoch_ = 0;
  index_t images_, before_ = 0;
  int percent_per_line_, next_percent_ = 0;
  std::string head_;
  clock::time_point start_{}, drawn_{};
};

}  // namespace ashlar::training

#if ASHLAR_IMPL
#include "ashlar/train/impl/progress.ipp"
#endif
