// SPDX-License-Identifier: BSL-1.0
// The costs by which the planner compares plans, for extents that divide.
#pragma once
#include "ashlar/plan/cost.hpp"
#include "ashlar/plan/links.hpp"

namespace ashlar::plan_detail {

// Axis sizes that replace unknown sizes. They are distinct primes, so that no two costs are equal by accident. They are
// above 2, because at size 2 some costs of reductions tie that differ at other sizes.
inline constexpr int stand_in[max_axes]{3, 5, 7, 11, 13, 17, 19, 23};

// Elements and messages received by the rank that receives most.
struct price {
  index_t elements = 0, messages = 0;
};

// The sizes of the axes and of the tensor for which steps are priced. The tensor's size is the square of the product of
// the axes, so that all quotients are whole even if an axis splits both layouts.
class scale {
 public:
  constexpr scale(link_model const& links, axis_mask axes)
      : size_(links.message_bytes ? links.sizes.size : stand_in), unit_(product(axes) * product(axes)) {
    if (!links.message_bytes) return;
    if (links.message_bytes < 0 || links.tensor_bytes < 1 || unit_ < 1)
      meta_detail::fail(
          "ashlar::planning::plan: links need tensor_bytes, and the size of each axis that the layouts name");
    per_message_ = static_cast<double>(links.message_bytes);
    per_element_ = static_cast<double>(links.tensor_bytes) / static_cast<double>(unit_);
  }

  constexpr bool counts_messages() const { return per_message_ > 0; }
  constexpr double cost(price const& p) const {
    return per_message_ * static_cast<double>(p.messages) + per_element_ * static_cast<double>(p.elements);
  }

  constexpr index_t product(axis_mask m) const {
    index_t n = 1;
    for (int a = 0; m; ++a, m >>= 1)
      if (m & 1u) n *= size_[a];
    return n;
  }
  constexpr index_t volume(layout_value const& v) const { return unit_ / product(v.sharding()); }

  // Elements that every rank holds in both layouts: 0 if the lists of a dimension disagree, because then some ranks
  // hold none.
  constexpr index_t common(layout_value const& a, layout_value const& b) const {
    index_t n = unit_;
    for (int d = 0; d < a.rank; ++d) {
      index_t const parts = common_parts(a.dim[d], b.dim[d]);
      if (parts == 0) return 0;
      n /= parts;
    }
    return n;
  }
  // Number of equal parts into which two lists together split a dimension, if each rank has one such part in both; else
  // 0. With equal blocks, a block-cyclic split over some axes agrees with one over the last of these axes. A
  // block-cyclic split leaves a rank indices from everywhere in the dimension, so it acts on even splits like another
  // dimension's.
  constexpr index_t common_parts(axis_list const& a, axis_list const& b) const {
    bool const finer = a.begins(b);
    if (finer || b.begins(a)) return product(finer ? b.mask() : a.mask());
    if (!a.cyclic && !b.cyclic) return 0;
    int const cyclic = a.cyclic < b.cyclic ? a.cyclic : b.cyclic;
    if (cyclic && a.block != b.block) return 0;
    for (int i = 1; i <= cyclic; ++i)
      if (a[a.cyclic - i] != b[b.cyclic - i]) return 0;
    for (int i = 0; i < a.size - a.cyclic && i < b.size - b.cyclic; ++i)
      if (a[a.cyclic + i] != b[b.cyclic + i]) return 0;
    axis_mask const even_a = a.mask() & ~a.cyclic_axes(), even_b = b.mask() & ~b.cyclic_axes();
    return product(a.cyclic < b.cyclic ? b.cyclic_axes() : a.cyclic_axes()) *
           product(a.size - a.cyclic < b.size - b.cyclic ? even_b : even_a);
  }

  constexpr price of(step_choice const& s, layout_value const& from, layout_value const& to) const {
    if (!communicates(s.what)) return {};
    index_t const q = product(s.axes), messages = messages_among(q, s.what);
    if (s.what == step_kind::all_reduce) return {2 * (volume(from) - volume(from) / q), messages};
    if (s.what == step_kind::reduce_scatter) return {volume(to) * (q - 1), messages};
    return {volume(to) - common(from, to), messages};
  }
  constexpr double step_cost(layout_value const& from, layout_value const& to) const {
    return cost(of(choice_between(from, to), from, to));
  }

 private:
  int const* size_;
  index_t unit_;
  double per_message_ = 0, per_element_ = 0;
};

}  // namespace ashlar::plan_detail
