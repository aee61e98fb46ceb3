// SPDX-License-Identifier: BSL-1.0
// One step of a redistribution: a collective, or a local slice or pad. And a plan: a list of steps.
#pragma once
#include "ashlar/layout/value.hpp"
#include "ashlar/mesh/mesh.hpp"
#include "ashlar/meta/error.hpp"

namespace ashlar {

/// A collective: a function in which all ranks of some axes take part. Entries of the ledger and of the log name it. A
/// solver is a call of a library that communicates itself, so its bytes are not counted.
enum class collective {
  permute,
  all_to_all,
  all_gather,
  reduce_scatter,
  all_reduce,
  exchange,
  broadcast,
  exchange_halo,
  add_halo,
  solver
};

/// The name of a collective.
/// Example: to_text(collective::all_gather) is "all_gather"
constexpr char const* to_text(collective c) {
  constexpr char const* text[]{"permute",  "all_to_all", "all_gather",    "reduce_scatter", "all_reduce",
                               "exchange", "broadcast",  "exchange_halo", "add_halo",       "solver"};
  return text[static_cast<int>(c)];
}

namespace planning {
/// The kind of a step: slice and pad are local, the others are the collectives of the same name.
enum class step_kind {
  slice,
  pad,
  permute,
  all_to_all,
  all_gather,
  reduce_scatter,
  all_reduce,
  exchange,
  broadcast,
  exchange_halo,
  add_halo
};
}  // namespace planning

namespace plan_detail {

/// True if a step of this kind is a collective.
constexpr bool communicates(step_kind k) { return k != step_kind::slice && k != step_kind::pad; }

/// The collective of a step. Pre: communicates(k).
constexpr collective collective_of(step_kind k) {
  return static_cast<collective>(static_cast<int>(k) - static_cast<int>(step_kind::permute));
}

/// True if a step of this kind moves elements between ranks, and combines none.
constexpr bool moves_elements(step_kind k) {
  return k == step_kind::permute || k == step_kind::all_to_all || k == step_kind::all_gather ||
         k == step_kind::exchange;
}

}  // namespace plan_detail

constexpr bool operator==(planning::step_kind k, collective c) {
  return plan_detail::communicates(k) && plan_detail::collective_of(k) == c;
}

/// The name of a kind of step.
/// Example: to_text(planning::step_kind::slice) is "slice"
constexpr char const* to_text(planning::step_kind k) {
  return plan_detail::communicates(k)      ? to_text(plan_detail::collective_of(k))
         : k == planning::step_kind::slice ? "slice"
                                           : "pad";
}

namespace planning {
/// One step between two layouts of a tensor. Ranks that differ only along `axes` take part in one collective. Their
/// shards in `from` together contain all elements of their shards in `to`.
/// slice: keeps the elements of the shard that are in the new shard.
/// pad: makes the tensor partial by `op` over `axes`. It keeps the elements of the shard that are in the new shard, and
/// fills the rest with the identity of `op`. Along axes that split nothing in `from`, only coordinate 0 keeps its
/// elements, or all ranks do if `op` is idempotent (max, min).
/// reduce_scatter, all_reduce: perform the partial reduction `op`, the innermost, over `axes`. A reduce_scatter may
/// also split dimensions over replicated axes: a rank then reduces only what it keeps.
/// permute, all_to_all, all_gather, exchange: each rank receives the elements of its new shard that it lacks.
/// exchange_halo and add_halo are no steps of a plan: each rank receives the cells of its halo, or sends them back.
struct plan_step {
  step_kind what = step_kind::slice;
  axis_mask axes = 0;
  int op = layout_detail::op_sum;
  layout_value from, to;
  friend constexpr bool operator==(plan_step const&, plan_step const&) = default;
};
}  // namespace planning

namespace plan_detail {

// The difference in sharding of two layouts: the axes after the common beginning of the two lists of a dimension.
struct sharding_change {
  axis_mask removed = 0, added = 0;
  axis_mask split = 0;      // axes added to dimensions that are only split further
  bool nested = true;       // in every dimension one list is a prefix of the other
  bool equal_parts = true;  // every dimension is split by the same axes, into parts of the same sizes
};

// Number of axes with which the lists of both layouts of a dimension begin. Block-cyclic axes stay together.
constexpr int common_beginning(axis_list const& a, axis_list const& b) {
  if (a.cyclic_axes() != b.cyclic_axes() || a.block != b.block) return 0;
  int same = 0;
  while (same < a.size && same < b.size && a[same] == b[same]) ++same;
  return same < a.cyclic ? 0 : same;
}

constexpr sharding_change change_between(layout_value const& from, layout_value const& to, int first_dim = 0) {
  sharding_change c;
  for (int d = first_dim; d < from.rank; ++d) {
    axis_list const &a = from.dim[d], &b = to.dim[d];
    bool const alike = a.cyclic_axes() == b.cyclic_axes() && a.block == b.block;
    int const same = common_beginning(a, b);
    axis_mask const gone = a.mask_from(same), come = b.mask_from(same);
    c.removed |= gone;
    c.added |= come;
    if (!gone) c.split |= come;
    c.nested &= !gone || !come;
    c.equal_parts &= gone == come && (alike || !gone);
  }
  return c;
}

struct step_choice {
  step_kind what;
  axis_mask axes;
  int op = op_sum;
};

constexpr step_choice choice_between(layout_value const& from, layout_value const& to) {
  axis_mask const before = from.partial(), after = to.partial();
  for (int l = to.levels - 1; l >= 0; --l)
    if (axis_mask const padded = to.reductions[l].axes & ~before) return {step_kind::pad, padded, to.reductions[l].op};
  sharding_change const c = change_between(from, to);
  if (axis_mask const reduced = before & ~after)
    return {c.added ? step_kind::reduce_scatter : step_kind::all_reduce, reduced, from.reductions[0].op};
  if (!c.removed) return {step_kind::slice, c.added};
  if (c.equal_parts) return {step_kind::permute, c.removed};
  if (c.nested && !c.added) return {step_kind::all_gather, c.removed};
  if (c.nested && c.added == c.removed) return {step_kind::all_to_all, c.removed};
  return {step_kind::exchange, c.removed | (c.added & ~c.split)};
}

/// The single step between two layouts, named by its collective.
/// Pre: one of three cases.
/// - `to` has one more reduction than `from`, innermost, or more axes in the innermost one. If these axes sharded
///   dimensions in `from`, they were minor-most, and `to` has lost them there.
/// - The innermost reduction has fewer axes in `to`, or is gone. Dimensions of `to` may have gained all these axes as
///   minor-most ones.
/// - Both have the same reductions.
/// In the first two cases dimensions of `to` may have gained replicated axes, too.
/// Post: for the same reductions, whatever the sizes of the axes: slice if axes are only added, as minor-most ones;
/// permute if every dimension is split into as many parts as before; all_gather if minor-most axes are only removed;
/// all_to_all if the same axes are removed from some dimensions and added to others; else exchange.
constexpr plan_step step_between(layout_value const& from, layout_value const& to) {
  step_choice const k = choice_between(from, to);
  return {k.what, k.axes, k.op, from, to};
}

}  // namespace plan_detail

namespace planning {
/// The steps between two layouts, in order. The plan stores the layouts before and after its steps, encoded as
/// integers. (plan/cost.hpp defines what a plan costs.)
class redistribution_plan {
 public:
  static constexpr int capacity = 12;

