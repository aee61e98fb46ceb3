// Calls of stencil functors whose reads are checked, in builds with assertions.
#pragma once
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/ops/stencil_slope.hpp"

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
    constexpr stencil_reach reach = ops_detail::reach_of_operand<F, I>::reach;
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

}  // namespace ashlar::kernels_detail
