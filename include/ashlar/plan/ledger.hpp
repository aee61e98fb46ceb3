// SPDX-License-Identifier: BSL-1.0
// The communication ledger: the list of collectives that a program performs.
#pragma once
#include "ashlar/layout/layout.hpp"
#include "ashlar/meta/error.hpp"
#include "ashlar/plan/step.hpp"
#include "ashlar/plan/waste.hpp"
#include <source_location>

namespace ashlar {

/// The line of a program that calls a function. Errors, ledgers and reports name it.
using call_site = std::source_location;

/// The part of a training step that a collective belongs to.
enum class pass : unsigned char { forward, backward, update };

/// The name of a pass.
/// Example: to_text(pass::forward) is "forward"
constexpr char const* to_text(pass p) {
  return p == pass::forward ? "forward" : p == pass::backward ? "backward" : "update";
}

namespace plan_detail {
// The axes of a literal as a mask of positions in a list of names.
template <class Names>
constexpr axis_mask mask_of_literal(dimension const& axes) {
  axis_mask m = 0;
  for (unsigned i = 0, end = 0; i < axes.size; i = end + 1) {
    end = name_end(axes, i);
    int found = -1;
    for (int a = 0; a < Names::size; ++a) {
      char const* name = name_text<Names>(a);
      unsigned k = 0;
      while (i + k < end && name[k] == axes[i + k]) ++k;
      if (i + k == end && name[k] == '\0') found = a;
    }
    if (found < 0) fail("ashlar::ledger: the mesh has no axis of this name; ask for one of its axes");
    m |= mask_of(found);
  }
  return m;
}

/// The equal collectives of one call site: name, axes, pass, call site and their number. The bytes count one
/// collective, for the rank that receives most. For exchange_halo and add_halo `neighbours` is the number of ranks that this rank
/// receives from. Of a bundle it is the largest number of one field. For other collectives it is 0.
struct collective_record {
  collective what = collective::all_reduce;
  axis_mask axes = 0;
  index_t bytes_per_rank = 0;
  pass when = pass::forward;
  unsigned line = 0;
  char const* file = "";
  int times = 1;
  int neighbours = 0;
};

/// The collectives of one name, axes and pass in a dry run that have no record: their number and bytes.
struct collective_total {
  collective what = collective::all_reduce;
  axis_mask axes = 0;
  pass when = pass::forward;
  int times = 0;
  index_t bytes_per_rank = 0;
};

// The totals of a ledger.
struct collective_totals {
  collective_total const* first = nullptr;
  collective_total const* last = nullptr;
  constexpr collective_total const* begin() const { return first; }
  constexpr collective_total const* end() const { return last; }
};

// True if two records differ in nothing but their numbers of collectives.
constexpr bool is_same_call(collective_record const& a, collective_record const& b) {
  if (a.line != b.line || a.bytes_per_rank != b.bytes_per_rank || a.axes != b.axes || a.what != b.what ||
      a.when != b.when || a.neighbours != b.neighbours)
    return false;
  return same_text(a.file, b.file);
}

/// The records of a dry run. A constant expression can hold them. The first `capacity` different collectives have one
/// record each. Further ones are added to a total of their kind.
/// Error: for more than `most_totals` kinds of further collectives, ashlar::error at run time, or the sentence in a
///   constant expression.
class few_records {
 public:
  static constexpr int capacity = 512, most_totals = 64;
  constexpr void add(collective_record const& r) {
    unsigned const slot = slot_of(r);
    if (slot_[slot] > 0) {
      record_[slot_[slot] - 1].times += r.times;
    } else if (size_ < capacity) {
      record_[size_++] = r;
      slot_[slot] = static_cast<short>(size_);
    } else {
      add_to_total(r);
    }
  }
  constexpr collective_record const* begin() const { return record_; }
  constexpr collective_record const* end() const { return record_ + size_; }
  constexpr collective_totals further() const { return {total_, total_ + totals_}; }

 private:
  // A compiler counts the steps of an evaluation, and a search of all records would take most of them.
  static constexpr unsigned slot_count = 2 * capacity;
  constexpr unsigned slot_of(collective_record const& r) const {
    unsigned slot = (r.line * 0x9e3779b1U) ^ (static_cast<unsigned>(r.bytes_per_rank) * 0x85ebca6bU) ^
                    ((r.axes * 64U + static_cast<unsigned>(r.what) * 4U + static_cast<unsigned>(r.when)) * 0xc2b2ae35U);
    slot = (slot ^ slot >> 15) % slot_count;
    while (slot_[slot] > 0 && !is_same_call(record_[slot_[slot] - 1], r)) slot = (slot + 1) % slot_count;
    return slot;
  }
  constexpr void add_to_total(collective_record const& r) {
    int i = 0;
    while (i < totals_ && (total_[i].what != r.what || total_[i].axes != r.axes || total_[i].when != r.when)) ++i;
    if (i == most_totals)
      fail("ashlar::ledger: more than 64 kinds of collectives have no record; analyse a part of the program");
    if (i == totals_) total_[totals_++] = {r.what, r.axes, r.when};
    total_[i].times += r.times;
    total_[i].bytes_per_rank += r.times * r.bytes_per_rank;
  }

  int size_ = 0, totals_ = 0;
  collective_record record_[capacity]{};
  short slot_[slot_count]{};  // the number of a record, from 1 on
  collective_total total_[most_totals]{};
};

class alternative;

/// The records of a program that runs, without a limit on their number. (A dry run cannot return them: clang evaluates
/// an expression twice if its temporaries have a destructor.)
class all_records {
 public:
  all_records() = default;
  all_records(all_records const& other);
  all_records& operator=(all_records other);
  ~all_records() { delete[] record_; }
  void add(collective_record const& r);
  collective_record const* begin() const { return record_; }
  collective_record const* end() const { return record_ + size_; }
  static constexpr collective_totals further() { return {}; }

