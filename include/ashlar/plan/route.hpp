// Redistribution plans as values, and what the planner compares them by.
#pragma once
#include "ashlar/plan/cost.hpp"

namespace ashlar {

/// The steps between two layouts, in order. It keeps the layouts that they pass through, packed: a few words.
class redistribution_plan {
 public:
  static constexpr int capacity = 12;

  int size = 0;

  constexpr redistribution_plan() = default;
  constexpr explicit redistribution_plan(layout_value const& from) : rank_(from.rank), code_{pack(from)}, blocks_{pack_blocks(from)} {}

  constexpr plan_step operator[](int i) const { return step_between(layout(i), layout(i + 1)); }
  /// The layout before step i; layout(size) is the destination.
  constexpr layout_value layout(int i) const { return unpack(code_[i], blocks_[i], rank_); }

  constexpr void push(layout_value const& to) {
    if (size == capacity)
      throw "ashlar::plan: more than 12 steps; redistribute by way of a layout that pends fewer kinds";
    code_[++size] = pack(to);
    blocks_[size] = pack_blocks(to);
  }
  constexpr void pop() { --size; }

  /// Bytes that the rank which receives most receives, summed over the steps.
  constexpr index_t bytes_per_rank(shape const& global, mesh_shape const& mesh, index_t element_bytes) const {
    index_t n = 0;
    for (plan_step const& s : *this) n += step_bytes(s, global, mesh, element_bytes);
    return n;
  }

  /// Bytes of the rank that holds most, when it holds most. The source lives to the end; in each step, so do the shard
  /// that it starts from, the one that it makes, and scratch where a side packs. Steps that leave every element where
  /// it is drop out; a plan that moves nothing holds the source.
  constexpr index_t peak_bytes(shape const& global, mesh_shape const& mesh, index_t element_bytes) const {
    axis_mask named = layout(0).sharding();
    bool alike = is_even(global, layout(0), mesh);  // do all ranks hold equally much?
    for (plan_step const& s : *this) {
      named |= s.to.sharding();
      alike = alike && s.what != verb::exchange && is_even(global, s.to, mesh);
    }
    index_t most = 0;
    for (int i = 0, n = alike ? 1 : mesh.ranks(named); i < n; ++i) {
      index_t const held = peak_elements(global, mesh, mesh.with_position(0, named, i));
      if (most < held) most = held;
    }
    return most * element_bytes;
  }

  struct iterator {
    redistribution_plan const* plan;
    int i;
    constexpr plan_step operator*() const { return (*plan)[i]; }
    constexpr iterator& operator++() { return ++i, *this; }
    friend constexpr bool operator==(iterator const&, iterator const&) = default;
  };
  constexpr iterator begin() const { return {this, 0}; }
  constexpr iterator end() const { return {this, size}; }

  friend constexpr bool operator==(redistribution_plan const& a, redistribution_plan const& b) {
    if (a.size != b.size || a.rank_ != b.rank_) return false;
    for (int i = 0; i <= a.size; ++i)
      if (a.code_[i] != b.code_[i] || a.blocks_[i] != b.blocks_[i]) return false;
    return true;
  }

 private:
  constexpr index_t peak_elements(shape const& global, mesh_shape const& mesh, int rank) const {
    index_t const source = local_region(global, layout(0), mesh, rank).size();
    index_t most = source, live = source;
    for (plan_step const& s : *this) {
      if (same_placement(global, s.from, s.to, mesh)) continue;
      index_t const n = live + step_elements(s, global, mesh, rank);
      if (most < n) most = n;
      live = source + local_region(global, s.to, mesh, rank).size();
    }
    return most;
  }

