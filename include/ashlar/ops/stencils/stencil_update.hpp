// SPDX-License-Identifier: BSL-1.0
// Stencils that update the cells of one colour in place: red-black smoothers.
#pragma once
#include "ashlar/ops/assign.hpp"
#include "ashlar/ops/stencils/stencil_slope.hpp"

namespace ashlar {

namespace ops_detail {
/// The cells whose indices have a sum of `which` modulo `of`. The indices of components do not count.
struct stencil_colour {
  int which = 0, of = 2;
  call_site where{};
};
}  // namespace ops_detail
/// The cells whose sum of indices is `which` modulo `of`, for update.
/// Cost: no communication.
/// Error: ashlar::error unless 0 <= which < of.
/// Example: colour(0, 2) are the red cells of a chess board, and colour(1, 2) the black ones
constexpr ops_detail::stencil_colour colour(int which, int of, call_site w = call_site::current()) {
  if (of < 1 || which < 0 || which >= of)
    meta_detail::fail("ashlar::colour: colours count from 0; write colour(0, 2) or colour(1, 2)");
  return {which, of, w};
}

namespace ops_detail {

// True if a cell's update reads another cell of its colour, which may have been updated.
template <class F, int Rank>
constexpr bool reads_its_colour(int of) {
  constexpr reach_offsets<F, Rank> reach{};
  for (cell_index<Rank> const& o : reach.offset) {
    index_t sum = 0;
    bool moves = false;
    for (int d = 0; d < Rank; ++d) {
      sum += o[d];
      moves = moves || o[d] != 0;
    }
    if (moves && sum % of == 0) return true;
  }
  return false;
}
template <class R, class X>
struct update_type {
  static constexpr bool ok = std::is_same_v<R, X>;
  static constexpr void say() {
    static_assert(ok, "ashlar::update: the functor returns another type than the elements; return this type");
  }
};

/// f at the cells of a colour of y. x is y with its halo filled.
template <class F, class Y, class X, class... V>
constexpr void update_cells(no_ranks, F const&, stencil_colour const&, Y&, X const&, V const&...) {}

}  // namespace ops_detail

/// Replaces the cells of one colour by f, in place. It exchanges the halo of u, with corners if f reads these, and writes
/// f's values to u's memory. f reads u at its reach, and v at offset 0, as in stencil. Memory that another tensor or an
/// expression shares is copied first.
/// Shape: u has the layout H, and f returns its element type.
/// Collective: as exchange_halo. Cost: as exchange_halo, and one pass over the cells.
/// Error: does not compile where stencil does not. ashlar::error if f reads other cells of the colour that it writes.
/// Example: update(gauss_seidel{}, colour(0, 2), u, b); update(gauss_seidel{}, colour(1, 2), u, b);
template <class F, plain_tensor X, plain_tensor... V>
constexpr void update(F const& f, ops_detail::stencil_colour const& c, X& u, V const&... v) {
  if constexpr (meta_detail::hold<ops_detail::assign_target<X>>()) {
    if constexpr (ops_detail::halo_is_missing<layout_t<X>>) {
      (void)exchange_halo(u, c.where);  // for its sentence
    } else if constexpr (meta_detail::hold<ops_detail::stencil_reach_is_given<F>>()) {
      constexpr corners which = F::reach.corners ? corners::filled : corners::skipped;
      if (ops_detail::reads_its_colour<F, rank_v<X>>(c.of))
        meta_detail::fail(
            "ashlar::update: the functor reads other cells of the colour that it writes; use more colours, or stencil");
      own_memory(plan_detail::backend_of<X>{}, u);
      auto const filled = exchange_halo<which>(u, c.where);
      using Filled = std::remove_cvref_t<decltype(filled)>;
      if constexpr (ops_detail::check_results<F, Filled, V...>()) {
        ops_detail::require_own_components<F, Filled, V...>();  // others may have been updated
        using result = ops_detail::stencil_result<F, Filled, V...>;
        ops_detail::require_components<F, ops_detail::stencil_value<F, Filled, V...>>(u);
        for (shape const& other : {u.extents(), ops_detail::extents_with_components(u, v)...})
          if (!(other == u.extents()))
            plan_detail::fail_extents(
                "ashlar::update: the operands have the same extents; make all fields of a staggered grid with the larger ones",
                u.extents(), other);
        if constexpr (meta_detail::hold<ops_detail::update_type<result, X>>())
          update_cells(plan_detail::backend_of<X>{}, f, c, u, filled,
                       ops_detail::with_components<F>(u, plan_detail::materialize(v))...);
      }
    }
  }
}

}  // namespace ashlar
