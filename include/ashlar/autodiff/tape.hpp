// The tape of reverse mode. It runs in constant evaluation too.
#pragma once
#include <utility>

namespace ashlar {

namespace autodiff_detail {

// A link behind a function pointer: virtual functions crash nvcc 13 in constant evaluation.
struct tape_node {
  enum class call { run, destroy };
  void (*go)(tape_node*, call) = nullptr;
  tape_node* next = nullptr;
};

template <class F>
struct tape_node_of : tape_node {
  F f;
  constexpr explicit tape_node_of(F g) : tape_node{&dispatch, nullptr}, f(std::move(g)) {}
  static constexpr void dispatch(tape_node* n, call c) {
    auto* self = static_cast<tape_node_of*>(n);
    if (c == call::run)
      self->f();
    else
      delete self;
  }
};

/// What the backward pass has to do, last operation first.
class tape {
 public:
  constexpr tape() = default;
  tape(tape const&) = delete;
  tape& operator=(tape const&) = delete;
  constexpr ~tape() {
    kept_ = nullptr;
    while (head_) pop(tape_node::call::destroy);
  }
  template <class F>
  constexpr tape_node_of<F>* push(F f) {
    auto* node = new tape_node_of<F>(std::move(f));
    node->next = head_;
    head_ = node;
    return node;
  }
  /// What is on the tape now outlives run().
  constexpr void keep() { kept_ = head_; }
  /// Runs each operation and gives up at once what it held: values and cotangents of what followed it are needed no more.
  constexpr void run() {
    while (head_ != kept_) pop(tape_node::call::run);
  }

 private:
  constexpr void pop(tape_node::call first) {
    tape_node* const node = head_;
    if (first == tape_node::call::run) node->go(node, first);
    head_ = node->next;
    node->go(node, tape_node::call::destroy);
  }
  tape_node *head_ = nullptr, *kept_ = nullptr;
};

/// Where the cotangent of a value gathers. Empty until something reaches it: what nobody set costs nothing.
template <class Cotangent>
class slot {
 public:
  constexpr slot() = default;
  slot(slot const&) = delete;
  slot& operator=(slot const&) = delete;
  constexpr ~slot() {
    if (coming_ != nullptr) coming_->take(coming_, nullptr);
    delete value_;
  }
  constexpr bool is_set() const { return value_ != nullptr || coming_ != nullptr; }
  constexpr Cotangent const& value() {
    settle();
    return *value_;
  }
  /// Adds what a pending object will bring: it is waited for when the value is asked for, or another one is added.
  template <class Pending>
  constexpr void add_later(Pending p) {
    settle();
    coming_ = new from_pending<Pending>(std::move(p));
  }
  constexpr void add(Cotangent const& c) {
    settle();
    if (value_ == nullptr) {
      value_ = new Cotangent(c);
    } else {
      auto sum = *value_ + c;
      *value_ = Cotangent(materialize(sum));
    }
  }

 private:
  // A function pointer instead of a virtual function, as for the tape.
  struct coming {
    void (*take)(coming*, slot*) = nullptr;  // gives itself up; adds to the slot, if there still is one
  };
  template <class Pending>
  struct from_pending : coming {
    Pending p;
    constexpr explicit from_pending(Pending q) : coming{&taken}, p(std::move(q)) {}
    static constexpr void taken(coming* c, slot* to) {
      auto* const self = static_cast<from_pending*>(c);
      Pending p = std::move(self->p);
      delete self;
      if (to != nullptr) to->add(Cotangent(p.wait()));
    }
  };
  constexpr void settle() {
    if (coming_ == nullptr) return;
    coming* const c = coming_;
    coming_ = nullptr;
    c->take(c, this);
  }

  Cotangent* value_ = nullptr;
  coming* coming_ = nullptr;
};

}  // namespace autodiff_detail

}  // namespace ashlar