  int rank_ = 0;
  unsigned long long code_[capacity + 1]{}, blocks_[capacity + 1]{};
};

namespace detail {

// Sizes that stand for every size: distinct, so that no equality is an accident, and above 2, where costs of reductions
// tie that differ elsewhere.
inline constexpr int stand_in[max_axes]{3, 5, 7, 11, 13, 17, 19, 23};

constexpr index_t stand_in_product(axis_mask m) {
  index_t n = 1;
  for (int a = 0; m; ++a, m >>= 1)
    if (m & 1u) n *= stand_in[a];
  return n;
}

// A chain of layouts, with its cost where extents divide and the axes have their stand-in sizes.
class route {
 public:
  redistribution_plan plan;
  layout_value last;

  // `unit` elements of the tensor are enough for all quotients to be whole: an axis can split two layouts at once.
  constexpr route(layout_value const& from, axis_mask axes)
      : plan(from),
        last(from),
        unit_(stand_in_product(axes) * stand_in_product(axes)),
        source_(volume(from)),
        peak_(source_) {}

  constexpr void to(layout_value const& next) {
    if (next == last) return;
    step_kind s = kind_between(last, next);
    // Steps that move nothing join into one; but a pad leaves one kind pending.
    bool const local = !communicates(s.what);
    if (local && local_ && (s.what == verb::slice || !padding_ || s.op == last.pending[0].op)) {
      plan.pop();
      last = plan.layout(plan.size);
      peak_ = peak_before_;
      s = kind_between(last, next);
    }
    local_ = local;
    padding_ = s.what == verb::pad;
    peak_before_ = peak_;
    plan.push(next);
    count(s, next);
    last = next;
  }

  constexpr bool moves_nothing() const { return plan.size != 0 && moves_ == 0; }
  /// Fewer bytes; then steps that communicate, nameless ones, messages, memory, steps of any kind.
  constexpr bool better_than(route const& r) const {
    if (bytes_ != r.bytes_) return bytes_ < r.bytes_;
    if (moves_ != r.moves_) return moves_ < r.moves_;
    if (exchanges_ != r.exchanges_) return exchanges_ < r.exchanges_;
    if (messages_ != r.messages_) return messages_ < r.messages_;
    if (peak_ != r.peak_) return peak_ < r.peak_;
    return plan.size < r.plan.size;
  }

 private:
  constexpr index_t volume(layout_value const& v) const { return unit_ / stand_in_product(v.sharding()); }

  constexpr void count(step_kind const& s, layout_value const& next) {
    index_t const before = volume(last), size = volume(next), q = stand_in_product(s.axes);
    index_t scratch = 0;
    if (s.what == verb::all_reduce) {
      bytes_ += 2 * (before - before / q);
      messages_ += 2 * (q - 1);
    } else if (communicates(s.what)) {
      bytes_ += s.what == verb::reduce_scatter ? size * (q - 1) : size - common(last, next);
      messages_ += s.what == verb::permute ? 1 : q - 1;
      exchanges_ += s.what == verb::exchange;
      // A side packs where a dimension other than the first is cut or joined.
      if (s.what != verb::permute) {
        sharding_change const inner = change_between(last, next, 1);
        if (inner.added) scratch += before / stand_in_product(change_between(last, next).added & ~last.named());
        if (inner.removed) scratch += size;
      }
    }
    moves_ += communicates(s.what);
    index_t const live = source_ + (plan.size > 1 ? before : 0) + size + scratch;
    if (peak_ < live) peak_ = live;
  }

  // What every rank holds in both layouts: nothing, on some rank, where the lists of a dimension disagree.
  constexpr index_t common(layout_value const& a, layout_value const& b) const {
    index_t n = unit_;
    for (int d = 0; d < a.rank; ++d) {
      bool const finer = a.dim[d].begins(b.dim[d]);
      if (!finer && !b.dim[d].begins(a.dim[d])) return 0;
      n /= stand_in_product(finer ? b.dim[d].mask() : a.dim[d].mask());
    }
    return n;
  }

  index_t unit_, source_, peak_, peak_before_ = 0;
  index_t bytes_ = 0, moves_ = 0, exchanges_ = 0, messages_ = 0;
  bool local_ = false, padding_ = false;
};

}  // namespace detail
}  // namespace ashlar
