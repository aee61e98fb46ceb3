// SPDX-License-Identifier: BSL-1.0
// The plan of a product of two tensors in any layouts: how the operands are redistributed before einsum multiplies them.
#pragma once
#include "ashlar/plan/products/typical_products.hpp"

namespace ashlar::plan_detail {

// A candidate with its exact price: its redistributions follow their plans for these extents. If `limit` is not
// negative, it stops above this cost.
constexpr product_plan priced(product_plan p, product_task const& t, product_sizes const& s, double limit = -1) {
  p.operations = s.operations(t.e, p.a, p.b);
  p.bytes = p.messages = 0;
  auto const add = [&](layout_value const& from, layout_value const& to, einsum_equation::labels const& l) {
    p.cost = cost_of(p.operations, p.bytes, p.messages, t.links);
    if (from == to || (limit >= 0 && p.cost > limit)) return;
    shape const extents = s.n.of(l);
    redistribution_plan const r = ashlar::planning::plan(from, to, extents, s.mesh, s.each.bytes, t.axes, t.links);
    p.bytes += r.bytes_per_rank(extents, s.mesh, s.each.bytes);
    p.messages += r.messages_per_rank(s.mesh);
  };
  add(t.a, p.a, t.e.in[0]);
  add(t.b, p.b, t.e.in[1]);
  add(p.product, t.to, t.e.out);
  p.cost = cost_of(p.operations, p.bytes, p.messages, t.links);
  return p;
}

// The number of the candidate with the least cost_within(candidate, limit); then with the fewest redistributions; then the
// first.
template <class Cost>
constexpr int least_product(product_plan const* plan, int size, product_task const& t, Cost const& cost_within) {
  int best = 0, fewest = 0;
  double least_cost = -1;
  for (int i = 0; i < size; ++i) {
    product_plan const& p = plan[i];
    double const cost = cost_within(p, least_cost);
    int const changes = !(p.a == t.a) + !(p.b == t.b) + !(p.product == t.to);
    if (i != 0 && (cost > least_cost || (cost == least_cost && changes >= fewest))) continue;
    best = i;
    least_cost = cost;
    fewest = changes;
  }
  return best;
}

// The candidates of least estimated cost for some sizes. Estimates may be 25 % below prices. On three axes the best
// candidate was the eleventh at the latest, in 42000 random products.
class product_ranking {
 public:
  static constexpr int most = 12;
  product_plan best[most];
  int size = 0;

  constexpr product_ranking(product_sizes const& s, product_task const& t)
      : sizes_(s), by_(s.mesh, t.axes, t.links.message_bytes != 0) {
    for (int o = 0; o < 2; ++o) in_[o] = s.n.of(t.e.in[o]);
    out_ = s.n.of(t.e.out);
  }
  constexpr void offer(product_task const& t, layout_value const& a, layout_value const& b,
                       layout_value const& product) {
    double const cost = estimate(t, a, b, product, size == most ? best[size - 1].cost : -1);
    if (size == most && cost >= best[size - 1].cost) return;
    if (size < most) ++size;
    int i = size - 1;
    for (; i > 0 && best[i - 1].cost > cost; --i) best[i] = best[i - 1];
    best[i] = {a, b, product, 0, 0, 0, cost};
  }
  // The estimated cost of a candidate. If `limit` is not negative, the estimate stops at this cost.
  constexpr double estimate(product_task const& t, layout_value const& a, layout_value const& b,
                            layout_value const& product, double limit = -1) const {
    double cost = cost_of(sizes_.operations(t.e, a, b), 0, 0, t.links);
    auto const add = [&](layout_value const& from, layout_value const& to, shape const& extents) {
      if (limit >= 0 && cost >= limit) return;
      price const r = by_.of(from, to, extents);
      cost += cost_of(0, r.elements * sizes_.each.bytes, r.messages, t.links);
    };
    add(t.a, a, in_[0]);
    add(t.b, b, in_[1]);
    add(product, t.to, out_);
    return cost;
  }
  // Puts the candidate with the least exact price first. A candidate gets no exact price if its estimate is far above
  // the least one: estimates of block-cyclic dimensions exceed prices by up to 20 %, others by up to 2 %.
  constexpr void put_cheapest_first(product_task const& t) {
    int const found = least_product(best, size, t, [&](product_plan const& p, double limit) {
      return limit >= 0 && p.cost > margin * limit ? p.cost : priced(p, t, sizes_, limit).cost;
    });
    product_plan const cheapest = best[found];
    for (int i = found; i > 0; --i) best[i] = best[i - 1];
    best[0] = cheapest;
  }

 private:
  static constexpr double margin = 1.25;
  product_sizes sizes_;
  redistribution_estimate by_;
  shape in_[2], out_;
};

// At most four candidates for a product.
struct product_candidates {
  static constexpr int most = 4;
  int size = 0;
  product_plan plan[most];

  constexpr product_candidates() = default;

  // The best for known sizes. If `exact`, the first one has the least exact price, otherwise the least estimate.
  constexpr product_candidates(product_task const& t, product_sizes const& s, bool exact = true) {
    product_ranking best(s, t);
    auto const visit = [&](auto const&... layouts) { best.offer(t, layouts...); };
    product_candidates_of<decltype(visit)>(t, visit);
    if (exact) best.put_cheapest_first(t);
    for (; size < best.size && size < most; ++size) plan[size] = best.best[size];
  }

  // Candidates for typical extents: all labels large, all small, one label much longer or shorter than the others. For
  // each of these extents one candidate is the best. Of the best ones, four are kept that serve all extents well.
  constexpr product_candidates(product_task const& t, mesh_shape const& mesh, element_cost const& each) {
    typical_products found(t, mesh, each);
    auto const visit = [&](auto const&... layouts) { found.offer(t, layouts...); };
    product_candidates_of<decltype(visit)>(t, visit);
    for (int k = found.next(); size < most && k >= 0; k = found.next()) plan[size++] = found.best[k];
  }
  // The candidate with the least estimate. Dry runs and real ranks choose so: a compiler can do this for many products.
  constexpr int least_estimated(product_task const& t, product_sizes const& s) const {
    product_ranking const by(s, t);
    return least_product(plan, size, t,
                         [&](product_plan const& p, double) { return by.estimate(t, p.a, p.b, p.product); });
  }
};

}  // namespace ashlar::plan_detail

namespace ashlar::planning {

/// The plan of a product of two tensors in any layouts into layout `to`. `e` is the equation, as parse gives it.
/// Each axis of the mesh splits a kept label, a summed label or a batch label, or does nothing; the splits that a, b and
/// `to` have are candidates, too. So one-dimensional, SUMMA-like and replicated products are points of one set. Estimates
/// choose up to 12 candidates. Of these the plan has the least cost: the operations of the busiest rank, the bytes and the
/// messages, weighed by `links`.
/// Pre: every label of one operand is in the other operand or in the result.
/// Example: planning::einsum_plan(parse("mk,kn->mn"), a, b, to, shape::of(4096, 4096), shape::of(4096, 4096), sizes)
constexpr product_plan einsum_plan(layout_detail::einsum_equation const& e, layout_value const& a,
                                   layout_value const& b, layout_value const& to, shape const& extents_a,
                                   shape const& extents_b, mesh_shape const& sizes, element_cost const& each = {},
                                   link_model const& links = {}) {
  using namespace plan_detail;
  product_task const t{e, a, b, to, mask_of(sizes.axes) - 1, links};
  product_sizes const s{labelled_extents(e, extents_a, extents_b), sizes, each};
  return priced(product_candidates(t, s).plan[0], t, s);
}

}  // namespace ashlar::planning
