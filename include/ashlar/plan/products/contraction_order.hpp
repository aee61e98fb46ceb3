// SPDX-License-Identifier: BSL-1.0
// The order in which the operands of an einsum are multiplied pair by pair.
#pragma once
#include "ashlar/layout/einsum.hpp"
#include "ashlar/layout/split.hpp"

namespace ashlar::plan_detail {

// The pairs in order: the product of two operands takes the place of the left one, and later operands move up.
struct contraction_order {
  int left[max_operands - 1]{}, right[max_operands - 1]{};
  friend constexpr bool operator==(contraction_order const&, contraction_order const&) = default;
};

// The operations and the elements of all products between, of the rank that has most.
struct contraction_cost {
  double operations = 0, elements = 0;
  constexpr bool less_than(contraction_cost const& c) const {
    return operations < c.operations || (operations == c.operations && elements < c.elements);
  }
};

// The equation of operands i and j alone: it keeps the labels that others or the result have.
constexpr einsum_equation pair_of(einsum_equation const& e, int i, int j) {
  einsum_equation p;
  p.operands = 2;
  p.in[0] = e.in[i];
  p.in[1] = e.in[j];
  for (einsum_equation::labels const& x : {e.in[i], e.in[j]})
    for (int d = 0; d < x.rank; ++d) {
      bool kept = e.out.find(x.label[d]) >= 0;
      for (int o = 0; o < e.operands; ++o) kept = kept || (o != i && o != j && e.in[o].find(x.label[d]) >= 0);
      if (!kept || p.out.find(x.label[d]) >= 0) continue;
      if (p.out.rank == max_rank)
        throw "ashlar::einsum: the product of two of the operands has more than 8 dimensions; join dimensions first";
      p.out.label[p.out.rank++] = x.label[d];
    }
  return p;
}
// The equation after operands i and j < operands became their product.
constexpr einsum_equation after_pair(einsum_equation const& e, int i, int j) {
  einsum_equation r = e;
  r.in[i] = pair_of(e, i, j).out;
  --r.operands;
  for (int o = j; o < max_operands; ++o) r.in[o] = o < r.operands ? e.in[o + 1] : einsum_equation::labels{};
  return r;
}

// The extents of labels on the rank that has most.
struct label_extents {
  char label[max_operands * max_rank]{};
  double extent[max_operands * max_rank]{};
  int size = 0;

  constexpr double of(char l) const {
    for (int i = 0; i < size; ++i)
      if (label[i] == l) return extent[i];
    return 1;
  }
  constexpr void set(char l, double n) {
    for (int i = 0; i < size; ++i)
      if (label[i] == l) return;
    label[size] = l;
    extent[size++] = n;
  }
};

constexpr contraction_cost cost_of_order(einsum_equation e, contraction_order const& order, label_extents const& n) {
  contraction_cost c;
  for (int s = 0; e.operands > 1; ++s) {
    int const i = order.left[s], j = order.right[s];
    double operations = 2, elements = 1;
    for (int d = 0; d < e.in[i].rank; ++d) operations *= n.of(e.in[i].label[d]);
    for (int d = 0; d < e.in[j].rank; ++d)
      if (e.in[i].find(e.in[j].label[d]) < 0) operations *= n.of(e.in[j].label[d]);
    e = after_pair(e, i, j);
    for (int d = 0; d < e.in[i].rank; ++d) elements *= n.of(e.in[i].label[d]);
    c.operations += operations;
    c.elements += elements;
  }
  return c;
}

// Calls f(order) for every order.
template <class F>
constexpr void for_each_order(int operands, F const& f, contraction_order order = {}, int step = 0) {
  if (operands == 1) return f(order);
  for (int i = 0; i < operands; ++i)
    for (int j = i + 1; j < operands; ++j) {
      order.left[step] = i;
      order.right[step] = j;
      for_each_order(operands - 1, f, order, step + 1);
    }
}

constexpr contraction_order best_order(einsum_equation const& e, label_extents const& n) {
  contraction_order best;
  contraction_cost least;
  bool found = false;
  for_each_order(e.operands, [&](contraction_order const& o) {
    contraction_cost const c = cost_of_order(e, o, n);
    if (found && !c.less_than(least)) return;
    best = o;
    least = c;
    found = true;
  });
  return best;
}

// At most six orders, among which extents choose: a chain of four matrices has five. They are the best ones for labels
// that are all long, and for one or two labels that are shorter than the others.
struct contraction_orders {
  static constexpr int most = 6;
  int size = 0;
  contraction_order order[most];

  constexpr contraction_orders() = default;
  constexpr explicit contraction_orders(einsum_equation const& e) {
    label_extents n;
    for (int o = 0; o < e.operands; ++o)
      for (int d = 0; d < e.in[o].rank; ++d) n.set(e.in[o].label[d], 64);
    add_best(e, n);
    for (int l = 0; l < n.size; ++l)
      for (int k = 0; k <= l; ++k) {
        n.extent[l] = n.extent[k] = 16;
        add_best(e, n);
        n.extent[l] = n.extent[k] = 64;
      }
  }
  // Adds the best order for these extents if it is cheaper than the orders so far.
  constexpr void add_best(einsum_equation const& e, label_extents const& n) {
    if (size == most) return;
    contraction_order const best = best_order(e, n);
    if (size == 0 || cost_of_order(e, best, n).less_than(cost_of_order(e, order[least(e, n)], n))) add(best);
  }
  constexpr void add(contraction_order const& o) {
    if (size == most) return;
    for (int i = 0; i < size; ++i)
      if (order[i] == o) return;
    order[size++] = o;
  }
  constexpr int least(einsum_equation const& e, label_extents const& n) const {
    int best = 0;
    for (int i = 1; i < size; ++i)
      if (cost_of_order(e, order[i], n).less_than(cost_of_order(e, order[best], n))) best = i;
    return best;
  }
};

}  // namespace ashlar::plan_detail
