// Progress on pseudo-terminals and files: what a reader would see at the end, and how often it was drawn.
#include "ashlar/train/progress.hpp"
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <chrono>
#include <cmath>
#include <cstring>
#include <sstream>
#include <thread>
#include <vector>

using namespace ashlar;
using namespace ashlar::training;

namespace {

using clock_type = std::chrono::steady_clock;
double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}
void rest(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

// A pseudo-terminal: `file` is what a program writes to, `text` all that came out on the other side.
struct terminal {
  int master = -1;
  std::FILE* file = nullptr;
  std::string text;

  explicit terminal(int columns) {
    int slave = -1;
    REQUIRE(openpty(&master, &slave, nullptr, nullptr, nullptr) == 0);
    file = fdopen(slave, "w");
    REQUIRE(file != nullptr);
    set_columns(columns);
    setenv("TERM", "xterm", 1);
  }
  ~terminal() {
    std::fclose(file);
    close(master);
  }
  void set_columns(int columns) {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = static_cast<unsigned short>(columns);
    REQUIRE(ioctl(master, TIOCSWINSZ, &size) == 0);
  }
  std::string const& read() {
    for (pollfd p{master, POLLIN, 0}; poll(&p, 1, 0) == 1 && (p.revents & POLLIN);) {
      char buffer[4096];
      auto const n = ::read(master, buffer, sizeof buffer);
      if (n <= 0) break;
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  }
};

// What stands on a screen of that width: it wraps where a line is full, as terminals do.
struct screen {
  std::vector<std::string> lines{""};
  std::size_t at = 0;
  bool wrapped = false;

  screen(std::string const& text, std::size_t columns) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string& line = lines.back();
      if (text[i] == '\r') {
        at = 0;
      } else if (text[i] == '\n') {
        lines.emplace_back(at, ' ');
      } else if (text.compare(i, 3, "\x1b[K") == 0) {
        line.resize(at);
        i += 2;
      } else {
        if (line.size() <= at) line.resize(at + 1);
        line[at++] = text[i];
        wrapped = wrapped || at == columns;
      }
    }
  }
};

std::size_t frames(std::string const& text) {
  std::size_t n = 0;
  for (std::size_t i = 0; (i = text.find("\x1b[K", i)) != std::string::npos; ++i) ++n;
  return n;
}

std::string content(std::FILE* file) {
  std::string text;
  std::rewind(file);
  for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  return text;
}

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  for (std::size_t i = 0, end; (end = text.find('\n', i)) != std::string::npos; i = end + 1)
    lines.push_back(text.substr(i, end - i));
  return lines;
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a terminal ends up with one line for each epoch, however often it was drawn") {
  terminal t(100);
  {
    progress bar(t.file, true, 3, 1000);
    for (int epoch = 0; epoch < 3; ++epoch) {
      bar.start_epoch();
      for (int i = 1; i <= 10; ++i) {
        rest(i == 5 ? 120 : 1);
        bar.show(100 * i, 1000.0 / i, 0.05 * i);
        t.read();
      }
    }
  }
  screen const s(t.read(), 100);
  CHECK(frames(t.text) > 3);
  CHECK(!s.wrapped);
  REQUIRE(s.lines.size() == 4);
  for (std::size_t e = 0; e < 3; ++e) {
    CAPTURE(s.lines[e]);
    CHECK(s.lines[e].find("epoch " + std::to_string(e + 1) + "/3 [=====") == 0);
    CHECK(contains(s.lines[e], "=]  loss 100.0000  accuracy 0.5000  "));
    CHECK(contains(s.lines[e], " images/s  0:0"));
    CHECK(!contains(s.lines[e], ">"));
    CHECK(!contains(s.lines[e], "left"));
  }
  CHECK(s.lines[3].empty());
}

TEST_CASE("before its end a line has the share that is done") {
  terminal t(120);
  progress bar(t.file, true, 2, 200);
  bar.start_epoch();
  rest(10);  // too short, and the speed takes the room of the bar
  bar.show(50, 0.25, 0.75);
  auto const line = screen(t.read(), 120).lines.back();
  CAPTURE(line);
  CHECK(line.find("epoch 1/2 [==========>                             ]  loss 0.2500  accuracy 0.7500  ") == 0);
}

