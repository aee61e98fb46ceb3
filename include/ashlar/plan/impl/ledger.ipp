// SPDX-License-Identifier: BSL-1.0
// The functions of plan/ledger.hpp.

namespace ashlar::plan_detail {

ASHLAR_INLINE all_records::all_records(all_records const& other) {
  for (auto const& r : other) add(r);
}

ASHLAR_INLINE all_records& all_records::operator=(all_records other) {
  std::swap(size_, other.size_);
  std::swap(next_, other.next_);
  std::swap(room_, other.room_);
  std::swap(record_, other.record_);
  return *this;
}

ASHLAR_INLINE void all_records::add(collective_record const& r) {
  std::size_t i = next_;  // a program repeats its calls in the same order
  if (i >= size_ || !is_same_call(record_[i], r))
    for (i = 0; i < size_ && !is_same_call(record_[i], r);) ++i;
  next_ = i + 1;
  if (i < size_) {
    record_[i].times += r.times;
    return;
  }
  if (size_ == room_) grow();
  record_[size_++] = r;
}

ASHLAR_INLINE void all_records::grow() {
  std::size_t const room = room_ == 0 ? few_records::capacity : 2 * room_;
  auto* const more = new collective_record[room];
  for (std::size_t i = 0; i < size_; ++i) more[i] = record_[i];
  delete[] record_;
  record_ = more;
  room_ = room;
}

}  // namespace ashlar::plan_detail
