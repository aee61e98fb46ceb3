// SPDX-License-Identifier: BSL-1.0
// The last calls of a rank.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "ashlar/comm/collective_log.hpp"
#include "ashlar/comm/desync/fingerprint.hpp"
#include "ashlar/comm/desync/made_tensors.hpp"

namespace ashlar::comm_detail {

/// A call as its rank has recorded it.
struct recorded_call {
  std::uint64_t number = ~std::uint64_t{0};  // position in the history.
  std::uint64_t fingerprint = 0;
  std::uint64_t number_on_mesh = 0;  // from 1; 0: it makes a mesh.
  collective_event event{};
  bool given_up = false;
  bool completed = false;
  tensors_before tensors{};

  std::string text() const { return to_string(event); }
};

/// The lines of calls, as two numbers: one depends on the order of the lines, the other does not. Ranks may make one call
/// in different lines. But if they have the same lines in another order, they have exchanged calls.
struct lines_of_calls {
  std::uint64_t in_order = 0, in_any_order = 0;
  void add(unsigned line) {
    in_order = mixed_words(in_order, line);
    in_any_order += mixed_words(1, line);
  }
};

/// The calls that a rank has begun on the meshes made from one communicator, in order: their number, and the last 64.
class call_history {
 public:
  /// Returns the call's number.
  std::uint64_t begin(recorded_call const& c) {
    std::uint64_t const number = begun_++;
    mixed_ = fingerprint_of(collective::exchange, mixed_, c.fingerprint);
    lines_.add(c.event.line);
    // If this rank may have lost count, find() does not return the call.
    recorded_call& last = last_[number % last_.size()] = c;
    last.number = counts_ ? number : ~number;
    return number;
  }
  /// Marks a call that an exception has ended.
  void give_up(std::uint64_t number) {
    if (recorded_call* const c = at(number)) c->given_up = true;
  }
  /// Marks a call that has ended.
  void complete(std::uint64_t number) {
    if (recorded_call* const c = at(number)) c->completed = true;
  }
  /// Call it if the ranks have not called the same: their numbers of calls may differ from now on.
  void lose_count() { counts_ = false; }
  /// Sets the number of calls. From here on all ranks count alike.
  void go_on_from(std::uint64_t number) {
    begun_ = first_ = number;
    mixed_ = 0;
    have_compared_lines();
    counts_ = true;
  }
  /// The lines of all calls since they were last compared.
  lines_of_calls const& lines() const { return lines_; }
  std::uint64_t lines_from() const { return lines_from_; }
  void have_compared_lines() { lines_ = {}, lines_from_ = begun_; }
  /// The fingerprint of all calls since go_on_from.
  std::uint64_t mixed_fingerprints() const { return mixed_; }
  bool counts() const { return counts_; }
  std::uint64_t counts_from() const { return first_; }
  std::uint64_t begun() const { return begun_; }
  /// Null if the call has not begun, was forgotten, or may have another number on other ranks.
  recorded_call const* find(std::uint64_t number) const { return const_cast<call_history*>(this)->at(number); }

 private:
  recorded_call* at(std::uint64_t number) {
    recorded_call& c = last_[number % last_.size()];
    return c.number == number ? &c : nullptr;
  }

  std::array<recorded_call, 64> last_;
  std::uint64_t begun_ = 0, first_ = 0, mixed_ = 0;
  bool counts_ = true;
  lines_of_calls lines_;
  std::uint64_t lines_from_ = 0;  // the first call of these
};

}  // namespace ashlar::comm_detail
