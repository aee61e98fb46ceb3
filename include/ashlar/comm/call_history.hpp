// What a rank calls, as a number, and what it called last.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "ashlar/comm/verb_log.hpp"

namespace ashlar::detail {

/// A number that tells calls apart: the ranks of a group call the same if and, but for one chance in 2^56, only if their
/// numbers are equal. The first byte is the verb.
constexpr std::uint64_t fingerprint(verb what, auto... more) {
  auto const first = static_cast<std::uint64_t>(what) << 56;
  std::uint64_t h = first;
  auto const mix = [&](std::uint64_t v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  };
  (mix(static_cast<std::uint64_t>(more)), ...);
  return (h & 0x00FFFFFFFFFFFFFFu) | first;
}

/// The verbs that a rank has begun on one mesh: how many, and the last ones.
class call_history {
 public:
  void begin(std::uint64_t print, comm::verb_event const& e) { last_[begun_++ % last_.size()] = {print, e}; }
  /// A verb has ended by an exception.
  void give_up(std::uint64_t number) {
    if (knows(number)) last_[number % last_.size()].given_up = true;
  }
  std::uint64_t begun() const { return begun_; }
  bool knows(std::uint64_t number) const { return number < begun_ && number + last_.size() >= begun_; }
  /// Pre: knows(number).
  std::uint64_t fingerprint_of(std::uint64_t number) const { return last_[number % last_.size()].print; }
  std::string text_of(std::uint64_t number) const { return to_string(last_[number % last_.size()].event); }
  bool given_up(std::uint64_t number) const { return last_[number % last_.size()].given_up; }

 private:
  struct call {
    std::uint64_t print = 0;
    comm::verb_event event;
    bool given_up = false;
  };
  std::array<call, 64> last_;
  std::uint64_t begun_ = 0;
};

}  // namespace ashlar::detail