  int size = 0;

  constexpr redistribution_plan() = default;
  constexpr explicit redistribution_plan(layout_value const& from)
      : rank_(from.rank), code_{layout_detail::encode(from)}, blocks_{layout_detail::encode_blocks(from)} {}

  constexpr plan_step operator[](int i) const { return plan_detail::step_between(layout(i), layout(i + 1)); }
  /// The layout before step i; layout(size) is the destination.
  constexpr layout_value layout(int i) const { return layout_detail::decode(code_[i], blocks_[i], rank_); }

  constexpr void push(layout_value const& to) {
    if (size == capacity)
      meta_detail::fail(
          "ashlar::planning::plan: more than 12 steps; redistribute through a layout with fewer reductions");
    code_[++size] = layout_detail::encode(to);
    blocks_[size] = layout_detail::encode_blocks(to);
  }
  constexpr void pop() { --size; }

  /// Bytes received, summed over the steps, each for the rank that receives most.
  constexpr index_t bytes_per_rank(shape const& global, mesh_shape const& mesh, index_t element_bytes) const;

  /// Messages that each rank receives, as step_messages counts them, summed over the steps.
  constexpr index_t messages_per_rank(mesh_shape const& mesh) const;

  /// The largest number of bytes that a rank holds at one time. The source is held to the end. Each step also holds the
  /// shard that it starts from, the shard that it makes, and one buffer if a side packs. (An exchange may pack less.)
  /// Steps over axes of size 1 that leave every element in place are skipped. A plan that moves nothing holds only the
  /// source.
  constexpr index_t peak_bytes(shape const& global, mesh_shape const& mesh, index_t element_bytes) const;

  struct iterator {
    redistribution_plan const* plan;
    int i;
    constexpr plan_step operator*() const { return (*plan)[i]; }
    constexpr iterator& operator++() { return ++i, *this; }
    friend constexpr bool operator==(iterator const&, iterator const&) = default;
  };
  /// The steps, in order. The plan itself is the same range.
  constexpr redistribution_plan steps() const { return *this; }
  constexpr iterator begin() const { return {this, 0}; }
  constexpr iterator end() const { return {this, size}; }

  friend constexpr bool operator==(redistribution_plan const& a, redistribution_plan const& b) {
    if (a.size != b.size || a.rank_ != b.rank_) return false;
    for (int i = 0; i <= a.size; ++i)
      if (a.code_[i] != b.code_[i] || a.blocks_[i] != b.blocks_[i]) return false;
    return true;
  }

 private:
  // The largest number of elements that a rank holds, if step s allocates elements_of(s, ...).
  constexpr index_t peak_elements(shape const& global, mesh_shape const& mesh, int rank,
                                  index_t (*elements_of)(plan_step const&, shape const&, mesh_shape const&, int)) const;

  int rank_ = 0;
  unsigned long long code_[capacity + 1]{}, blocks_[capacity + 1]{};
};
}  // namespace planning

}  // namespace ashlar
