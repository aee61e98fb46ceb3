// The plan of a product of two tensors in any layouts: how the operands are redistributed before einsum multiplies them.
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
// the operand partial that is partial over it by a sum, or does nothing. A label is split by its axes in the order of
// the mesh. If a, b or the result split it by some of these axes, their order and blocks are candidates, too.
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

  // Chooses the lists of axes of label l and of all later ones.
  constexpr void order(int l) {
    if (l == labels_.all.rank) return offer();
    axis_list tried[4];
    int n = 0;
    auto const attempt = [&](axis_list const& beginning) {
      axis_list list = beginning;
      for (int i = 0; i < axes_; ++i)
        if (split_[l] & ~list.mask() & mask_of(axis_[i])) list.push(axis_[i]);
      for (int i = 0; i < n; ++i)
        if (tried[i] == list) return;
      tried[n++] = list_[l] = list;
      order(l + 1);
    };
    attempt({});
    if (split_[l] == 0) return;
    char const c = labels_.all.label[l];
    for (int o = 0; o < 3; ++o) {
      int const d = (o == 2 ? t_.e.out : t_.e.in[o]).find(c);
      if (d < 0) continue;
      axis_list const& theirs = (o == 2 ? t_.to : t_.operand(o)).dim[d];
      axis_list beginning;
      while (beginning.size < theirs.size && beginning.follow(theirs, split_[l])) {
      }
      if (beginning.size != 0) attempt(beginning);
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

// The candidates of least estimated cost for some sizes.
class product_ranking {
 public:
  static constexpr int most = 4;
  product_plan best[most];
  int size = 0;

  constexpr product_ranking(product_sizes const& s, product_task const& t, int wanted)
      : sizes_(s), by_(s.mesh, t.axes), wanted_(wanted) {
    for (int o = 0; o < 2; ++o) in_[o] = s.n.of(t.e.in[o]);
    out_ = s.n.of(t.e.out);
  }
  constexpr void offer(product_task const& t, layout_value const& a, layout_value const& b,
                       layout_value const& product) {
    double const operations = sizes_.operations(t.e, a, b);
    double cost = cost_of(operations, 0, 0, t.links);
    if (too_dear(cost)) return;
    auto const add = [&](layout_value const& from, layout_value const& to, shape const& extents) {
      price const r = by_.of(from, to, extents);
      cost += cost_of(0, r.elements * sizes_.each.bytes, r.messages, t.links);
      return !too_dear(cost);
    };
    if (!add(t.a, a, in_[0]) || !add(t.b, b, in_[1]) || !add(product, t.to, out_)) return;
    if (size < wanted_) ++size;
    int i = size - 1;
    for (; i > 0 && best[i - 1].cost > cost; --i) best[i] = best[i - 1];
    best[i] = {a, b, product, operations, 0, 0, cost};
  }

 private:
  constexpr bool too_dear(double cost) const { return size == wanted_ && cost >= best[size - 1].cost; }

  product_sizes sizes_;
  redistribution_estimate by_;
  int wanted_;
  shape in_[2], out_;
};

// At most four candidates for a product, among which exact prices choose.
struct product_candidates {
  static constexpr int most = product_ranking::most;
  int size = 0;
  product_plan plan[most];

  // The four best for known sizes.
  constexpr product_candidates(product_task const& t, product_sizes const& s) {
    product_ranking best(s, t, most);
    auto const visit = [&](auto const&... layouts) { best.offer(t, layouts...); };
    product_candidates_of<decltype(visit)>(t, visit);
    for (int i = 0; i < best.size; ++i) add(best.best[i]);
  }

  // The best for typical extents: all equal and large, one label longer than the others, all equal and small.
  constexpr product_candidates(product_task const& t, mesh_shape const& mesh, element_cost const& each) {
    product_sizes s{labelled_extents(t.e), mesh, each};
    for (int l = 0; l < s.n.all.rank; ++l) s.n.extent[l] = 4096;
    product_ranking const equal(s, t, 1);
    product_ranking best[max_rank + 2]{equal, equal, equal, equal, equal, equal, equal, equal, equal, equal};
    int n = 1;
    for (int l = 0; l < s.n.all.rank; ++l) {
      s.n.extent[l] = 4096 * 64;
      best[n++] = product_ranking(s, t, 1);
      s.n.extent[l] = 4096;
    }
    for (int l = 0; l < s.n.all.rank; ++l) s.n.extent[l] = 16;
    best[n++] = product_ranking(s, t, 1);
    auto const visit = [&](auto const&... layouts) {
      for (int i = 0; i < n; ++i) best[i].offer(t, layouts...);
    };
    product_candidates_of<decltype(visit)>(t, visit);
    for (int i = 0; i < n; ++i) add(best[i].best[0]);
  }
  constexpr void add(product_plan const& p) {
    if (size == most) return;
    for (int i = 0; i < size; ++i)
      if (plan[i].a == p.a && plan[i].b == p.b && plan[i].product == p.product) return;
    plan[size++] = p;
  }

  // The candidate with the least exact price; then with the fewest redistributions; then the first.
  constexpr int least(product_task const& t, product_sizes const& s) const {
    int best = 0, fewest = 0;
    double least_cost = 0;
    for (int i = 0; i < size; ++i) {
      product_plan const& p = plan[i];
      double const cost = priced(p, t, s, i == 0 ? -1 : least_cost).cost;
      int const changes = !(p.a == t.a) + !(p.b == t.b) + !(p.product == t.to);
      if (i != 0 && (cost > least_cost || (cost == least_cost && changes >= fewest))) continue;
      best = i;
      least_cost = cost;
      fewest = changes;
    }
    return best;
  }
  // A candidate with its exact price: its redistributions follow their plans for these extents. If `limit` is not
  // negative, it stops above this cost.
  static constexpr product_plan priced(product_plan p, product_task const& t, product_sizes const& s,
                                       double limit = -1) {
    p.operations = s.operations(t.e, p.a, p.b);
    p.bytes = p.messages = 0;
    auto const add = [&](layout_value const& from, layout_value const& to, einsum_equation::labels const& l) {
      p.cost = cost_of(p.operations, p.bytes, p.messages, t.links);
      if (from == to || (limit >= 0 && p.cost > limit)) return;
      shape const extents = s.n.of(l);
      redistribution_plan const r = ashlar::plan(from, to, extents, s.mesh, s.each.bytes, t.axes, t.links);
      p.bytes += r.bytes_per_rank(extents, s.mesh, s.each.bytes);
      p.messages += r.messages_per_rank(s.mesh);
    };
    add(t.a, p.a, t.e.in[0]);
    add(t.b, p.b, t.e.in[1]);
    add(p.product, t.to, t.e.out);
    p.cost = cost_of(p.operations, p.bytes, p.messages, t.links);
    return p;
  }
};

}  // namespace plan_detail

/// The plan of a product of two tensors in any layouts into layout `to`. `e` is the equation, as parse gives it.
/// Each axis of the mesh splits a kept label, a summed label or a batch label, or does nothing; the splits that a, b and
/// `to` have are candidates, too. So one-dimensional, SUMMA-like and replicated products are points of one set. Estimates
/// choose four candidates. Of these the plan has the least cost: the operations of the busiest rank, the bytes and the
/// messages, weighed by `links`.
/// Pre: every label of one operand is in the other operand or in the result.
/// Example: einsum_plan(parse("mk,kn->mn"), a, b, to, shape::of(4096, 4096), shape::of(4096, 4096), sizes)
constexpr product_plan einsum_plan(layout_detail::einsum_equation const& e, layout_value const& a,
                                   layout_value const& b, layout_value const& to, shape const& extents_a,
                                   shape const& extents_b, mesh_shape const& sizes, element_cost const& each = {},
                                   link_model const& links = {}) {
  using namespace plan_detail;
  product_task const t{e, a, b, to, mask_of(sizes.axes) - 1, links};
  product_sizes const s{labelled_extents(e, extents_a, extents_b), sizes, each};
  product_candidates const c(t, s);
  return product_candidates::priced(c.plan[c.least(t, s)], t, s);
}

}  // namespace ashlar
