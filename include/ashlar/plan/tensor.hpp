// SPDX-License-Identifier: BSL-1.0
// The interface of tensors, abstract or real, for generic code.
#pragma once
#include "ashlar/layout/split.hpp"
#include "ashlar/plan/extent_errors.hpp"
#include <tuple>

namespace ashlar {

namespace plan_detail {
template <class X>
using plain_t = std::remove_cvref_t<X>;
}

/// A tensor that is not under differentiation: abstract_tensor, sharded_tensor or an elementwise expression of these.
template <class X>
concept plain_tensor = requires(plan_detail::plain_t<X> const& x) {
  typename plan_detail::plain_t<X>::element_type;
  typename plan_detail::plain_t<X>::layout_type;
  typename plan_detail::plain_t<X>::mesh_type;
  x.mesh();
  x.extents();
} && !requires { typename plan_detail::plain_t<X>::cotangent_type; };

/// The type of a tensor's elements.
template <class X>
using element_t = typename plan_detail::plain_t<X>::element_type;
/// The layout of a tensor, as a type.
template <class X>
using layout_t = typename plan_detail::plain_t<X>::layout_type;
/// The mesh of a tensor, as a type.
template <class X>
using mesh_t = typename plan_detail::plain_t<X>::mesh_type;
/// The number of dimensions of a tensor.
template <class X>
inline constexpr int rank_v = layout_t<X>::rank;

namespace plan_detail {

/// A dimension of X by its number. Negative numbers count from the end.
template <class X, int Dim>
inline constexpr int dimension_of = Dim < 0 ? Dim + rank_v<X> : Dim;

/// True if T is neither an element type of the library nor a class of the program.
template <class T>
struct element_is_not_supported {
  template <class... U>
  static constexpr bool is_one_of = (std::is_same_v<T, U> || ...);
  static constexpr bool value = [] {
    if constexpr (std::is_class_v<T>) {
      if constexpr (requires { typename T::value_type; })
        return std::is_same_v<typename T::value_type, long double>;  // a complex number
      else
        return requires {
          typename T::bit_comparison_type;
        };  // half_t and bhalf_t of Kokkos on devices; on hosts they are float
    } else {
      return !is_one_of<bool, float, double, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                        unsigned long, long long, unsigned long long>;
    }
  }();
};
template <class T>
constexpr bool require_supported_element() {
  static_assert(
      !element_is_not_supported<T>::value,
      "ashlar::make: elements of this type are not supported; write float or double, std::int8_t to std::uint64_t, bool, or Kokkos::complex of float or double");
  return !element_is_not_supported<T>::value;
}
/// The element type of a tensor that a program asks for. After the sentence it is another one, so that no error follows.
template <class T, bool = require_supported_element<T>()>
struct checked_element {
  using type = T;
};
template <class T>
struct checked_element<T, false> {
  using type = float;
};
template <template <class> class Complex>
struct checked_element<Complex<long double>, false> {
  using type = Complex<double>;
};
template <class T>
using checked_element_t = typename checked_element<T>::type;

/// The context of layouts on a mesh: the names of the mesh and the reductions of the layouts.
template <class Mesh, class... L>
using mesh_context = context<typename Mesh::names, typename context_of<L...>::ops>;

template <class Mesh, class L>
struct axes_missing_from_mesh;
template <class Mesh, class Names>
inline constexpr bool any_missing = false;
template <class Mesh, class... N>
inline constexpr bool any_missing<Mesh, name_list<N...>> = ((name_index_v<typename Mesh::names, N> < 0) || ...);
template <class Mesh, class L>
struct axes_missing_from_mesh {
  static constexpr bool value = any_missing<Mesh, typename names_of<L>::type>;
};

template <class L>
struct layout_is_partial {
  static constexpr bool value = value_v<context_of<L>, L>.levels != 0;
};

/// A tensor Y, or a tuple of tensors, with the mesh and the extents of x.
template <class Y, class X>
constexpr Y fields_like(X const& x) {
  if constexpr (plain_tensor<Y>)
    return Y(x.mesh(), x.extents());
  else
    return [&]<class... Field>(std::tuple<Field...>*) {
      return Y{Field(x.mesh(), x.extents())...};
    }(static_cast<Y*>(nullptr));
}

/// Throws if the elements of a tensor cannot be counted, or their bytes not be addressed. Extents are the same on all
/// ranks, so all ranks throw.
template <class T>
constexpr void check_size(shape const& extents) {
  constexpr std::uint64_t most = ~std::uint64_t{0} / 2;
  std::uint64_t bytes = sizeof(T);
  for (int d = 0; d < extents.rank; ++d) {
    auto const n = static_cast<std::uint64_t>(extents[d]);
    if (n != 0 && bytes > most / n) fail_size(extents, sizeof(T));
    if (n != 0) bytes *= n;
  }
}

/// The value of a layout on a mesh, for layouts of tensors: they name axes of the mesh alone.
template <class Mesh, class L>
inline constexpr layout_value value_on = layout_detail::value_v<mesh_context<Mesh, L>, L>;

template <class Mesh, class L>
constexpr layout_value checked_value_on() {
  static_assert(
      !axes_missing_from_mesh<Mesh, L>::value,
      "ashlar::layout_value_v: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh");
  return value_on<Mesh, L>;
}

/// The tensor itself. A lazy elementwise expression is evaluated first.
template <class X>
  requires(!requires(X const& x) { x.evaluate(); })
constexpr X const& materialize(X const& x) {
  return x;
}

template <class X>
  requires requires(X const& x) { x.evaluate(); }
constexpr decltype(auto) materialize(X const& x) {
  return x.evaluate();
}

// The materialized tensor as a value of its own.
template <class X>
constexpr auto evaluated(X const& x) {
  return std::remove_cvref_t<decltype(materialize(x))>(materialize(x));
}

}  // namespace plan_detail

/// The value of a layout on a mesh: its axes are positions in the mesh.
/// Error: an axis that the mesh lacks does not compile.
/// Example: layout_value_v<mesh<axis<"data">, axis<"model">>, layout<none, "model">>.dim[1].mask() == 0b10
template <class Mesh, class L>
inline constexpr layout_value layout_value_v = plan_detail::checked_value_on<Mesh, L>();

/// The plain tensor of an active tensor, without derivative. Any other value is returned itself.
/// Example: nn::accuracy_count(stop_gradient(logits), labels)
template <class X>
constexpr auto const& stop_gradient(X const& x) {
  if constexpr (requires { typename plan_detail::plain_t<X>::cotangent_type; })
    return x.value();
  else
    return x;
}

}  // namespace ashlar
