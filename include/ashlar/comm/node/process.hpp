// SPDX-License-Identifier: BSL-1.0
// Whether a process of this machine has ended.
#pragma once
#include <signal.h>
#include <sys/types.h>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "ashlar/config.hpp"

namespace ashlar::comm_detail {

/// The time at which a process began, in ticks since the machine's start. It is 0 if the process has ended, even if
/// its parent has not yet learned it. Nothing if the system does not tell.
ASHLAR_INLINE std::optional<std::uint64_t> beginning_of(pid_t process);

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
  bool has_ended() const;

 private:
  pid_t number_ = 0;
  std::optional<std::uint64_t> began_;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/node/impl/process.ipp"
#endif
