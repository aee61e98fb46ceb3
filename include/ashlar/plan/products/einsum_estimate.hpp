// SPDX-License-Identifier: BSL-1.0
// Estimates of the price of a distributed product, by which its candidates are compared quickly.
#pragma once
#include "ashlar/layout/einsum.hpp"
#include "ashlar/plan/candidates.hpp"

namespace ashlar::planning {

/// The elements of a product: their bytes, and the operations of one multiplication and addition. Operations count as
/// operations on doubles: a float takes half of one, a complex number four times as many.
struct element_cost {
  index_t bytes = 8;
  double operations = 2;
};

}  // namespace ashlar::planning

namespace ashlar::plan_detail {

template <class T>
inline constexpr element_cost element_cost_of{sizeof(T), static_cast<double>(sizeof(T)) / 4};
template <class T>
  requires requires { typename T::value_type; }
inline constexpr element_cost element_cost_of<T>{sizeof(T), static_cast<double>(sizeof(T)) / 2};

// The labels of an equation, each once, with their extents.
struct labelled_extents {
  einsum_equation::labels all;
  index_t extent[max_rank]{};

  constexpr explicit labelled_extents(einsum_equation const& e) {
    for (int o = 0; o < e.operands; ++o)
      for (int d = 0; d < e.in[o].rank; ++d)
        if (all.find(e.in[o].label[d]) < 0) {
          if (all.rank == max_rank)
            throw "ashlar::einsum: the equation has more than 8 labels; join dimensions, or use redistribute and einsum";
          all.label[all.rank++] = e.in[o].label[d];
        }
  }
  constexpr labelled_extents(einsum_equation const& e, shape const& a, shape const& b) : labelled_extents(e) {
    for (int o = 0; o < e.operands; ++o)
      for (int d = 0; d < e.in[o].rank; ++d) extent[all.find(e.in[o].label[d])] = (o == 0 ? a : b)[d];
  }
  constexpr shape of(einsum_equation::labels const& l) const {
    shape s;
    for (s.rank = 0; s.rank < l.rank; ++s.rank) s[s.rank] = extent[all.find(l.label[s.rank])];
    return s;
  }
};

// The largest number of a dimension's indices on one rank.
constexpr index_t largest_part(index_t n, axis_list const& list, mesh_shape const& mesh) {
  index_t const ranks = parts(list, mesh);
  return list.cyclic == 0 ? (n + ranks - 1) / ranks : local_indices(n, list, mesh, 0).size();
}

// Estimates of the elements and messages that the rank with the largest shards receives in a redistribution. The elements
// are exact if extents divide and one reduction at most is performed, in the form reduce_scatter, then exchange. The
// messages count a step for each axis, or one step for all if that is fewer. They are 0 if no one counts them.
class redistribution_estimate {
 public:
  constexpr redistribution_estimate(mesh_shape const& sizes, axis_mask axes, bool counts_messages)
      : sizes_(sizes), axes_(axes), links_{1, 1, sizes}, counts_messages_(counts_messages) {}

  constexpr price of(layout_value const& from, layout_value const& to, shape const& extents) const {
    if (from == to) return {};
    axis_mask const reduced = from.partial() & ~to.partial(), padded = to.partial() & ~from.partial();
    layout_value mid = from;
    mid.drop_partial(from.partial());
    if (!reduced) {
      index_t const n = lacking(mid, to, extents, 1, padded);
      return {n, n == 0 ? 0 : messages(from, to, 0, padded)};
    }
    index_t n = reduce_then_exchange(mid, to, extents, reduced, reduced, padded);
    if (axis_mask const idle = axes_ & ~from.named()) {
      index_t const shared = reduce_then_exchange(mid, to, extents, reduced, reduced | idle, padded);
      if (shared < n) n = shared;
    }
    return {n, messages(from, to, reduced, padded)};
  }

  constexpr index_t volume(layout_value const& v, shape const& extents) const {
    index_t n = 1;
    for (int d = 0; d < v.rank; ++d) n *= largest_part(extents[d], v.dim[d], sizes_);
    return n;
  }

 private:
  constexpr index_t product(axis_mask m) const { return sizes_.ranks(m); }
  // A pad and a slice send nothing. If axes only change their order in a dimension, a permute is enough.
  constexpr index_t messages(layout_value from, layout_value to, axis_mask reduced, axis_mask padded) const {
    if (!counts_messages_) return 0;
    index_t n = 0;
    for (int a = 0; a < sizes_.axes; ++a)
      if (reduced >> a & 1u)
        n += (to.dim_of(a) < 0 ? 2 : 1) * (sizes_.size[a] - 1);
      else if (int const d = from.dim_of(a); d >= 0 && to.dim_of(a) != d && !(padded >> a & 1u))
        n += sizes_.size[a] - 1;
    if (reduced) return n;
    if (n == 0 && (encode_blocks(from) | encode_blocks(to)) == 0) return 1;
    from.drop_sharding(padded);
    to.drop_partial(padded);
    step_choice const one = choice_between(from, to);
    index_t const at_once = messages_among(product(one.axes), one.what);
    return n != 0 && n < at_once ? n : at_once;
  }

  // Elements of the new shard that a rank lacks. It holds 1 of `parts` parts of the old shard. Over the padded axes each
  // rank needs only its own part of the new shard.
  constexpr index_t lacking(layout_value from, layout_value const& to, shape const& extents, index_t parts,
                            axis_mask padded) const {
    from.drop_sharding(padded);
    index_t common = 1;
    for (int d = 0; d < to.rank; ++d) {
      axis_list const &a = from.dim[d], &b = to.dim[d];
      if (a.begins(b))
        common *= largest_part(extents[d], b, sizes_);
      else if (b.begins(a))
        common *= largest_part(extents[d], a, sizes_);
      else if (a.cyclic == 0 && b.cyclic == 0)
        common = 0;
      else if (index_t const pieces = scale(links_, 0).common_parts(a, b))
        common *= extents[d] / pieces;
      else
        common = 0;
    }
    return (volume(to, extents) - common / parts) / product(padded);
  }
  constexpr index_t reduce_then_exchange(layout_value mid, layout_value const& to, shape const& extents,
                                         axis_mask reduced, axis_mask usable, axis_mask padded) const {
    for (int d = 0; d < to.rank; ++d)
      while (mid.dim[d].size < to.dim[d].size && mid.dim[d].begins(to.dim[d]) &&
             mid.follow(d, to.dim[d], usable & ~mid.sharding())) {
      }
    index_t const parts = product(usable & ~mid.sharding());
    return volume(mid, extents) / parts * (product(reduced) - 1) + lacking(mid, to, extents, parts, padded);
  }

  mesh_shape sizes_;
  axis_mask axes_;
  link_model links_;
  bool counts_messages_;
};

}  // namespace ashlar::plan_detail
