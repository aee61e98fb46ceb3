// Whether a process of this machine has ended.
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace ashlar::comm_detail {

/// The time at which a process began, in ticks since the machine's start. It is 0 if the process has ended, even if
/// its parent has not yet learned it. Nothing if the system does not tell.
inline std::optional<std::uint64_t> beginning_of(pid_t process) {
  if (kill(process, 0) != 0 && errno == ESRCH) return 0;
#ifdef __linux__
  char text[1024];
  std::snprintf(text, sizeof text, "/proc/%ld/stat", static_cast<long>(process));
  int const file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  ssize_t const n = read(file, text, sizeof text - 1);
  ::close(file);
  if (n <= 0) return {};
  text[n] = '\0';
  // Field 2 is the program's name in parentheses, which may contain any character. Field 3 is the state.
  char const* at = std::strrchr(text, ')');
  if (at == nullptr || at[1] != ' ') return {};
  at += 2;
  if (*at == 'Z' || *at == 'X') return 0;
  constexpr int state = 3, beginning = 22;
  for (int field = state; field < beginning; ++field) {
    at = std::strchr(at, ' ');
    if (at == nullptr) return {};
    ++at;
  }
  return std::strtoull(at, nullptr, 10);
#else
  return {};
#endif
}

/// A process that this one has seen alive. Another process that gets its number later is not taken for it.
class known_process {
 public:
  known_process() = default;
  explicit known_process(pid_t number) : number_(number), began_(beginning_of(number)) {}
  /// The process of this number, or none if the one that has it here began at another time.
  static known_process that_began(pid_t number, std::uint64_t beginning) {
    known_process const found(number);
    return beginning != 0 && found.began_ == beginning ? found : known_process();
  }
  /// False for no process.
  bool has_ended() const {
    if (number_ == 0) return false;
    auto const begins = beginning_of(number_);
    return begins && (*begins == 0 || (began_ && *began_ != *begins));
  }

 private:
  pid_t number_ = 0;
  std::optional<std::uint64_t> began_;
};

}  // namespace ashlar::comm_detail
