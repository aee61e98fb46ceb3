// SPDX-License-Identifier: BSL-1.0
// The plan of a distributed product, as a value and as types. The extents of the operands choose it.
#pragma once
#include "ashlar/ops/collectives.hpp"
#include "ashlar/plan/products/einsum_plan.hpp"

namespace ashlar::ops_detail {

// The sizes of a mesh for which candidates are chosen before the program runs: 4 if a size comes at run time.
template <class Mesh>
inline constexpr mesh_shape likely_sizes = [] {
  mesh_shape s = static_sizes<Mesh>;
  for (int a = 0; a < s.axes; ++a)
    if (s.size[a] == 0) s.size[a] = 4;
  return s;
}();

// A product before its extents are known. `likely` are the sizes of the mesh for which candidates are chosen.
struct product_problem {
  product_task task;
  element_cost each;
  mesh_shape likely;
  axis_mask helpers = 0;  // axes whose ranks share the work of redistributions
  bool is_static = false;
  shape a{}, b{};  // if is_static, these extents choose, and the operands' do not

  // Exact prices of block-cyclic dimensions take a compiler too long.
  constexpr bool has_blocks() const {
    return (encode_blocks(task.a) | encode_blocks(task.b) | encode_blocks(task.to)) != 0;
  }
  constexpr product_candidates candidates() const {
    if (!is_static) return product_candidates(task, likely, each);
    product_sizes const s{{task.e, a, b}, likely, each};
    product_candidates best(task, s, !has_blocks());
    if (has_blocks()) best.plan[0] = best.plan[best.least_estimated(task, s)];
    best.size = 1;
    return best;
  }
  constexpr int least(product_candidates const& c, shape const& of_a, shape const& of_b,
                      mesh_shape const& sizes) const {
    return c.least_estimated(task, {{task.e, of_a, of_b}, sizes, each});
  }
};

// The candidates for a product of tensors of types A and B into layout To. The compiler finds `value` if a program uses it.
// If `ByTypes`, the one for operands of equal extents is the only one, unless the compiler knows the extents.
template <equation E, class To, class A, class B, bool ByTypes = false>
struct product_plans {
  static constexpr bool by_types = ByTypes && !(sizes_are_static<A> && sizes_are_static<B>);
  using mesh = mesh_t<A>;
  using context = mesh_context<mesh, layout_t<A>, layout_t<B>, To>;
  static constexpr product_problem problem = [] {
    product_problem p{{parse(E), value_v<context, layout_t<A>>, value_v<context, layout_t<B>>, value_v<context, To>},
                      plan_detail::element_cost_of<element_t<A>>,
                      likely_sizes<mesh>,
                      axes_with_ranks<mesh>};
    p.task.axes = p.helpers | p.task.a.named() | p.task.b.named() | p.task.to.named();
    p.task.links = complete_links<mesh>();
    if constexpr (sizes_are_static<A> && sizes_are_static<B>) {
      p.is_static = true;
      p.a = static_extents_v<A>;
      p.b = static_extents_v<B>;
    } else if constexpr (by_types) {
      // Large extents that the usual sizes of axes divide, and products of them that are indices.
      index_t const each =
          plan_detail::labelled_extents(p.task.e).all.rank <= 5 ? 3072 : plan_detail::typical_products::extent;
      p.is_static = true;
      for (int d = p.a.rank = rank_v<A>; d-- > 0;) p.a[d] = each;
      for (int d = p.b.rank = rank_v<B>; d-- > 0;) p.b[d] = each;
    }
    return p;
  }();
  static constexpr product_candidates value = problem.candidates();
  static constexpr int least(shape const& a, shape const& b, mesh_shape const& sizes) {
    return problem.least(value, a, b, sizes);
  }
};

// The layout of the result, in canonical form.
template <class Plans>
using product_layout = layout_from_t<typename Plans::context, encode(Plans::problem.task.to),
                                     encode_blocks(Plans::problem.task.to), Plans::problem.task.to.rank>;

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

// Calls f with the candidate for operands a and b.
template <class Plans, class A, class B, class F>
constexpr auto with_least_product(A const& a, B const& b, F const& f) {
  if constexpr (Plans::value.size == 1) {
    return f(product_number<Plans, 0>{});
  } else {
    auto const least = [&] {
      return std::is_constant_evaluated() ? Plans::least(a.extents(), b.extents(), a.mesh().sizes())
                                          : remembered_product<Plans>(a.extents(), b.extents(), a.mesh().sizes());
    };
    return with_product<Plans>(
        plan_detail::chosen_by_extents < static_shape<A> &&
            static_shape < B >> (a.mesh(), &Plans::value, Plans::value.size, a.extents(), b.extents(), least),
        f);
  }
}

}  // namespace ashlar::ops_detail
