// SPDX-License-Identifier: BSL-1.0
// The functions of comm/node/process.hpp.
#include <cerrno>
#include <unistd.h>
#include <fcntl.h>
#include <cstring>
#include <cstdio>

namespace ashlar::comm_detail {

ASHLAR_INLINE std::optional<std::uint64_t> beginning_of(pid_t process) {
  if (kill(process, 0) != 0 && errno == ESRCH) return 0;
#if ASHLAR_LINUX
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

ASHLAR_INLINE bool known_process::has_ended() const {
  if (number_ == 0) return false;
  auto const begins = beginning_of(number_);
  return begins && (*begins == 0 || (began_ && *began_ != *begins));
}

}  // namespace ashlar::comm_detail