 private:
  void grow();

  std::size_t size_ = 0, next_ = 0, room_ = 0;
  collective_record* record_ = nullptr;
};

}  // namespace plan_detail

/// The collectives of a program. Equal collectives of one call site have one record with their number. The records are
/// in the order in which the program first issues them. A collective over axes of size 1 is not recorded. Slices and pads
/// are not recorded either, because they are local. `Records` stores the records: without a limit while a program runs.
/// In a dry run the first 512 different collectives have a record. Counts and bytes have all collectives.
/// Example: dry_run(grid{{2, 4}}, program).count(collective::all_reduce, "model")
template <class Mesh, class Records = plan_detail::few_records>
class ledger {
 public:
  constexpr int count() const { return sum(times); }
  constexpr int count(collective v) const { return sum(times, v); }
  constexpr int count(pass p) const { return sum(times, p); }
  constexpr int count(collective v, dimension axes) const { return sum(times, v, mask(axes)); }
  constexpr int count(pass p, collective v) const { return sum(times, v, p); }
  constexpr int count(pass p, collective v, dimension axes) const { return sum(times, v, mask(axes), p); }

  /// Bytes received, as the planner counts them: the sum over the collectives, each for the rank that receives most.
  constexpr index_t bytes_per_rank() const { return sum(bytes); }
  constexpr index_t bytes_per_rank(collective v) const { return sum(bytes, v); }
  constexpr index_t bytes_per_rank(pass p) const { return sum(bytes, p); }
  constexpr index_t bytes_per_rank(collective v, dimension axes) const { return sum(bytes, v, mask(axes)); }

  /// The wasteful pairs of redistributions of a dry run. One kind is an all_gather or a reduction before a slice of the
  /// same axis. The other kind is a redistribution and back. The second redistribution takes the result of the first
  /// itself; other operations may need that result, too. There are at most 32 different pairs.
  constexpr plan_detail::waste_records const& waste() const { return waste_; }
  constexpr void add_waste(planning::waste_record r) {
    r.times *= times_;
    waste_.add(r);
  }

  /// True if the extents of a dry run chose among plans. Partial tensors that are redistributed have several plans, and so have
  /// products with to_layout and einsums of three operands. Other extents may have other collectives: dry_runs has them all.
  constexpr bool depends_on_extents() const { return depends_on_extents_; }
  constexpr void note_choice() { depends_on_extents_ = true; }

  /// Adds collectives: to the record of equal ones of the same call site if there is one.
  constexpr void add(plan_detail::collective_record r) {
    r.times *= times_;
    records_.add(r);
  }
  /// From here on each added collective counts n times: it is in a layer that is counted for n equal ones.
  constexpr void count_times(int n) { times_ = n; }
  constexpr int times_counted() const { return times_; }
  /// The records.
  constexpr plan_detail::collective_record const* begin() const { return records_.begin(); }
  constexpr plan_detail::collective_record const* end() const { return records_.end(); }
  constexpr plan_detail::collective_record const& operator[](int i) const { return begin()[i]; }
  /// The totals of a dry run's collectives after the first 512 different ones: one per name, axes and pass.
  constexpr plan_detail::collective_totals further() const { return records_.further(); }

 private:
  static constexpr axis_mask mask(dimension const& axes) {
    return plan_detail::mask_of_literal<typename Mesh::names>(axes);
  }
  struct times_of {
    template <class R>
    constexpr int operator()(R const& r) const {
      return r.times;
    }
  };
  struct bytes_of {
    constexpr index_t operator()(plan_detail::collective_record const& r) const { return r.times * r.bytes_per_rank; }
    constexpr index_t operator()(plan_detail::collective_total const& t) const { return t.bytes_per_rank; }
  };
  static constexpr times_of times{};
  static constexpr bytes_of bytes{};
  template <class R>
  static constexpr bool is(R const& r, collective v) {
    return r.what == v;
  }
  template <class R>
  static constexpr bool is(R const& r, pass p) {
    return r.when == p;
  }
  template <class R>
  static constexpr bool is(R const& r, axis_mask m) {
    return r.axes == m;
  }
  template <class Of, class... Filter>
  constexpr auto sum(Of of, Filter... f) const {
    decltype(of(plan_detail::collective_total{})) n = 0;
    for (auto const& r : *this)
      if ((is(r, f) && ...)) n += of(r);
    for (auto const& t : further())
      if ((is(t, f) && ...)) n += of(t);
    return n;
  }

  Records records_;
  plan_detail::waste_records waste_;
  int times_ = 1;
  bool depends_on_extents_ = false;
};

/// The ledger in which a mesh handle records the collectives of a program, and the pass that is running.
/// Example: recorder<grid> notes; m.record(&notes); step(...); m.record(nullptr); std::cout << notes.log;
template <class Mesh, class Records = plan_detail::all_records>
struct recorder {
  ledger<Mesh, Records> log{};
  pass when = pass::forward;
  unsigned long long placed = 0;                    // bit i: an output was placed by rule i of its strategy
  plan_detail::alternative* alternative = nullptr;  // of a dry run that tries one after the other
};

}  // namespace ashlar

#if ASHLAR_IMPL
#include "ashlar/plan/impl/ledger.ipp"
#endif
