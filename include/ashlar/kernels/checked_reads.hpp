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

/// Operand I of functor F at a cell. For offsets that the compiler knows, nothing is left of the check.
template <class F, int I, class T, int Rank>
struct checked_neighbours {
  ops_detail::neighbours<T, Rank> const& around;

  template <class... Offset>
  KOKKOS_FUNCTION constexpr T operator()(Offset... offset) const {
    if (!within_reach(std::make_integer_sequence<int, sizeof...(Offset)>{}, offset...))
      Kokkos::abort(
          "ashlar::stencil: the functor reads cells outside its reach; declare the reach that it reads, such as box(1, 1)");
    return around(offset...);
  }

 private:
  template <int... D, class... Offset>
  KOKKOS_FUNCTION static constexpr bool within_reach(std::integer_sequence<int, D...>, Offset... offset) {
    constexpr stencil_reach reach = ops_detail::reach_of_operand<F, I>::reach;
    int const outside = (static_cast<int>(offset != 0) + ... + 0);
    return ((static_cast<index_t>(offset) >= -reach.lower[D] && static_cast<index_t>(offset) <= reach.upper[D]) &&
            ...) &&
           (reach.corners || outside < 2);
  }
};

/// The functor at a cell, with its operands there.
template <int Rank, class F, int... I, class... T>
ASHLAR_FUNCTION constexpr auto call_checked(F const& f, cell_index<Rank> const& at, std::integer_sequence<int, I...>,
                                            ops_detail::neighbours<T, Rank> const&... u) {
  if constexpr (reads_are_checked && !ops_detail::is_part_of_a_derivative<F>)
    return ops_detail::call_stencil<Rank>(f, at, checked_neighbours<F, I, T, Rank>{u}...);
  else
    return ops_detail::call_stencil<Rank>(f, at, u...);
}
template <int Rank, class F, class... T>
ASHLAR_FUNCTION constexpr auto call_checked(F const& f, cell_index<Rank> const& at,
                                            ops_detail::neighbours<T, Rank> const&... u) {
  return call_checked<Rank>(f, at, std::make_integer_sequence<int, sizeof...(T)>{}, u...);
}

}  // namespace ashlar::kernels_detail