TEST_CASE("images per second and time left, of seconds, minutes and hours, go on from what was done so far") {
  for (index_t images : {10, 1000, 100000}) {
    terminal t(120);
    progress bar(t.file, true, 1, images);
    auto const not_begun = clock_type::now();
    bar.start_epoch();
    auto const begun = clock_type::now();
    rest(300);
    double const before = seconds_since(begun);
    bar.show(1, 0, 0.5);
    double const after = seconds_since(not_begun);

    auto const line = screen(t.read(), 120).lines.back();
    CAPTURE(line);
    double speed = -1;
    char time[20];
    REQUIRE(std::sscanf(line.c_str() + line.find("0.5000"), "0.5000 %lf images/s %19s left", &speed, time) == 2);
    CHECK(std::abs(speed - 1 / before) <= 1 / before - 1 / after + 0.5);
    double left = 0;
    std::istringstream parts(time);
    for (std::string part; std::getline(parts, part, ':');) left = 60 * left + std::stod(part);
    auto const remaining = static_cast<double>(images - 1);
    CHECK(left >= before * remaining - 0.5);
    CHECK(left <= after * remaining + 0.5);
    CHECK(std::count(time, time + std::strlen(time), ':') == (left < 3600 ? 1 : 2));
  }
}

TEST_CASE("an epoch that an earlier run began has the speed and the time left of this run") {
  terminal t(120);
  progress bar(t.file, true, 4, 1000);
  auto const not_begun = clock_type::now();
  bar.start_epoch(3, 900);
  auto const begun = clock_type::now();
  bar.show(900, 0, 0.5);  // nothing of this run yet
  CHECK(contains(screen(t.read(), 120).lines.back(), " 0 images/s"));
  CHECK(!contains(t.text, "left"));
  rest(300);
  double const before = seconds_since(begun);
  bar.show(910, 0, 0.5);
  double const after = seconds_since(not_begun);
  auto const line = screen(t.read(), 120).lines.back();
  CAPTURE(line);
  CHECK(line.find("epoch 3/4 [") == 0);
  double speed = -1, left = -1;
  REQUIRE(std::sscanf(line.c_str() + line.find("0.5000"), "0.5000 %lf images/s 0:%lf left", &speed, &left) == 2);
  CHECK(std::abs(speed - 10 / before) <= 10 / before - 10 / after + 0.5);
  CHECK(std::abs(left - 9 * before) <= 9 * (after - before) + 0.5);
}

TEST_CASE("what is written next stands in the place of a bar that is erased") {
  terminal t(80);
  {
    progress bar(t.file, true, 2, 100);
    bar.erase();  // there is none
    for (char const* row : {"  1  0.5\n", "  2  0.4\n"}) {
      bar.start_epoch();
      bar.show(10, 1, 0.5);
      bar.erase();
      bar.show(100, 1, 0.5);  // the epoch is over
      std::fputs(row, t.file);
      std::fflush(t.file);
    }
  }
  CHECK(screen(t.read(), 80).lines == std::vector<std::string>{"  1  0.5", "  2  0.4", ""});
}

TEST_CASE("a terminal is drawn ten times a second at most") {
  terminal t(100);
  progress bar(t.file, true, 1, 1000000000);
  bar.start_epoch();
  auto const start = clock_type::now();
  index_t calls = 0;
  while (seconds_since(start) < 0.45) bar.show(++calls, 1, 0);
  double const lasted = seconds_since(start);
  auto const n = static_cast<double>(frames(t.read()));
  CHECK(n >= 2);
  CHECK(n <= 1 + 10 * lasted);
  CHECK(calls > 1000);
}

TEST_CASE("a line is clipped to the terminal, whatever its width, and follows it") {
  for (int columns = 1; columns <= 130; ++columns) {
    terminal t(columns);
    progress bar(t.file, true, 100, 100);
    bar.start_epoch();
    bar.show(1, 12345.678, 0.5);
    bar.show(100, 1e30, 0.5);
    CHECK(!screen(t.read(), static_cast<std::size_t>(columns)).wrapped);
  }
  terminal t(60);
  progress bar(t.file, true, 1, 1000);
  bar.start_epoch();
  rest(10);
  bar.show(10, 1, 0.5);
  CHECK(screen(t.read(), 60).lines.back().find("epoch 1/1    1%  loss 1.0000  accuracy 0.5000 ") == 0);
  t.set_columns(90);
  t.text.clear();
  rest(110);
  bar.show(20, 1, 0.5);
  CHECK(contains(screen(t.read(), 90).lines.back(), " left"));
  CHECK(contains(t.text, "epoch 1/1 [>"));
  t.set_columns(20);
  t.text.clear();
  rest(110);
  bar.show(30, 1, 0.5);
  CHECK(!screen(t.read(), 20).wrapped);
}

