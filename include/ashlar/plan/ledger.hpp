// The communication ledger: the list of collectives that a program performs.
#pragma once
#include "ashlar/layout/layout.hpp"
#include "ashlar/meta/error.hpp"
#include "ashlar/plan/step.hpp"
#include <source_location>

namespace ashlar {

using call_site = std::source_location;

/// The part of a training step that a collective belongs to.
enum class pass : unsigned char { forward, backward, update };

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
}  // namespace plan_detail

/// One collective: its name, axes and pass, the bytes received by the rank that receives most, and the call site.
struct collective_record {
  collective what = collective::all_reduce;
  axis_mask axes = 0;
  index_t bytes_per_rank = 0;
  pass when = pass::forward;
  unsigned line = 0;
  char const* file = "";
};

namespace plan_detail {

/// The records of a dry run. A constant expression can hold them.
/// Error: for more than `capacity` records, ashlar::error at run time, or the sentence in a constant expression.
class few_records {
 public:
  static constexpr int capacity = 128;
  constexpr void add(collective_record const& r) {
    if (size_ == capacity)
      meta_detail::fail("ashlar::ledger: more than 128 collectives; ask for the collectives of a part of the program");
    record_[size_++] = r;
  }
  constexpr collective_record const* begin() const { return record_; }
  constexpr collective_record const* end() const { return record_ + size_; }

 private:
  int size_ = 0;
  collective_record record_[capacity]{};
};

/// The records of a program that runs, without a limit on their number. (A dry run cannot return them: clang evaluates
/// an expression twice if its temporaries have a destructor.)
class all_records {
 public:
  all_records() = default;
  all_records(all_records const& other) {
    for (auto const& r : other) add(r);
  }
  all_records& operator=(all_records other) {
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    std::swap(record_, other.record_);
    return *this;
  }
  ~all_records() { delete[] record_; }
  void add(collective_record const& r) {
    if (size_ == room_) grow();
    record_[size_++] = r;
  }
  collective_record const* begin() const { return record_; }
  collective_record const* end() const { return record_ + size_; }

 private:
  void grow() {
    std::size_t const room = room_ == 0 ? few_records::capacity : 2 * room_;
    auto* const more = new collective_record[room];
    for (std::size_t i = 0; i < size_; ++i) more[i] = record_[i];
    delete[] record_;
    record_ = more;
    room_ = room;
  }

  std::size_t size_ = 0, room_ = 0;
  collective_record* record_ = nullptr;
};

}  // namespace plan_detail

/// The collectives of a program, in the order in which it issues them. A collective over axes of size 1 is not
/// recorded. Slices and pads are not recorded either, because they are local. `Records` stores the records.
/// Example: collectives(grid{{2, 4}}, program).count(collective::all_reduce, "model")
template <class Mesh, class Records = plan_detail::few_records>
class ledger {
 public:
  constexpr int count() const { return static_cast<int>(end() - begin()); }
  constexpr int count(collective v) const { return sum(one, v); }
  constexpr int count(pass p) const { return sum(one, p); }
  constexpr int count(collective v, dimension axes) const { return sum(one, v, mask(axes)); }
  constexpr int count(pass p, collective v) const { return sum(one, v, p); }
  constexpr int count(pass p, collective v, dimension axes) const { return sum(one, v, mask(axes), p); }

  /// Bytes received, as the planner counts them: the sum over the collectives, each for the rank that receives most.
  constexpr index_t bytes_per_rank() const {
    index_t n = 0;
    for (auto const& r : *this) n += r.bytes_per_rank;
    return n;
  }
  constexpr index_t bytes_per_rank(collective v) const { return sum(bytes, v); }
  constexpr index_t bytes_per_rank(pass p) const { return sum(bytes, p); }
  constexpr index_t bytes_per_rank(collective v, dimension axes) const { return sum(bytes, v, mask(axes)); }

  constexpr void add(collective_record const& r) { records_.add(r); }
  constexpr collective_record const* begin() const { return records_.begin(); }
  constexpr collective_record const* end() const { return records_.end(); }
  constexpr collective_record const& operator[](int i) const { return begin()[i]; }

 private:
  static constexpr axis_mask mask(dimension const& axes) {
    return plan_detail::mask_of_literal<typename Mesh::names>(axes);
  }
  static constexpr int one(collective_record const&) { return 1; }
  static constexpr index_t bytes(collective_record const& r) { return r.bytes_per_rank; }
  static constexpr bool is(collective_record const& r, collective v) { return r.what == v; }
  static constexpr bool is(collective_record const& r, pass p) { return r.when == p; }
  static constexpr bool is(collective_record const& r, axis_mask m) { return r.axes == m; }
  template <class N, class... Filter>
  constexpr N sum(N (*of)(collective_record const&), Filter... f) const {
    N n = 0;
    for (auto const& r : *this)
      if ((is(r, f) && ...)) n += of(r);
    return n;
  }

  Records records_;
};

/// The ledger in which a mesh handle records the collectives of a program, and the pass that is running.
/// Example: recorder<grid> notes; m.record(&notes); step(...); m.record(nullptr); std::cout << notes.log;
template <class Mesh, class Records = plan_detail::all_records>
struct recorder {
  ledger<Mesh, Records> log{};
  pass when = pass::forward;
};

}  // namespace ashlar
