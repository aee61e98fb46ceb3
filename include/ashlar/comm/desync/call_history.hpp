// What a rank calls, as a number, and what it called last.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "ashlar/comm/collective_log.hpp"

namespace ashlar::detail {

/// A number that tells calls apart: the ranks of a group call the same if and, but for one chance in 2^56, only if their
/// numbers are equal. The first byte is the collective.
constexpr std::uint64_t fingerprint_of(collective what, auto... more) {
  auto const first = static_cast<std::uint64_t>(what) << 56;
  std::uint64_t h = first;
  auto const mix = [&](std::uint64_t v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  };
  (mix(static_cast<std::uint64_t>(more)), ...);
  return (h & 0x00FFFFFFFFFFFFFFu) | first;
}

/// What tells element types apart there: size and, of numbers, kind.
template <class T>
inline constexpr std::uint64_t element_code = sizeof(T) << 2 | (std::is_floating_point_v<T> ? 1u : std::is_signed_v<T> ? 2u : std::is_unsigned_v<T> ? 3u : 0u);

/// What a rank knows of one of its calls.
struct recorded_call {
  std::uint64_t number = ~std::uint64_t{0};  // among those of the history
  std::uint64_t fingerprint = 0;
  std::uint64_t number_on_mesh = 0;  // from 1; 0: it makes a mesh
  comm::collective_event event;
  bool given_up = false;

  std::string text() const { return to_string(event); }
};

/// The calls that a rank has begun on the meshes made from one communicator, in their order: how many, and the last ones.
class call_history {
 public:
  /// Returns the call's number.
  std::uint64_t begin(std::uint64_t fingerprint, std::uint64_t number_on_mesh, comm::collective_event const& e) {
    std::uint64_t const number = begun_++;
    // Where this rank may have lost count it tells nobody.
    last_[number % last_.size()] = {counts_ ? number : ~number, fingerprint, number_on_mesh, e, false};
    return number;
  }
  /// A call has ended by an exception.
  void give_up(std::uint64_t number) {
    if (recorded_call* const c = at(number)) c->given_up = true;
  }
  /// The ranks have not called the same, and may have called more or less than others.
  void lose_count() { counts_ = false; }
  /// From here on all ranks count alike.
  void go_on_from(std::uint64_t number) {
    begun_ = first_ = number;
    counts_ = true;
  }
  bool counts() const { return counts_; }
  std::uint64_t counts_from() const { return first_; }
  std::uint64_t begun() const { return begun_; }
  /// Null where it has not begun, was forgotten, or may have another number on other ranks.
  recorded_call const* find(std::uint64_t number) const { return const_cast<call_history*>(this)->at(number); }

 private:
  recorded_call* at(std::uint64_t number) {
    recorded_call& c = last_[number % last_.size()];
    return c.number == number ? &c : nullptr;
  }

  std::array<recorded_call, 64> last_;
  std::uint64_t begun_ = 0, first_ = 0;
  bool counts_ = true;
};

}  // namespace ashlar::detail
