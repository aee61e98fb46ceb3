// SPDX-License-Identifier: BSL-1.0
// The elements that the functor of a stencil reads, and the results and components that it returns.
#pragma once
#include "ashlar/meta/product.hpp"
#include "ashlar/ops/stencils/stencil_reach.hpp"
#include <type_traits>

namespace ashlar {

/// The results of a functor that gives several: stencil makes one field of each.
/// Example: return several(height, momentum);  // then auto [h, p] = stencil(f, ...)
template <class... T>
struct several : meta_detail::product<T...> {
  ASHLAR_FUNCTION constexpr several(T... x) : meta_detail::product<T...>(x...) {}
};

}  // namespace ashlar

namespace ashlar::ops_detail {

template <class R>
inline constexpr int number_of_results = 0;  // it is no several
template <class... T>
inline constexpr int number_of_results<several<T...>> = static_cast<int>(sizeof...(T));

/// The dimensions in which functor F moves: those of its reach. A tensor's dimensions after them are components.
template <class F, int Rank>
inline constexpr int cell_dimensions = F::reach.rank == 0 || F::reach.rank > Rank ? Rank : F::reach.rank;

/// The offset 0, and component c in row-major order.
template <int Rank, std::size_t Components>
ASHLAR_FUNCTION constexpr cell_index<Rank> offset_of_component(index_t const (&extent)[Components], index_t c) {
  constexpr int components = static_cast<int>(Components);
  cell_index<Rank> at{};
  for (int k = components - 1; k > 0; --k) {
    at.of[Rank - components + k] = c % extent[k];
    c /= extent[k];
  }
  at.of[Rank - components] = c;
  return at;
}
/// The distance from component 0 of a cell to component c.
template <std::size_t Rank, std::size_t Components>
ASHLAR_FUNCTION constexpr index_t component_offset(index_t c, index_t const (&extent)[Components],
                                                   index_t const (&stride)[Rank]) {
  constexpr int rank = static_cast<int>(Rank);
  cell_index<rank> const at = offset_of_component<rank>(extent, c);
  index_t to = 0;
  for (int d = rank - static_cast<int>(Components); d < rank; ++d) to += at[d] * stride[d];
  return to;
}

/// A cell and its neighbours: u(i, j) is the element at this offset from the cell. A tensor of more than `Cells`
/// dimensions has components: u(i, j) is of the same component, and u(i, j, c) component c.
template <class T, int Rank, int Cells = Rank>
struct neighbours;
template <class T, int Rank>
struct neighbours<T, Rank, Rank> {
  T const* cell;
  index_t stride[array_bound(Rank)];
  template <class... I>
  ASHLAR_FUNCTION constexpr T operator()(I... offset) const {
    return beside(cell, offset...);
  }
  /// The element at an offset from `from`.
  template <class... I>
  ASHLAR_FUNCTION constexpr T beside(T const* from, I... offset) const {
    static_assert(sizeof...(I) <= Rank, "ashlar::stencil: an offset has one number per dimension");
    index_t const at[]{static_cast<index_t>(offset)..., 0};
    constexpr int last = Rank - 1;
    // First the row, then the cell in it: compilers keep a pointer per row, and not one per cell.
    for (int d = 0; d < last && d < static_cast<int>(sizeof...(I)); ++d) from += at[d] * stride[d];
    if constexpr (sizeof...(I) == Rank)
      return from[at[last] * stride[last]];
    else
      return *from;
  }
};
template <class T, int Rank, int Cells>
struct neighbours : neighbours<T, Rank, Rank> {
  T const* first;  // component 0 of the cell
  index_t components[array_bound(Rank - Cells)];
  template <class... I>
  ASHLAR_FUNCTION constexpr T operator()(I... offset) const {
    constexpr bool of_component = sizeof...(I) > Cells;
    return this->beside(of_component ? first : this->cell, offset...);
  }
  /// Component c of the cell itself.
  ASHLAR_FUNCTION constexpr T component(index_t c) const {
    return first[component_offset(c, components, this->stride)];
  }
};

/// What a functor may read of a tensor's components.
template <int Rank, int Cells, bool Sharded, bool All, bool OwnAlone>
struct component_rules {
  static constexpr int rank = Rank, cells = Cells;
  static constexpr bool sharded = Sharded;     // an axis shards a dimension of components
  static constexpr bool all = All;             // the functor returns an array of all components
  static constexpr bool own_alone = OwnAlone;  // the cell's own component alone may be read
};

/// The same for a trial by the compiler: all elements are 1. It notes reads outside the declared reach, which has
/// `Dimensions`.
template <class T, int Dimensions, class Rules>
struct recorded_neighbours {
  stencil_reach reach;
  bool* within;
  template <class... I>
  ASHLAR_FUNCTION constexpr T operator()(I... offset) const {
    constexpr int numbers = static_cast<int>(sizeof...(I));
    constexpr bool of_component = numbers > Rules::cells;
    static_assert(
        numbers >= Dimensions,
        "ashlar::stencil: an offset has a number for each dimension of the functor's reach; write 0 where the cell is not moved, as u(-1, 0)");
    static_assert(
        !of_component || numbers >= Rules::rank,  // neighbours refuse more
        "ashlar::stencil: a component is read by an offset and one number for each dimension of components; write u(-1, 0, c) for a tensor of 3 dimensions");
    static_assert(
        !(of_component && Rules::sharded),
        "ashlar::stencil: the functor reads another component, but an axis shards the components; leave their dimension whole, by none");
    static_assert(
        !(of_component && Rules::own_alone),
        "ashlar::stencil: the functor reads any component and returns its own; for a derivative or an update, return an array of all components");
    static_assert(
        of_component || !Rules::all,
        "ashlar::stencil: a functor that returns all components has none of its own; name the component that it reads, as u(-1, 0, c)");
    int const at[]{static_cast<int>(offset)...};
    int outside = 0;
    for (int d = 0; d < numbers && d < Rules::cells; ++d) {
      *within = *within && -at[d] <= reach.lower[d] && at[d] <= reach.upper[d];
      outside += at[d] != 0;
    }
    *within = *within && (outside < 2 || reach.corners);
    return T(1);
  }
};

/// A result that is an array of all components of a cell, such as Kokkos::Array and std::array.
template <class R>
concept component_array = requires(R const& r) {
  typename R::value_type;
  typename std::integral_constant<std::size_t, R{}.size()>;
  r[0];
};
/// The element type of a functor's result, and how many components it has: 0 if it is no array.
template <class R>
struct components_of {
  using element = R;
  static constexpr int count = 0;
};
template <component_array R>
struct components_of<R> {
  using element = std::remove_cv_t<typename R::value_type>;
  static constexpr int count = static_cast<int>(R{}.size());
};
template <class First, class... R>
struct components_of<several<First, R...>> {
  using element = several<typename components_of<First>::element, typename components_of<R>::element...>;
  static constexpr int count = components_of<First>::count;
};
// False if of several results some are arrays of components and some are not, or if the arrays differ in size.
template <class R>
inline constexpr bool have_components_alike = true;
template <class First, class... R>
inline constexpr bool have_components_alike<several<First, R...>> =
    ((components_of<R>::count == components_of<First>::count) && ...);

/// Component c of an array, or the number itself.
template <class R>
ASHLAR_FUNCTION constexpr auto result_component(R const& result, int c) {
  if constexpr (component_array<R>)
    return result[static_cast<std::size_t>(c)];
  else
    return result;
}
template <class... R, int... I>
ASHLAR_FUNCTION constexpr auto result_component(several<R...> const& result, int c, std::integer_sequence<int, I...>) {
  return several<typename components_of<R>::element...>(result_component(get<I>(result), c)...);
}
template <class... R>
ASHLAR_FUNCTION constexpr auto result_component(several<R...> const& result, int c) {
  return result_component(result, c, std::make_integer_sequence<int, static_cast<int>(sizeof...(R))>{});
}

/// Components that ashlar's functors return.
template <class T, int N>
struct component_values {
  using value_type = T;
  T of[array_bound(N)];
  ASHLAR_FUNCTION static constexpr std::size_t size() { return N; }
  ASHLAR_FUNCTION constexpr T const& operator[](std::size_t c) const { return of[c]; }
};

}  // namespace ashlar::ops_detail
