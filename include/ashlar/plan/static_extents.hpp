// SPDX-License-Identifier: BSL-1.0
// Tensors whose global extents are part of the type.
#pragma once
#include "ashlar/plan/tensor.hpp"
#include <utility>

namespace ashlar {

/// Global extents that the compiler knows, one per dimension.
/// Example: make<float, layout<"data", none>>(m, static_extents<128, 784>{})
template <index_t... N>
struct static_extents {
  static_assert(((N >= 0) && ...), "ashlar::static_extents: an extent is 0 or more");
  static constexpr shape value = shape::of(N...);
};

/// A tensor of static extents: `Tensor` with its shape in the type. If all operands of an operation have static
/// extents, so has the result, and operands that do not fit together are a compile-time error. Reductions of bundles,
/// pullbacks and operations that depend on run-time arguments give tensors of run-time extents.
template <class Tensor, class Extents>
class with_extents : public Tensor {
 public:
  using static_extents_type = Extents;
  constexpr explicit with_extents(Tensor x) : Tensor(std::move(x)) {}
};

/// A tensor whose extents are in its type: with_extents, and results of operations on such tensors.
template <class X>
concept static_shape = requires { typename plan_detail::plain_t<X>::static_extents_type; };

/// Global extents of a tensor, known to the compiler.
template <static_shape X>
inline constexpr shape static_extents_v = plan_detail::plain_t<X>::static_extents_type::value;

namespace plan_detail {

// A class, not a function: nvcc 13 writes out a function's decltype where the type is used, and there it has no name
// for a literal.
template <class From, class = std::make_integer_sequence<int, From::value.rank>>
struct extents_from;
template <class From, int... D>
struct extents_from<From, std::integer_sequence<int, D...>> {
  using type = static_extents<From::value[D]...>;
};

/// Gives a tensor the static extents `From::value`.
template <class From, class X>
constexpr auto fix(X x) {
  return with_extents<X, typename extents_from<From>::type>(std::move(x));
}

/// y with the static extents of X, if X has some and y has none.
template <class X, class Y>
constexpr auto with_extents_of(Y y) {
  if constexpr (static_shape<X> && !static_shape<Y>)
    return with_extents<Y, typename X::static_extents_type>(std::move(y));
  else
    return y;
}

// Extents of an operation's result if they follow from the types alone.
template <class Op, class Rule, class... X>
struct static_result {
  static constexpr shape value = Op::extents(Rule::r.out, static_extents_v<X>...);
};
template <class Op, class... X>
concept has_static_result =
    (static_shape<X> && ...) && requires(layout_value const& out) { Op::extents(out, static_extents_v<X>...); };

// The static sizes of a mesh. A size that is given at run time is 0, so a product with it is 0 too.
template <class Mesh>
inline constexpr mesh_shape static_sizes{};
template <class... Axes>
inline constexpr mesh_shape static_sizes<mesh<Axes...>> = {sizeof...(Axes), {Axes::static_size...}};

// True if the compiler knows the extents of a tensor and the sizes of its mesh.
template <class X>
inline constexpr bool sizes_are_static = false;
template <static_shape X>
inline constexpr bool sizes_are_static<X> = [] {
  for (int a = 0; a < static_sizes<mesh_t<X>>.axes; ++a)
    if (static_sizes<mesh_t<X>>.size[a] == 0) return false;
  return true;
}();

/// True if the compiler knows the extent of a dimension and the sizes of its axes, and the split is not even.
template <class Mesh, layout_value const& Layout, int Dim, index_t Extent>
inline constexpr bool static_extent_does_not_divide =
    parts(Layout.dim[Dim], static_sizes<Mesh>) > 1 && !is_even(Extent, Layout.dim[Dim], static_sizes<Mesh>);

/// True if the compiler knows that all shards have the same extents. This needs static extents on axes of static size.
template <class X>
inline constexpr bool is_even_v = false;

template <static_shape X>
inline constexpr bool is_even_v<X> = [] {
  constexpr layout_value v = value_on<mesh_t<X>, layout_t<X>>;
  for (int d = 0; d < v.rank; ++d) {
    index_t const ranks = parts(v.dim[d], static_sizes<mesh_t<X>>);
    if (ranks == 0 || !layout_detail::is_even(static_extents_v<X>[d], v.dim[d], static_sizes<mesh_t<X>>)) return false;
  }
  return true;
}();
}  // namespace plan_detail

/// Puts the extents of a tensor into its type.
/// Error: ashlar::error if the tensor has other extents.
/// Example: auto x = fix_extents<128, 784>(generate<float, layout<"data", none>>(m, {128, 784}, f));
template <index_t... N, plain_tensor X>
constexpr auto fix_extents(X const& x) {
  using E = static_extents<N...>;
  static_assert(sizeof...(N) == rank_v<X>, "ashlar::fix_extents: give one extent for each dimension of the tensor");
  if (!(x.extents() == E::value))
    plan_detail::fail_other_extents("ashlar::fix_extents: the tensor has the extents that its type is to have",
                                    E::value, x.extents());
  return with_extents<X, E>(x);
}

}  // namespace ashlar
