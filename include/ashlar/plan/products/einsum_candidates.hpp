// SPDX-License-Identifier: BSL-1.0
// The layouts in which a product of two tensors can be computed, and their costs.
#pragma once
#include "ashlar/plan/products/einsum_estimate.hpp"

namespace ashlar::planning {

/// A product of two tensors as a composition. The operands are redistributed into the layouts a and b. einsum gives the
/// layout `product`, which is redistributed into the layout of the result. `operations` are the operations of the busiest rank. `bytes` and
/// `messages` are the sums over the three redistributions. `cost` is all of them as bytes.
struct product_plan {
  layout_value a, b, product;
  double operations = 0;
  index_t bytes = 0, messages = 0;
  double cost = 0;
};

}  // namespace ashlar::planning

namespace ashlar::plan_detail {

// What a product needs to know: the equation, and the layouts of the operands and of the result.
struct product_task {
  einsum_equation e;
  layout_value a, b, to;
  axis_mask axes = 0;  // axes that may split a label
  link_model links{};

  constexpr layout_value const& operand(int o) const { return o == 0 ? a : b; }
};

// Calls visit(a, b, product) for the layouts that einsum can take its operands in. Each axis splits one label, or keeps
// the operand partial that is partial over it by a sum, or does nothing. A label is split by its axes in every
// order. If a, b or the result split it by some of these axes, their order and blocks are candidates, too.
// Compilers limit the work of a constant. So on meshes of many axes only the first ones are free, and there the axes come
// first that a tensor names. Each further axis splits the label that the result, a or b splits by it. Axes that no
// tensor names split the first label of the result, all or none of them.
template <class Visit>
class product_candidates_of {
 public:
  constexpr product_candidates_of(product_task const& t, Visit& visit) : t_(t), labels_(t.e), visit_(visit) {
    named_ = t.a.named() | t.b.named() | t.to.named();
    for (int l = 0; l < labels_.all.rank; ++l)
      for (int o = 0; o < 3; ++o) dim_[o][l] = labels_of(o).find(labels_.all.label[l]);
    has_blocks_ = (encode_blocks(t.a) | encode_blocks(t.b) | encode_blocks(t.to)) != 0;
    for (axis_mask some : {named_, ~named_})
      for (int i = 0; i < max_axes; ++i)
        if (t.axes & some & mask_of(i)) axis_[axes_++] = i;
    int const most_choices = axes_ <= 3 ? 130 : 30;
    for (int choices = 1; free_ < axes_ && (choices *= labels_.all.rank + 1) <= most_choices;) ++free_;
    place(0, true);
    if (free_ < axes_ && (t.axes & ~named_)) place(0, false);
  }

 private:
  // Lets axis number i and all later ones split each label in turn. `spread`: so do the axes that are neither free nor
  // named.
  constexpr void place(int i, bool spread) {
    if (i == axes_) return order(0);
    axis_mask const m = mask_of(axis_[i]);
    if (i < free_) {
      for (int l = 0; l < labels_.all.rank; ++l) split(l, m, i, spread);
    } else if (int const l = home_of(axis_[i]); l >= 0) {
      return split(l, m, i, spread);
    } else if (!(named_ & m) && spread && t_.e.out.rank > 0) {
      return split(labels_.all.find(t_.e.out.label[0]), m, i, spread);
    }
    for (int o = 0; o < 2; ++o) {
      layout_value const& x = t_.operand(o);
      if (x.levels != 1 || x.reductions[0].op != op_sum || !(x.reductions[0].axes & m)) continue;
      partial_[o] |= m;
      place(i + 1, spread);
      partial_[o] &= ~m;
      if (i >= free_) return;
    }
    place(i + 1, spread);
  }
  constexpr void split(int l, axis_mask m, int i, bool spread) {
    split_[l] |= m;
    place(i + 1, spread);
    split_[l] &= ~m;
  }
  // Of a, b and the result, in this order.
  constexpr einsum_equation::labels const& labels_of(int o) const { return o == 2 ? t_.e.out : t_.e.in[o]; }
  constexpr layout_value const& given(int o) const { return o == 2 ? t_.to : t_.operand(o); }
  // The label that the result, a or b splits by an axis, or -1.
  constexpr int home_of(int axis) const {
    for (int o : {2, 0, 1})
      if (int const d = given(o).dim_of(axis); d >= 0) return labels_.all.find(labels_of(o).label[d]);
    return -1;
  }