TEST_CASE("one frame is one write, and the screen is never blanked before it") {
  int pipe_ends[2];
  REQUIRE(pipe2(pipe_ends, O_DIRECT) == 0);  // keeps writes apart
  std::FILE* out = fdopen(pipe_ends[1], "w");
  {
    progress bar(out, true, 1, 10, progress_style::bar);
    bar.start_epoch();
    bar.show(1, 1, 0.5);
    char buffer[4096];
    auto const n = ::read(pipe_ends[0], buffer, sizeof buffer);
    REQUIRE(n > 0);
    std::string const text(buffer, static_cast<std::size_t>(n));
    CHECK(text.front() == '\r');
    CHECK(text.find("\x1b[K") == text.size() - 3);
  }
  std::fclose(out);
  close(pipe_ends[0]);
}

TEST_CASE("an epoch that is broken off leaves the terminal on a fresh line") {
  terminal t(80);
  {
    progress bar(t.file, true, 2, 100);
    bar.start_epoch();
    bar.show(10, 1, 0.5);
    bar.start_epoch();
    bar.show(10, 1, 0.5);
  }
  screen const s(t.read(), 80);
  REQUIRE(s.lines.size() == 3);
  CHECK(s.lines[0].find("epoch 1/2") == 0);
  CHECK(s.lines[1].find("epoch 2/2") == 0);
  CHECK(s.lines[2].empty());
}

TEST_CASE("a file gets one plain line for each epoch, or one for each so many percent") {
  for (int percent : {100, 25, 30, 1}) {
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    {
      progress lines(file, true, 2, 128 * 1000, progress_style::automatic, percent);
      for (int epoch = 0; epoch < 2; ++epoch) {
        lines.start_epoch();
        for (int i = 1; i <= 1000; ++i) lines.show(128 * i, 0.5, 0.875);
      }
    }
    auto const text = content(file);
    std::fclose(file);
    CHECK(text.find_first_of("\r\x1b") == std::string::npos);
    auto const lines = lines_of(text);
    std::size_t const each = static_cast<std::size_t>((100 + percent - 1) / percent);
    REQUIRE(lines.size() == 2 * each);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      CAPTURE(lines[i]);
      int const done = std::min(percent * static_cast<int>(i % each + 1), 100);
      CHECK(lines[i].find(i < each ? "epoch 1/2 " : "epoch 2/2 ") == 0);
      CHECK(contains(lines[i], " " + std::to_string(done) + "%  loss 0.5000  accuracy 0.8750  "));
      CHECK(contains(lines[i], " left") == (done < 100));
    }
  }
}

TEST_CASE("steps larger than the percentage, and epochs of nothing") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  progress lines(file, true, 2, 10, progress_style::lines, 10);
  lines.start_epoch();
  for (index_t done : {4, 8, 10, 10}) lines.show(done, 1, 0);
  CHECK(lines_of(content(file)).size() == 3);
  std::fclose(file);

  std::FILE* other = std::tmpfile();
  REQUIRE(other != nullptr);
  progress empty(other, true, 1, 0);
  empty.show(0, 1, 0);  // no epoch has begun
  empty.start_epoch();
  empty.show(0, std::nan(""), 0);
  auto const text = content(other);
  CAPTURE(text);
  CHECK(lines_of(text).size() == 1);
  CHECK(contains(text, "100%  loss nan  accuracy 0.0000       0 images/s"));
  std::fclose(other);
}

TEST_CASE("who gets a bar: a terminal that has a width and understands how to erase") {
  auto const drawn = [](int columns, char const* name, progress_style style) {
    terminal t(columns);
    if (name == nullptr)
      unsetenv("TERM");
    else
      setenv("TERM", name, 1);
    progress p(t.file, true, 1, 10, style);
    p.start_epoch();
    p.show(10, 1, 0);
    return frames(t.read()) == 1;
  };
  CHECK(drawn(80, "xterm", progress_style::automatic));
  CHECK(!drawn(0, "xterm", progress_style::automatic));  // Open MPI's, when the output goes to a file
  CHECK(!drawn(80, "dumb", progress_style::automatic));
  CHECK(!drawn(80, nullptr, progress_style::automatic));
  CHECK(!drawn(80, "xterm", progress_style::lines));
  CHECK(drawn(0, "dumb", progress_style::bar));
}

TEST_CASE("a rank that is not active writes nothing") {
  for (progress_style style : {progress_style::automatic, progress_style::bar, progress_style::lines}) {
    terminal t(80);
    {
      progress silent(t.file, false, 1, 10, style);
      silent.start_epoch();
      for (int i = 0; i <= 10; ++i) silent.show(i, 1, 0);
    }
    CHECK(t.read().empty());
  }
}
