// SPDX-License-Identifier: BSL-1.0
// Redistribution into the memory of a tensor.
#pragma once
#include "ashlar/ops/assign.hpp"
#include "ashlar/ops/collectives.hpp"

namespace ashlar {

namespace ops_detail {

template <class Y, class X>
struct redistribute_into_operands {
  static constexpr bool elements = std::is_same_v<element_t<Y>, element_t<X>>,
                        mesh = std::is_same_v<mesh_t<Y>, mesh_t<X>>, rank = rank_v<Y> == rank_v<X>,
                        ok = elements && mesh && rank;
  static constexpr void say() {
    static_assert(
        elements,
        "ashlar::redistribute_into: the tensors have different element types; write cast<T>(x) for the second one");
    static_assert(
        !elements || mesh,
        "ashlar::redistribute_into: the tensors live on different meshes; write y = redistribute<L>(x, mesh)");
    static_assert(
        !elements || !mesh || rank,
        "ashlar::redistribute_into: the tensors have different numbers of dimensions; give both the same number");
  }
};

template <class P, int Step, class Y, class X>
constexpr void run_steps_into(Y& y, X const& x, call_site const& w) {
  if constexpr (Step == P::value.size)
    assign_elements(backend_of<X>{}, y, x);
  else if constexpr (Step + 1 == P::value.size)
    take_step_into<P, Step>(backend_of<X>{}, y, x, w);
  else
    run_steps_into<P, Step + 1>(y, take_step<P, Step>(backend_of<X>{}, x, w), w);
}

}  // namespace ops_detail

/// Gives y the value of x, in the layout of y: redistribute into the memory of y, which the program may own (adopt). If
/// a copy of y or an expression of y shares this memory, y gets new memory, and they keep their elements.
/// Shape: y has the extents and the element type of x.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: as redistribute, without a new tensor for the last step. If no step is needed, a copy of the shard.
/// Error: a y under differentiation does not compile, nor do an expression, a const tensor and another element type.
///   Extents that differ throw ashlar::error.
/// Example: auto y = adopt<layout<none, "x">>(m, mine.data(), {8, 6}); redistribute_into(y, x);
template <tensor Y, tensor X>
constexpr void redistribute_into(Y& y, X const& x, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  if constexpr (meta_detail::hold<ops_detail::assign_target<Y, X>, ops_detail::redistribute_into_operands<Y, X>>()) {
    ops_detail::require_meshes_of_one_size(y, x);
    if (!(y.extents() == x.extents()))
      plan_detail::fail_other_extents("ashlar::redistribute_into: the tensors have equal extents", y.extents(),
                                      x.extents());
    using plans =
        ops_detail::plans_between<mesh_t<X>, layout_t<X>, layout_t<Y>, ops_detail::axes_with_ranks<mesh_t<X>>>;
    static_assert(
        !ops_detail::elements_lack_the_reduction<ops_detail::plan_number<plans, 0>, element_t<X>>,
        "ashlar::redistribute_into: elements of this type cannot be combined by the layout's reduction; max and min need an order (<), sum and prod their operator");
    auto const& t = plan_detail::materialize(x);
    ops_detail::with_least_plan<plans, X>(t.mesh(), t.extents(), [&]<class P>(P) {
      ops_detail::run_steps_into<P, 0>(y, t, w);
      return 0;
    });
  }
}

}  // namespace ashlar
