// SPDX-License-Identifier: BSL-1.0
// The tape of reverse mode. It works in constant expressions, too.
#pragma once
#include "ashlar/layout/halo.hpp"
#include "ashlar/plan/backend.hpp"
#include <utility>

namespace ashlar {

namespace autodiff_detail {

// Linear operations on a filled halo, of a cotangent, are for all its cells, as on a halo of sums.
template <class X>
constexpr decltype(auto) as_terms(X const& x) {
  if constexpr (layout_detail::has_filled_halo<layout_t<X>>)
    return same_cells<halo_sums<layout_t<X>>>(plan_detail::backend_of<X>{}, x);
  else
    return (x);
}
template <class C, class X>
constexpr C from_terms(X const& x) {
  if constexpr (layout_detail::has_filled_halo<layout_t<C>>)
    return same_cells<layout_t<C>>(plan_detail::backend_of<X>{}, x);
  else
    return C(x);
}

// A node of the tape. It has a function pointer, because virtual functions crash nvcc 13 in constant expressions.
struct tape_node {
  enum class call { run, destroy };
  void (*go)(tape_node*, call) = nullptr;
  tape_node* next = nullptr;
};

template <class F>
struct tape_node_of : tape_node {
  F f;
  static constexpr void dispatch(tape_node* n, call c) {
    auto* self = static_cast<tape_node_of*>(n);
    if (c == call::run)
      self->f();
    else
      delete self;
  }
};

/// The tape: the work of the backward pass, last operation first.
class tape {
 public:
  constexpr tape() = default;
  tape(tape const&) = delete;
  tape& operator=(tape const&) = delete;
  constexpr ~tape() {
    kept_ = nullptr;
    while (head_) pop(tape_node::call::destroy);
  }
  /// Adds work.
  template <class F>
  constexpr void push(F f) {
    push_node(new tape_node_of<F>{{&tape_node_of<F>::dispatch}, std::move(f)});
  }
  /// Adds a node that the tape owns from now on.
  constexpr void push_node(tape_node* node) {
    node->next = head_;
    head_ = node;
  }
  /// Keeps the present nodes: run() stops before them.
  constexpr void keep() { kept_ = head_; }
  /// Runs each node and frees it at once. Values and cotangents of later operations are then not needed any more.
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

/// The sum of the cotangents of a value. It is empty until one is added, and an empty slot costs nothing. It is a node of
/// the tape, which owns it and has nothing to run there.
template <class Cotangent>
class slot : public tape_node {
 public:
  constexpr slot() : tape_node{&dispatch, nullptr} {}
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
  /// The sum, which the slot gives up. Pre: nothing reads it later.
  constexpr Cotangent take() {
    settle();
    Cotangent sum(std::move(*value_));
    delete value_;
    value_ = nullptr;
    return sum;
  }
  /// Adds the result of an asynchronous collective. The slot waits for it when the value is read or another is added.
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
      auto sum = as_terms(*value_) + as_terms(c);
      *value_ = from_terms<Cotangent>(plan_detail::materialize(sum));
    }
  }

 private:
  // A function pointer instead of a virtual function, as for the tape.
  struct coming {
    void (*take)(coming*, slot*) = nullptr;  // frees itself; adds to the slot unless it is null
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
  static constexpr void dispatch(tape_node* n, call c) {
    if (c == call::destroy) delete static_cast<slot*>(n);
  }
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
