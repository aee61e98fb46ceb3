// SPDX-License-Identifier: BSL-1.0
// The functions of plan/print_product.hpp.

namespace ashlar::planning {

ASHLAR_INLINE named_product parse_product(std::string const& text, std::string_view extents, index_t element_bytes) {
  ashlar::equation letters("");
  letters.append(text.data(), text.size());
  named_product p{layout_detail::parse(letters), {}, {}, {}};
  if (p.equation.operands != 2) throw error("--product: expected an equation of two operands, found '" + text + "'");
  plan_detail::labelled_extents n(p.equation);
  shape const given = parse_extents(extents, element_bytes);
  if (given.rank != n.all.rank)
    throw error("--extents: the equation has " + std::to_string(n.all.rank) + " labels, found " +
                std::to_string(given.rank) + " extents");
  for (int l = 0; l < given.rank; ++l) n.extent[l] = given[l];
  p.a = n.of(p.equation.in[0]);
  p.b = n.of(p.equation.in[1]);
  p.result = n.of(p.equation.out);
  return p;
}

ASHLAR_INLINE std::string text_of_product(named_product const& of, layout_value const& a, layout_value const& b,
                                          layout_value const& to, named_mesh const& m, element_cost const& each,
                                          link_model links) {
  using namespace plan_detail;
  layout_detail::einsum_equation const& e = of.equation;
  if (a.rank != e.in[0].rank || b.rank != e.in[1].rank || to.rank != e.out.rank)
    throw error("--product: the layouts have other numbers of dimensions than the equation; write one spec per letter");
  links.sizes = m.shape;
  auto const names = m.texts();
  product_task const t{e, a, b, to, m.all_axes() & ~m.trivial_axes(), links};
  product_sizes const s{labelled_extents(e, of.a, of.b), m.shape, each};
  product_candidates c(t, s);
  for (int i = 0; i < c.size; ++i) c.plan[i] = priced(c.plan[i], t, s);
  // Not std::sort, which has a branch for many elements: at -O3 g++ 12 says that it reads beyond these few.
  for (product_plan* next = c.plan + 1; next < c.plan + c.size; ++next) {
    product_plan* const cheapest = std::min_element(
        next, c.plan + c.size, [](product_plan const& x, product_plan const& y) { return x.cost < y.cost; });
    std::rotate(next, cheapest, cheapest + 1);
  }

  auto const text = [&](layout_value const& v) { return to_string(v, names.data()); };
  auto const steps = [&](layout_value const& from, layout_value const& into, einsum_equation::labels const& l) {
    shape const extents = s.n.of(l);
    return text_of_steps(plan(from, into, extents, m.shape, each.bytes, t.axes, links), names.data(), extents, m.shape,
                         each.bytes);
  };
  product_plan const& best = c.plan[0];
  std::string all = "a      " + text(a) + "\n" + steps(a, best.a, e.in[0]) + "b      " + text(b) + "\n" +
                    steps(b, best.b, e.in[1]) + "einsum " + text(best.a) + " by " + text(best.b) + " is " +
                    text(best.product) + "\n" + steps(best.product, to, e.out) + "result " + text(to) +
                    "\nwhy: the least cost in bytes of the candidates\n";
  for (int i = 0; i < c.size; ++i) {
    product_plan const& p = c.plan[i];
    all += "  " + std::to_string(static_cast<index_t>(p.cost)) + " = " +
           std::to_string(static_cast<index_t>(p.operations)) + " operations + " + std::to_string(p.bytes) +
           " bytes + " + std::to_string(p.messages) + " messages: " + text(p.a) + " by " + text(p.b) + "\n";
  }
  return all;
}

}  // namespace ashlar::planning
