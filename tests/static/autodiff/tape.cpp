// The tape and the slots of cotangents. All runs in constant evaluation, in which memory that is not freed is an error.
#include "ashlar/autodiff/tape.hpp"

using namespace ashlar;
using autodiff_detail::slot;
using autodiff_detail::tape;

namespace {

// The events of a program, in order: the digits of a number.
struct events {
  long digits = 0;
  constexpr void add(int digit) { digits = 10 * digits + digit; }
};
// Work that notes 1, 2 or 3 as it runs, and 7, 8 or 9 as the tape frees it.
class work {
 public:
  constexpr work(events& e, int number) : events_(&e), number_(number) {}
  constexpr work(work&& w) noexcept : events_(std::exchange(w.events_, nullptr)), number_(w.number_) {}
  constexpr ~work() {
    if (events_) events_->add(6 + number_);
  }
  constexpr void operator()() { events_->add(number_); }

 private:
  events* events_;
  int number_;
};
constexpr void push(tape& t, events& e, auto... numbers) { (t.push(work(e, numbers)), ...); }

// The last node runs first. Each runs once, and is free before the next runs.
static_assert([] {
  events e;
  tape t;
  push(t, e, 1, 2, 3);
  bool const waits = e.digits == 0;
  t.run();
  t.run();
  return waits && e.digits == 392817;
}());

// A tape that nobody runs frees its nodes, the last first, and runs none.
static_assert([] {
  events e;
  {
    tape t;
    push(t, e, 1, 2, 3);
  }
  return e.digits == 987;
}());
static_assert([] {
  tape t;
  t.run();
  return true;
}());

// run() stops before the nodes that are kept, again and again. They are free at the end.
static_assert([] {
  events e;
  {
    tape t;
    push(t, e, 1, 2);
    t.keep();
    push(t, e, 3);
    t.run();
    push(t, e, 1, 3);
    t.run();
    t.run();
  }
  return e.digits == 393'917'87;
}());
// Nodes are kept by their position: a later call keeps more.
static_assert([] {
  events e;
  {
    tape t;
    t.keep();
    push(t, e, 1);
    t.keep();
    push(t, e, 2);
    t.run();
  }
  return e.digits == 287;
}());

// A cotangent of a replicated value, whose sums can be read here. It counts the cotangents that exist.
struct number {
  using element_type = long;
  using layout_type = layout<none>;
  long value;
  constexpr number operator+(number const& other) const { return {10 * value + other.value}; }  // tells the order
};

// A slot is empty until a cotangent comes. The sum is of all that come, in order.
static_assert([] {
  slot<number> s;
  bool right = !s.is_set();
  s.add({3});
  right = right && s.is_set() && s.value().value == 3;
  s.add({4}), s.add({5});
  return right && s.value().value == 345 && s.value().value == 345 && s.is_set();
}());
// take() gives the sum up. The slot is empty then, and may be filled again.
static_assert([] {
  slot<number> s;
  s.add({3}), s.add({4});
  bool const right = s.take().value == 34 && !s.is_set();
  s.add({5});
  return right && s.value().value == 5;
}());

// The result of a collective that is under way: it notes 1 as it is waited for.
struct pending_number {
  events* e;
  long value;
  constexpr number wait() { return e->add(1), number{value}; }
};
// A pending result counts as a cotangent. Its slot waits for it once, at the first read or at the next cotangent.
static_assert([] {
  events e;
  slot<number> s;
  s.add_later(pending_number{&e, 3});
  bool right = s.is_set() && e.digits == 0;
  right = right && s.value().value == 3 && e.digits == 1 && s.value().value == 3 && e.digits == 1;
  s.add_later(pending_number{&e, 4});
  right = right && e.digits == 1;
  s.add({5});
  right = right && e.digits == 11 && s.value().value == 345;
  s.add_later(pending_number{&e, 6});
  s.add_later(pending_number{&e, 7});
  right = right && e.digits == 111;  // one is under way at a time
  return right && s.take().value == 34567 && e.digits == 1111 && !s.is_set();
}());
// A slot that nobody reads frees a pending result, and does not wait for it.
static_assert([] {
  events e;
  {
    slot<number> s;
    s.add({1});
    s.add_later(pending_number{&e, 3});
  }
  return e.digits == 0;
}());

// A slot on the tape has nothing to run. The tape frees it after the nodes that are pushed later.
static_assert([] {
  events e;
  {
    tape t;
    auto* const s = new slot<number>;
    t.push_node(s);
    s->add({1});
    t.push([s, &e] { e.add(static_cast<int>(s->value().value)); });
    push(t, e, 2);
    t.run();
  }
  return e.digits == 281;
}());

}  // namespace
