// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/call_history.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE void call_history::complete(std::uint64_t number) {
  if (recorded_call* const c = at(number)) c->completed = true;
}

ASHLAR_INLINE void call_history::go_on_from(std::uint64_t number) {
  begun_ = first_ = number;
  mixed_ = 0;
  have_compared_lines();
  counts_ = true;
}

ASHLAR_INLINE recorded_call* call_history::at(std::uint64_t number) {
  recorded_call& c = last_[number % last_.size()];
  return c.number == number ? &c : nullptr;
}

}  // namespace ashlar::comm_detail
