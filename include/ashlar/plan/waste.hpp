// SPDX-License-Identifier: BSL-1.0
// Pairs of redistributions of which one is needless.
#pragma once
#include "ashlar/config.hpp"

namespace ashlar::planning {

/// The reason why two redistributions of a tensor, one after the other, are wasteful.
/// gather_then_slice: the second keeps a part of the elements that the first gathers along the same axis.
/// reduce_then_slice: the second keeps a part of the sums that the first reduces over the same axis.
/// there_and_back: the second gives the layout before the first. Both communicate.
enum class waste_kind : unsigned char { gather_then_slice, reduce_then_slice, there_and_back };

/// Two redistributions that are wasteful together: the reason, the lines of both, and how often they occur.
struct waste_record {
  waste_kind why = waste_kind::there_and_back;
  unsigned first_line = 0, second_line = 0;
  char const* first_file = "";
  char const* second_file = "";
  int times = 1;
};

}  // namespace ashlar::planning

namespace ashlar::plan_detail {

// True if two texts are equal. Their addresses may differ.
constexpr bool same_text(char const* p, char const* q) {
  while (*p != '\0' && *p == *q) ++p, ++q;
  return *p == *q;
}

/// The wasteful pairs of a dry run, each once. Different pairs beyond `capacity` are left out.
class waste_records {
 public:
  static constexpr int capacity = 32;
  constexpr void add(waste_record const& r) {
    for (int i = 0; i < size_; ++i) {
      waste_record& known = record_[i];
      if (known.why == r.why && known.first_line == r.first_line && known.second_line == r.second_line &&
          same_text(known.first_file, r.first_file) && same_text(known.second_file, r.second_file)) {
        known.times += r.times;
        return;
      }
    }
    if (size_ < capacity) record_[size_++] = r;
  }
  constexpr int size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr waste_record const* begin() const { return record_; }
  constexpr waste_record const* end() const { return record_ + size_; }
  constexpr waste_record const& operator[](int i) const { return record_[i]; }

 private:
  int size_ = 0;
  waste_record record_[capacity]{};
};

/// The redistribution that made an abstract tensor: the layout before it, encoded, the axes of its all_gathers and of
/// its reductions, and its call site. The line is 0 if no redistribution made the tensor.
struct redistribution_origin {
  unsigned long long code = 0, blocks = 0;
  unsigned gathered = 0, reduced = 0;
  bool communicated = false, was_partial = false;
  unsigned line = 0;
  char const* file = "";
};

}  // namespace ashlar::plan_detail
