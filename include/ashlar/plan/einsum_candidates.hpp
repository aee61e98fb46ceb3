// The layouts in which a product of two tensors can be computed, and their costs.
#pragma once
#include "ashlar/plan/einsum_estimate.hpp"

namespace ashlar {

/// A product of two tensors as a composition. The operands are redistributed into the layouts a and b. einsum gives the
/// layout `product`, which is redistributed into the layout of the result. `operations` are the operations of the busiest rank. `bytes` and
/// `messages` are the sums over the three redistributions. `cost` is all of them as bytes.
struct product_plan {
  layout_value a, b, product;
  double operations = 0;
  index_t bytes = 0, messages = 0;
  double cost = 0;
};

namespace plan_detail {

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
template <class Visit>
class product_candidates_of {
 public:
  constexpr product_candidates_of(product_task const& t, Visit& visit) : t_(t), labels_(t.e), visit_(visit) {
    for (int i = 0; i < max_axes; ++i)
      if (t.axes >> i & 1u) axis_[axes_++] = i;
    int choices = 1;
    for (int i = 0; i < axes_; ++i) choices *= labels_.all.rank + 1;
    exhaustive_ = choices <= 1000;
    place(0);
  }

 private:
  // Lets axis number i and all later ones split each label in turn.
  constexpr void place(int i) {
    if (i == axes_) return order(0);
    axis_mask const m = mask_of(axis_[i]);
    for (int l = 0; l < labels_.all.rank; ++l) {
      if (!exhaustive_ && i >= most_free && !is_split_by(l, m)) continue;
      split_[l] |= m;
      place(i + 1);
      split_[l] &= ~m;
    }
    for (int o = 0; o < 2; ++o) {
      layout_value const& x = t_.operand(o);
      if (x.levels != 1 || x.reductions[0].op != op_sum || !(x.reductions[0].axes & m)) continue;
      partial_[o] |= m;
      place(i + 1);
      partial_[o] &= ~m;
    }
    place(i + 1);
  }
  // True if an operand or the result splits a label by the axis. On meshes of many axes the later axes have no others.
  constexpr bool is_split_by(int l, axis_mask m) const {
    char const c = labels_.all.label[l];
    for (int o = 0; o < 2; ++o)
      if (int const d = t_.e.in[o].find(c); d >= 0 && (t_.operand(o).dim[d].mask() & m)) return true;
    int const d = t_.e.out.find(c);
    return d >= 0 && (t_.to.dim[d].mask() & m);
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
    char const c = labels_.all.label[l];
    for (int o = 0; o < 3; ++o) {
      int const d = (o == 2 ? t_.e.out : t_.e.in[o]).find(c);
      if (d < 0) continue;
      axis_list const& theirs = (o == 2 ? t_.to : t_.operand(o)).dim[d];
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
    for (int i = 0; i < axes_; ++i) left += rest >> axis_[i] & 1u;
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
  constexpr layout_value split(einsum_equation::labels const& x, axis_mask partial) const {
    layout_value v;
    for (v.rank = 0; v.rank < x.rank; ++v.rank) v.dim[v.rank] = list_[labels_.all.find(x.label[v.rank])];
    v.add_partial(op_sum, partial);
    return v;
  }
  static constexpr bool has_a_type(layout_value const& v) {
    int cyclic = 0;
    for (int d = 0; d < v.rank; ++d) cyclic += v.dim[d].cyclic != 0;
    return cyclic <= max_cyclic_dimensions;
  }
  constexpr void offer() {
    layout_value const a = split(t_.e.in[0], partial_[0]), b = split(t_.e.in[1], partial_[1]);
    axis_mask summed = partial_[0] | partial_[1];
    for (int l = 0; l < labels_.all.rank; ++l)
      if (t_.e.out.find(labels_.all.label[l]) < 0) summed |= split_[l];
    layout_value const product = split(t_.e.out, summed);
    if (has_a_type(a) && has_a_type(b) && has_a_type(product)) visit_(a, b, product);
  }

  static constexpr int most_free = 3;
  product_task const& t_;
  labelled_extents labels_;
  Visit& visit_;
  int axes_ = 0, axis_[max_axes]{};
  bool exhaustive_ = true;
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

}  // namespace plan_detail

}  // namespace ashlar
