// Several tensors in one message.
#pragma once
#include "ashlar/meta/tree.hpp"
#include "ashlar/plan/verbs.hpp"

namespace ashlar {

/// Tensors, or trees of tensors, that one verb serves with one message. All have one element type and one reduction
/// pending over the verb's axes.
template <class... X>
struct bundled {
  std::tuple<X...> members;
};

/// Example: auto [loss, hits, gradients] = all_reduce<"data">(bundle(loss, hits, gradients));
template <class... X>
constexpr bundled<X...> bundle(X const&... x) {
  return {std::tuple<X...>(x...)};
}

namespace detail {

template <class X>
constexpr auto const& first_leaf(X const& x) {
  if constexpr (tree<X>)
    return first_leaf(member<0>(x));
  else
    return x;
}

template <class A, class B>
struct bundle_mixes_element_types {
  static constexpr bool value = !std::is_same_v<A, B>;
};

// The op that pends innermost in a leaf.
template <class X>
inline constexpr int innermost_op = value_v<mesh_context<mesh_t<X>, layout_t<X>>, layout_t<X>>.pending[0].op;

template <class A, class B>
struct bundle_mixes_reductions {
  static constexpr bool value = innermost_op<A> != innermost_op<B>;
};

/// A message on an abstract mesh: nothing to hold.
template <class T, class M>
struct abstract_bucket {
  abstract_mesh<M> mesh;
  template <class L>
  constexpr void reserve(tensor_type<T, L>, shape const&) {}
  template <class L, class X>
  constexpr auto take(tensor_type<T, L> to, X const& x) {
    return allocate(to, mesh, x.extents());
  }
  constexpr void all_reduce(int) {}
};
template <class T, class M>
constexpr abstract_bucket<T, M> open_bucket(tensor_type<T, void>, abstract_mesh<M> const& m, axis_mask, where const&) {
  return {m};
}

}  // namespace detail

/// One all-reduce of everything in the bundle, in one message.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: as the all_reduce of one tensor of all elements together. A message of MPI takes one copy of each operand, none
/// back: the results lie side by side in it. Ranks of a node reduce the operands where they lie.
/// Error: members of different element types, or over which no reduction of one kind pends, do not compile.
/// Example: auto [l, g] = all_reduce<"data">(bundle(loss, gradients)); the types are those of all_reduce on each leaf
template <dimension Axes, class... X>
[[nodiscard]] constexpr auto all_reduce(bundled<X...> const& b, where w = where::current()) {
  using namespace detail;
  auto const& first = first_leaf(b.members);
  using First = std::remove_cvref_t<decltype(first)>;
  using T = element_t<First>;
  using Names = names_in_t<Axes>;
  constexpr axis_mask axes = verb_axes<mesh_t<First>, Names>;
  static_assert(!verb_axis_missing_from_mesh<mesh_t<First>, Names>::value,
                "ashlar::all_reduce: the mesh has no axis of this name; name one of its axes");
  auto const& mesh = first.mesh();
  index_t elements = 0;
  auto bucket = open_bucket(tensor_type<T, void>{}, mesh, axes, w);
  for_each_leaf(
      [&](auto const& x) {
        using Leaf = std::remove_cvref_t<decltype(x)>;
        static_assert(!bundle_mixes_element_types<T, element_t<Leaf>>::value,
                      "ashlar::bundle: the members have different element types; bundle those of one type, or cast");
        static_assert(!nothing_pends_over<layout_t<Leaf>, Names>::value,
                      "ashlar::all_reduce: no reduction pends over the axis in one member of the bundle; leave that member out");
        static_assert(!bundle_mixes_reductions<First, Leaf>::value,
                      "ashlar::bundle: different reductions pend in the members; bundle those of one reduction");
        using Reduced = after<Leaf, Names>;
        elements += largest_shard(x.extents(), Reduced::value, mesh.sizes());
        bucket.reserve(tensor_type<T, typename Reduced::type>{}, x.extents());
      },
      b.members);
  layout_value vector;  // the message, as one tensor
  vector.rank = 1;
  plan_step const s{verb::all_reduce, axes, innermost_op<First>, vector, vector};
  note(mesh, s, step_bytes(s, shape::of(elements), mesh.sizes(), sizeof(T)), w);
  auto reduced = map(
      [&](auto const& x) {
        using Leaf = std::remove_cvref_t<decltype(x)>;
        return bucket.take(tensor_type<T, typename after<Leaf, Names>::type>{}, materialize(x));
      },
      b.members);
  bucket.all_reduce(innermost_op<First>);
  return reduced;
}

}  // namespace ashlar
