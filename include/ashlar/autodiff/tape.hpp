// The tape of reverse mode. It runs in constant evaluation too.
#pragma once
#include <utility>

namespace ashlar {

namespace detail {

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

}  // namespace detail

/// What the backward pass has to do, last operation first.
class tape {
 public:
  constexpr tape() = default;
  tape(tape const&) = delete;
  tape& operator=(tape const&) = delete;
  constexpr ~tape() {
    while (head_) {
      detail::tape_node* const next = head_->next;
      head_->go(head_, detail::tape_node::call::destroy);
      head_ = next;
    }
  }
  template <class F>
  constexpr detail::tape_node_of<F>* push(F f) {
    auto* node = new detail::tape_node_of<F>(std::move(f));
    node->next = head_;
    head_ = node;
    return node;
  }
  constexpr void run() {
    for (detail::tape_node* n = head_; n; n = n->next) n->go(n, detail::tape_node::call::run);
  }

 private:
  detail::tape_node* head_ = nullptr;
};

/// Where the cotangent of a value gathers. Empty until something reaches it: what nobody set costs nothing.
template <class Cotangent>
class slot {
 public:
  constexpr slot() = default;
  slot(slot const&) = delete;
  slot& operator=(slot const&) = delete;
  constexpr ~slot() { delete value_; }
  constexpr bool is_set() const { return value_ != nullptr; }
  constexpr Cotangent const& value() const { return *value_; }
  constexpr void add(Cotangent const& c) {
    if (value_ == nullptr) {
      value_ = new Cotangent(c);
    } else {
      auto sum = *value_ + c;
      *value_ = Cotangent(materialize(sum));
    }
  }

 private:
  Cotangent* value_ = nullptr;
};

}  // namespace ashlar
