// The plan of a distributed product, as types. The extents of the operands choose it.
#pragma once
#include "ashlar/ops/collectives.hpp"
#include "ashlar/plan/einsum_plan.hpp"

namespace ashlar::ops_detail {

// The sizes of a mesh for which candidates are chosen before the program runs: 4 if a size comes at run time.
template <class Mesh>
inline constexpr mesh_shape likely_sizes = [] {
  mesh_shape s = static_sizes<Mesh>;
  for (int a = 0; a < s.axes; ++a)
    if (s.size[a] == 0) s.size[a] = 4;
  return s;
}();

// The candidates for a product of tensors of types A and B into layout To.
template <equation E, class To, class A, class B>
struct product_plans {
  using mesh = mesh_t<A>;
  using context = mesh_context<mesh, layout_t<A>, layout_t<B>, To>;
  static constexpr element_cost each = plan_detail::element_cost_of<element_t<A>>;
  static constexpr bool is_static = sizes_are_static<A> && sizes_are_static<B>;

  static constexpr product_task task = [] {
    product_task t{parse(E), value_v<context, layout_t<A>>, value_v<context, layout_t<B>>, value_v<context, To>};
    t.axes = axes_with_ranks<mesh> | t.a.named() | t.b.named() | t.to.named();
    t.links = complete_links<mesh>();
    return t;
  }();
  // Exact prices of block-cyclic dimensions take a compiler too long.
  static constexpr bool has_blocks = (encode_blocks(task.a) | encode_blocks(task.b) | encode_blocks(task.to)) != 0;
  static constexpr product_candidates value = [] {
    if constexpr (is_static) {
      product_sizes const s{{task.e, static_extents_v<A>, static_extents_v<B>}, static_sizes<mesh>, each};
      product_candidates const c(task, s);
      product_candidates best = c;
      best.size = 1;
      best.plan[0] = c.plan[has_blocks ? c.least_estimated(task, s) : c.least(task, s)];
      return best;
    } else {
      return product_candidates(task, likely_sizes<mesh>, each);
    }
  }();
  static constexpr int least(shape const& a, shape const& b, mesh_shape const& sizes) {
    return value.least_estimated(task, {{task.e, a, b}, sizes, each});
  }
};

// The layouts of the operands in candidate I.
template <class Plans, int I>
struct product_number {
  static constexpr layout_value left = Plans::value.plan[I].a, right = Plans::value.plan[I].b;
  using a = layout_from_t<typename Plans::context, encode(left), encode_blocks(left), left.rank>;
  using b = layout_from_t<typename Plans::context, encode(right), encode_blocks(right), right.rank>;
};

// The number of the candidate for these extents and sizes. A program multiplies the same again and again, so the last
// choice is remembered.
template <class Plans>
int remembered_product(shape const& a, shape const& b, mesh_shape const& sizes) {
  struct choice {
    shape a, b;
    mesh_shape sizes;
    int number = -1;
  };
  static thread_local choice last;
  if (last.number < 0 || !(last.a == a) || !(last.b == b) || !(last.sizes == sizes))
    last = {a, b, sizes, Plans::least(a, b, sizes)};
  return last.number;
}

// Calls f with candidate k as a type.
template <class Plans, int I = 0, class F>
constexpr auto with_product(int k, F const& f) {
  if constexpr (I + 1 < Plans::value.size)
    if (k != I) return with_product<Plans, I + 1>(k, f);
  return f(product_number<Plans, I>{});
}

template <class Plans, class F>
constexpr auto with_least_product(shape const& a, shape const& b, mesh_shape const& sizes, F const& f) {
  if constexpr (Plans::value.size == 1)
    return f(product_number<Plans, 0>{});
  else
    return with_product<Plans>(
        std::is_constant_evaluated() ? Plans::least(a, b, sizes) : remembered_product<Plans>(a, b, sizes), f);
}

}  // namespace ashlar::ops_detail
