// SPDX-License-Identifier: BSL-1.0
// Dry runs of a program: with its extents, and with all plans among which extents choose.
#pragma once
#include "ashlar/plan/abstract_tensor.hpp"
#include <iterator>

namespace ashlar {

/// Dry run: the communication ledger of a program, without its arithmetic. `program(m)` makes its tensors from the
/// handle m by `make`, and calls collectives and operations on them. It works in constant expressions and at run time.
/// The first 512 different collectives have a record each, and further ones a total: `ledger::further`.
/// Example: static_assert(dry_run(grid{{2, 4}}, forward).count(collective::all_reduce, "model") == 1)
template <class... Axes, class F>
constexpr ledger<mesh<Axes...>> dry_run(mesh<Axes...> const& m, F&& program) {
  recorder<mesh<Axes...>, plan_detail::few_records> r;
  program(abstract_mesh<mesh<Axes...>>(m, &r));
  return r.log;
}

namespace plan_detail {

/// Which candidate a dry run takes where extents choose one. The first run takes the first ones.
class alternative {
 public:
  static constexpr int most = 32;
  /// The number of the candidate among n that this run takes. Equal choices are one: of the same candidates, by
  /// equal extents. Null is for candidates that differ from all others.
  /// Error: for more than `most` choices, ashlar::error at run time, or the sentence in a constant expression.
  constexpr int take(void const* candidates, shape const& a, shape const& b, int n) {
    for (int i = 0; i < size_; ++i)
      if (candidates != nullptr && choice_[i].candidates == candidates && choice_[i].a == a && choice_[i].b == b)
        return choice_[i].taken;
    if (size_ == most)
      fail(
          "ashlar::dry_runs: extents choose in more than 32 places; analyse a part of the program, or give static extents");
    choice_[size_++] = {candidates, a, b, n, 0};
    return 0;
  }
  /// Goes to the next alternative; false if there is none. The choices after one that changes may be others, so the next run
  /// finds them.
  constexpr bool next() {
    while (size_ > 0 && choice_[size_ - 1].taken + 1 == choice_[size_ - 1].candidates_in_all) --size_;
    if (size_ > 0) ++choice_[size_ - 1].taken;
    return size_ > 0;
  }

 private:
  struct choice {
    void const* candidates = nullptr;
    shape a, b;
    int candidates_in_all = 0, taken = 0;
  };
  choice choice_[most]{};
  int size_ = 0;
};

/// The number of the candidate among n that extents a and b choose, which `least()` gives, or of the one that a dry run tries. If
/// `Known`, types have the extents.
template <bool Known, class Handle, class F>
constexpr int chosen_by_extents(Handle const& m, void const* candidates, int n, shape const& a, shape const& b,
                                F const& least) {
  if constexpr (!Known && !backend_on<Handle>::begins_early)
    if (auto* const notes = m.recorder()) {
      notes->log.note_choice();
      if (notes->alternative) return notes->alternative->take(candidates, a, b, n);
    }
  return least();
}

// One dry run after the other, each with a ledger, as a range that is read once.
template <class Mesh, class F>
class alternatives {
 public:
  class iterator {
   public:
    using value_type = ledger<Mesh>;
    using difference_type = std::ptrdiff_t;
    constexpr iterator(Mesh const& m, F const& program) : mesh_(&m), program_(&program) { run(); }
    constexpr ledger<Mesh> const& operator*() const { return log_; }
    constexpr iterator& operator++() {
      ended_ = !taken_.next();
      if (!ended_) run();
      return *this;
    }
    constexpr void operator++(int) { ++*this; }
    friend constexpr bool operator==(iterator const& i, std::default_sentinel_t) { return i.ended_; }

   private:
    constexpr void run() {
      recorder<Mesh, few_records> r;
      r.alternative = &taken_;
      (*program_)(abstract_mesh<Mesh>(*mesh_, &r));
      log_ = r.log;
    }

    Mesh const* mesh_;
    F const* program_;
    alternative taken_;
    ledger<Mesh> log_;
    bool ended_ = false;  // g++ 12 compares no address of a temporary with null in a constant expression
  };

  constexpr alternatives(Mesh const& m, F const& program) : mesh_(m), program_(program) {}
  constexpr iterator begin() const { return {mesh_, program_}; }
  constexpr std::default_sentinel_t end() const { return {}; }

 private:
  Mesh mesh_;
  F program_;
};

}  // namespace plan_detail

/// Dry runs of a program for all extents: a range with one ledger for each way in which extents can choose among plans. Types
/// choose the candidates, at most 4 in one place. Places are independent, so some of the ways may fit no extents. A condition
/// that holds for all ledgers holds for all extents. The bytes of each ledger are for the extents in the
/// program.
/// Error: as dry_run, and if extents choose in more than 32 places.
/// Example: static_assert(std::ranges::all_of(dry_runs(grid{{2, 2}}, product), [](auto const& l) { return l.count() <= 2; }))
template <class... Axes, class F>
constexpr plan_detail::alternatives<mesh<Axes...>, F> dry_runs(mesh<Axes...> const& m, F const& program) {
  return {m, program};
}

}  // namespace ashlar
