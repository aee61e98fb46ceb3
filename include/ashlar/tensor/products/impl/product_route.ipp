// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/products/product_route.hpp.
#include <list>

namespace ashlar::tensor_detail {

// The same step at an address that stays valid.
ASHLAR_INLINE plan_step const& kept_step(plan_step const& s) {
  static thread_local std::list<plan_step> kept;
  for (plan_step const& k : kept)
    if (k == s) return k;
  return kept.emplace_back(s);
}

ASHLAR_INLINE route_of_tensor::route_of_tensor(layout_value const& f, layout_value const& t, shape const& extents,
                                               mesh_shape const& sizes, index_t element_bytes, axis_mask helpers,
                                               link_model const& links)
    : from(f), to(t) {
  plan_detail::plan_candidates c;
  if (helpers != 0)
    c = plan_detail::plan_candidates(from, to, helpers, links);
  else
    c.add(plan(from, to));
  only = c.size == 1;
  for (plan_step const& s :
       c.plan[only ? 0 : c.least(extents, sizes, element_bytes, helpers != 0 ? links.message_bytes : 0)])
    step[size++] = &kept_step(s);
}

ASHLAR_INLINE bool route_of_tensor::gathers_only(int dim) const {
  layout_value gathered = from;
  gathered.dim[dim] = {};
  return only && size == 1 && step[0]->what == collective::all_gather && to == gathered &&
         step[0]->axes == from.dim[dim].mask();
}

ASHLAR_INLINE product_route const& product_routes::of(ops_detail::product_problem const& p, shape const& of_a,
                                                      shape const& of_b, mesh_shape const& sizes) {
  constexpr std::size_t most = 16;
  shape const& a = p.is_static ? p.a : of_a;
  shape const& b = p.is_static ? p.b : of_b;
  for (choice const& c : choices_)
    if (c.is_static == p.is_static && c.a == a && c.b == b && c.sizes == sizes) return c.route;
  plan_detail::product_candidates of_static_extents;
  plan_detail::product_candidates& candidates = p.is_static ? of_static_extents : candidates_;
  if (candidates.size == 0) candidates = p.candidates();
  product_plan const& best = candidates.plan[candidates.size == 1 ? 0 : p.least(candidates, a, b, sizes)];
  shape const product = plan_detail::labelled_extents(p.task.e, a, b).of(p.task.e.out);
  auto const route = [&](layout_value const& from, layout_value const& to, shape const& extents) {
    return route_of_tensor(from, to, extents, sizes, p.each.bytes, p.helpers, p.task.links);
  };
  if (choices_.size() == most) choices_.clear();
  choices_.push_back(
      {p.is_static,
       a,
       b,
       sizes,
       {route(p.task.a, best.a, a), route(p.task.b, best.b, b), route(best.product, p.task.to, product)}});
  return choices_.back().route;
}

}  // namespace ashlar::tensor_detail
