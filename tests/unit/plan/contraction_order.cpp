// Orders of the products of an einsum: none changes the layout of the result, and the chosen one is the cheapest.
#include "ashlar/plan/products/contraction_order.hpp"
#include <doctest/doctest.h>
#include <random>
#include "support/all_layouts.hpp"

using namespace ashlar;
using namespace ashlar::test;
using namespace ashlar::plan_detail;
using layout_detail::parse;

namespace {

// The layout that the rule for two operands gives, pair by pair.
rule_result pair_by_pair(layout_detail::einsum_equation e, contraction_order const& order,
                         std::vector<layout_value> x) {
  rule_result r;
  for (int s = 0; e.operands > 1; ++s) {
    auto const i = static_cast<std::size_t>(order.left[s]), j = static_cast<std::size_t>(order.right[s]);
    r = layout_detail::einsum_rule(e.operands == 2 ? e : pair_of(e, order.left[s], order.right[s]), x[i], x[j]);
    if (r.why != fault::fits) return r;
    x[i] = r.out;
    x.erase(x.begin() + order.right[s]);
    e = after_pair(e, order.left[s], order.right[s]);
  }
  return r;
}

}  // namespace

TEST_CASE("every order of pairs gives the layout of the rule for all operands") {
  std::minstd_rand random(3);
  for (equation const& text : {equation("ij,jk,kl->il"), equation("ij,jk,ji->"), equation("ij,jk,j->ik"),
                               equation("i,ij,ij,j->j"), equation("ij,kl,jk,l->i"), equation("ij,ik,jl->lk")}) {
    auto const e = parse(text, 4);
    std::vector<std::vector<layout_value>> layouts;
    for (int o = 0; o < e.operands; ++o) layouts.push_back(all_layouts(e.in[o].rank, 2));
    long fitting = 0;
    for (int k = 0; k < 40000; ++k) {
      std::vector<layout_value> x;
      layout_value const* all[4];
      for (auto const& l : layouts) x.push_back(l[random() / 7 % l.size()]);
      for (std::size_t o = 0; o < x.size(); ++o) all[o] = &x[o];
      rule_result const r = layout_detail::einsum_rule(e, all);
      if (r.why != fault::fits) continue;
      ++fitting;
      for_each_order(e.operands, [&](contraction_order const& order) {
        rule_result const pairs = pair_by_pair(e, order, x);
        CHECK(pairs.why == fault::fits);
        CHECK(pairs.out == r.out);
      });
    }
    CHECK(fitting > 20);
  }
}

TEST_CASE("the best order has the fewest operations") {
  std::minstd_rand random(5);
  for (equation const& text : {equation("ij,jk,kl->il"), equation("ij,jk,kl,lm->im"), equation("i,ij,ij,j->j")}) {
    auto const e = parse(text, 4);
    double sum = 0;
    for (int k = 0; k < 200; ++k) {
      label_extents n;
      for (int o = 0; o < e.operands; ++o)
        for (int d = 0; d < e.in[o].rank; ++d) n.set(e.in[o].label[d], static_cast<double>(1 + random() / 7 % 50));
      contraction_cost const best = cost_of_order(e, best_order(e, n), n);
      int orders = 0;
      for_each_order(e.operands, [&](contraction_order const& o) {
        ++orders;
        CHECK(!cost_of_order(e, o, n).less_than(best));
      });
      CHECK(orders == (e.operands == 3 ? 3 : 18));
      contraction_orders const few(e);
      CHECK(few.size <= 6);
      double const ratio = cost_of_order(e, few.order[few.least(e, n)], n).operations / best.operations;
      if (e.operands == 3) CHECK(ratio == 1);
      sum += ratio;
    }
    CHECK(sum / 200 <= 1.001);  // the orders that a program with extents at run time has
  }
}
