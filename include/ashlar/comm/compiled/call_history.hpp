// The functions of comm/desync/call_history.hpp.
#pragma once
#include "ashlar/comm/desync/call_history.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE std::uint64_t call_history::begin(std::uint64_t fingerprint, std::uint64_t number_on_mesh,
                                                comm::collective_event const& e) {
  std::uint64_t const number = begun_++;
  mixed_ = fingerprint_of(collective::exchange, mixed_, fingerprint);
  // If this rank may have lost count, find() does not return the call.
  last_[number % last_.size()] = {counts_ ? number : ~number, fingerprint, number_on_mesh, e, false};
  return number;
}

ASHLAR_INLINE void call_history::give_up(std::uint64_t number) {
  if (recorded_call* const c = at(number)) c->given_up = true;
}

ASHLAR_INLINE void call_history::go_on_from(std::uint64_t number) {
  begun_ = first_ = number;
  mixed_ = 0;
  counts_ = true;
}

ASHLAR_INLINE recorded_call* call_history::at(std::uint64_t number) {
  recorded_call& c = last_[number % last_.size()];
  return c.number == number ? &c : nullptr;
}

}  // namespace ashlar::comm_detail