  struct lists {
    axis_list tried[16];
    int size = 0;
  };
  // Chooses the lists of axes of label l and of all later ones.
  constexpr void order(int l) {
    if (l == labels_.all.rank) return offer();
    lists known;
    complete(l, {}, known);
    if (split_[l] == 0) return;
    for (int o = 0; o < 3; ++o) {
      if (dim_[o][l] < 0) continue;
      axis_list const& theirs = given(o).dim[dim_[o][l]];
      axis_list beginning;
      while (beginning.size < theirs.size && beginning.follow(theirs, split_[l])) {
      }
      if (beginning.size != 0) complete(l, beginning, known);
    }
  }
  // Appends the other axes of label l to a list: up to three in every order, more in the order of the mesh.
  constexpr void complete(int l, axis_list const& list, lists& known) {
    axis_mask const rest = split_[l] & ~list.mask();
    int left = 0;
    for (int i = 0; i < axes_; ++i) left += static_cast<int>(rest >> axis_[i] & 1u);
    if (left == 0) {
      for (int i = 0; i < known.size; ++i)
        if (known.tried[i] == list) return;
      known.tried[known.size++] = list_[l] = list;
      return order(l + 1);
    }
    for (int i = 0; i < axes_; ++i) {
      if (!(rest >> axis_[i] & 1u)) continue;
      axis_list next = list;
      next.push(axis_[i]);
      complete(l, next, known);
      if (left > 3) return;
    }
  }
  constexpr layout_value layout_of(int o, axis_mask partial) const {
    layout_value v;
    v.rank = labels_of(o).rank;
    for (int l = 0; l < labels_.all.rank; ++l)
      if (split_[l] != 0 && dim_[o][l] >= 0) v.dim[dim_[o][l]] = list_[l];
    v.add_partial(op_sum, partial);
    return v;
  }
  static constexpr bool has_a_type(layout_value const& v) {
    int cyclic = 0;
    for (int d = 0; d < v.rank; ++d) cyclic += v.dim[d].cyclic != 0;
    return cyclic <= max_cyclic_dimensions;
  }
  constexpr void offer() {
    layout_value const a = layout_of(0, partial_[0]), b = layout_of(1, partial_[1]);
    axis_mask summed = partial_[0] | partial_[1];
    for (int l = 0; l < labels_.all.rank; ++l)
      if (dim_[2][l] < 0) summed |= split_[l];
    if (++offers_ > most_offers) return;
    layout_value const product = layout_of(2, summed);
    if (!has_blocks_ || (has_a_type(a) && has_a_type(b) && has_a_type(product))) visit_(a, b, product);
  }

  static constexpr int most_offers = 340;
  product_task const& t_;
  labelled_extents labels_;
  Visit& visit_;
  int axes_ = 0, free_ = 0, offers_ = 0, axis_[max_axes]{}, dim_[3][max_rank]{};
  bool has_blocks_ = false;  // some operand or the result is block-cyclic
  axis_mask named_ = 0;
  axis_mask split_[max_rank]{}, partial_[2]{};
  axis_list list_[max_rank]{};
};

// The cost of work and communication as bytes.
constexpr double cost_of(double operations, index_t bytes, index_t messages, link_model const& links) {
  return operations / links.operations_per_byte + static_cast<double>(bytes) +
         static_cast<double>(links.message_bytes) * static_cast<double>(messages);
}

// The sizes for which products are priced: extents, axes and elements.
struct product_sizes {
  labelled_extents n;
  mesh_shape mesh;
  element_cost each;

  constexpr double operations(einsum_equation const& e, layout_value const& a, layout_value const& b) const {
    double terms = 1;
    for (int l = 0; l < n.all.rank; ++l) {
      int const d = e.in[0].find(n.all.label[l]);
      axis_list const& list = d >= 0 ? a.dim[d] : b.dim[e.in[1].find(n.all.label[l])];
      terms *= static_cast<double>(largest_part(n.extent[l], list, mesh));
    }
    return terms * each.operations;
  }
};

}  // namespace ashlar::plan_detail
