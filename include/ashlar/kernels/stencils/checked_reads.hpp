// SPDX-License-Identifier: BSL-1.0
// Calls of stencil functors whose reads are checked, in builds with assertions.
#pragma once
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/meta/error.hpp"
#include "ashlar/ops/stencils/stencil_slope.hpp"

namespace ashlar::kernels_detail {

/// True in builds with assertions: a read outside the declared reach ends the program.
#ifdef NDEBUG
inline constexpr bool reads_are_checked = false;
#else
inline constexpr bool reads_are_checked = true;
#endif

// Offset: that of an element, the last numbers of which are a component.
template <class T, int Rank, int Cells>
KOKKOS_FUNCTION constexpr bool has_component(ops_detail::neighbours<T, Rank, Cells> const& u, index_t const* offset) {
  for (int d = Cells; d < Rank; ++d)
    if (offset[d] < 0 || offset[d] >= u.components[d - Cells]) return false;
  return true;
}

/// Operand I of functor F at a cell. For offsets that the compiler knows, nothing is left of the check of its reach.
template <class F, int I, class T, int Rank, int Cells>
struct checked_neighbours {
  ops_detail::neighbours<T, Rank, Cells> const& around;

  template <class... Offset>
  KOKKOS_FUNCTION constexpr T operator()(Offset... offset) const {
    constexpr int numbers = sizeof...(Offset);
    index_t const at[]{static_cast<index_t>(offset)..., 0};
    if (!within_reach(std::make_integer_sequence<int, (numbers < Cells ? numbers : Cells)>{}, at))
      Kokkos::abort(
          "ashlar::stencil: the functor reads cells outside its reach; declare the reach that it reads, such as box(1, 1)");
    if constexpr (Cells < numbers && Cells < Rank)
      if (!has_component(around, at))
        Kokkos::abort(
            "ashlar::stencil: the functor reads a component that the tensor does not have; components count from 0");
    return around(offset...);
  }

 private:
  template <int... D>
  KOKKOS_FUNCTION static constexpr bool within_reach(std::integer_sequence<int, D...>, index_t const* offset) {
    constexpr auto reach = ops_detail::reach_of_operand<F, I>::reach;
    int const outside = (static_cast<int>(offset[D] != 0) + ... + 0);
    return ((offset[D] >= -reach.lower[D] && offset[D] <= reach.upper[D]) && ...) && (reach.corners || outside < 2);
  }
};

/// The functor at a cell, with its operands there.
template <int Rank, class F, int... I, class... T, int Cells>
ASHLAR_FUNCTION constexpr auto call_checked(F const& f, cell_index<Rank> const& at, std::integer_sequence<int, I...>,
                                            ops_detail::neighbours<T, Rank, Cells> const&... u) {
  if constexpr (reads_are_checked && !ops_detail::is_part_of_a_derivative<F>)
    return ops_detail::call_stencil<Rank>(f, at, checked_neighbours<F, I, T, Rank, Cells>{u}...);
  else
    return ops_detail::call_stencil<Rank>(f, at, u...);
}
template <int Rank, class F, class... T, int Cells>
ASHLAR_FUNCTION constexpr auto call_checked(F const& f, cell_index<Rank> const& at,
                                            ops_detail::neighbours<T, Rank, Cells> const&... u) {
  return call_checked<Rank>(f, at, std::make_integer_sequence<int, sizeof...(T)>{}, u...);
}

template <class R>
constexpr bool is_zero_result(R const& value) {
  if constexpr (ops_detail::number_of_results<R> > 0) {
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return (is_zero_result(get<I>(value)) && ...);
    }(std::make_integer_sequence<int, ops_detail::number_of_results<R>>{});
  } else {
    bool zero = true;
    for (int c = 0; c < (std::max)(ops_detail::components_of<R>::count, 1); ++c) {
      auto const one = ops_detail::result_component(value, c);
      zero = zero && one == decltype(one){};
    }
    return zero;
  }
}

/// Checks a functor of elements T that is declared linear, or linear in each operand, in programs whose kernels run here. A
/// functor that takes the index of its cell is checked at each cell of the box.
/// Error: ashlar::error if it does not give 0 for elements that are 0.
template <int Rank, class... T, class F>
void require_zero_of_zeros(F const& f, region const& own, kernels::box const& cells) {
  using namespace ops_detail;
  if constexpr (!runs_in_caller<Kokkos::DefaultExecutionSpace>) return;
  constexpr bool by_cell = takes_index<F, Rank, unit_neighbours<std::remove_const_t<T>, Rank>...>;
  using value = std::remove_cvref_t<decltype(call_stencil<Rank>(f, cell_index<Rank>{},
                                                                unit_neighbours<std::remove_const_t<T>, Rank>{}...))>;
  shape extents = cells.shape(Rank);
  if constexpr (components_of<value>::count > 0)  // all components at once
    for (int d = cell_dimensions<F, Rank>; d < Rank; ++d) extents[d] = std::min<index_t>(extents[d], 1);
  index_t const calls = by_cell ? extents.size() : 1;
  for (index_t i = 0; i < calls; ++i) {
    cell_index<Rank> at{};
    index_t rest = i;
    for (int d = Rank - 1; by_cell && d >= 0; --d) {
      at.of[d] = own.dim[d].begin + cells.lower[d] + rest % extents[d];
      rest /= extents[d];
    }
    if (!is_zero_result(call_stencil<Rank>(f, at, unit_neighbours<std::remove_const_t<T>, Rank>{}...)))
      throw error(
          "ashlar::stencil: the functor's kind is linear, but it does not give 0 for elements that are 0; add constants outside the functor, or leave its kind out and give it a member slope<I>(offset, u...)");
  }
}

}  // namespace ashlar::kernels_detail
