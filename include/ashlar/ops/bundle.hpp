// SPDX-License-Identifier: BSL-1.0
// Bundles: several tensors in one collective.
#pragma once
#include "ashlar/meta/tree.hpp"
#include "ashlar/ops/collectives.hpp"

namespace ashlar {

namespace ops_detail {
/// Tensors, or trees of tensors, for one collective. All have the same element type, and all are partial over the
/// collective's axes by the same reduction.
template <class... X>
struct bundled {
  std::tuple<X...> members;
};

}  // namespace ops_detail

/// Bundles tensors, or trees of tensors, for one collective.
/// Cost: none; the collective that takes it communicates.
/// Error: none here. all_reduce refuses members of different element types or reductions.
/// Example: auto [loss, hits, gradients] = all_reduce<"data">(bundle(loss, hits, gradients));
template <class... X>
constexpr ops_detail::bundled<X...> bundle(X const&... x) {
  return {std::tuple<X...>(plan_detail::handle_on(x)...)};
}

namespace ops_detail {

// The reductions of all leaves.
template <class X>
struct ops_of_leaves : ops_of<layout_t<X>> {};
template <template <class...> class S, class... M>
  requires tree<S<M...>>
struct ops_of_leaves<S<M...>> {
  using type = boost::mp11::mp_set_union<builtin_ops, typename ops_of_leaves<M>::type...>;
};

// The innermost reduction of a leaf, among Ops.
template <class X, class Ops>
inline constexpr int innermost_op = value_v<context<typename mesh_t<X>::names, Ops>, layout_t<X>>.reductions[0].op;

template <class X, class Ops>
inline constexpr bool leaf_lacks_its_reduction = []<class... Op>(op_list<Op...>*) {
  constexpr bool has[]{reduces_elements<Op, element_t<X>>::value...};
  return !has[innermost_op<X, Ops>];
}(static_cast<Ops*>(nullptr));

template <class A, class B, class Ops = typename mesh_context<mesh_t<A>, layout_t<A>, layout_t<B>>::ops>
inline constexpr bool bundle_mixes_reductions = innermost_op<A, Ops> != innermost_op<B, Ops>;

// The collectives of a bundle, in the order in which its leaves need them: their axes and their reductions.
struct bundle_collectives {
  axis_mask axes[64]{};
  int op[64]{};
  int size = 0;
  constexpr void add(axis_mask m, int reduction) {
    if (m == 0 || index_of(m, reduction) < size) return;
    if (size == 64)
      throw "ashlar::bundle: it takes more than 64 messages, one for each set of axes; bundle fewer members";
    axes[size] = m;
    op[size++] = reduction;
  }
  constexpr int index_of(axis_mask m, int reduction) const {
    int i = 0;
    while (i < size && (axes[i] != m || op[i] != reduction)) ++i;
    return i;
  }
};

// The choices of the axes over which a collective reduces a leaf of a bundle. named_axes: the axes that it names.
// partial_axes: all axes over which the leaf is partial.
template <axis_mask Axes>
struct named_axes {
  template <class Leaf>
  static constexpr axis_mask of = Axes;
};
struct partial_axes {
  template <class Leaf>
  static constexpr axis_mask of = value_v<mesh_context<mesh_t<Leaf>, layout_t<Leaf>>, layout_t<Leaf>>.partial();
};

// True if a leaf takes part in a message: it is reduced over axes that are not all of static size 1.
template <class Choice, class Leaf>
inline constexpr bool in_a_message = (Choice::template of<Leaf> & axes_with_ranks<mesh_t<Leaf>>) != 0;

template <class Choice, class Ops, class X>
struct collectives_of {
  static constexpr void add_to(bundle_collectives& m) {
    if (in_a_message<Choice, X>) m.add(Choice::template of<X>, innermost_op<X, Ops>);
  }
};
template <class Choice, class Ops, template <class...> class S, class... M>
  requires tree<S<M...>>
struct collectives_of<Choice, Ops, S<M...>> {
  static constexpr void add_to(bundle_collectives& m) { (collectives_of<Choice, Ops, M>::add_to(m), ...); }
};

template <class X, axis_mask Axes>
struct reduced_over {
  using c = mesh_context<mesh_t<X>, layout_t<X>>;
  static constexpr layout_value value = [] {
    layout_value v = value_v<c, layout_t<X>>;
    v.drop_partial(Axes);
    return v;
  }();
  using type = layout_from_t<c, encode(value), encode_blocks(value), value.rank>;
};

// The result for a leaf that is in no message: without axes to reduce, or with axes of static size 1.
template <class Choice, class Leaf>
constexpr auto reduced_alone(Leaf const& x, call_site const& w) {
  if constexpr (Choice::template of<Leaf> == 0)
    return evaluated(x);
  else
    return relayout(destination<typename reduced_over<Leaf, Choice::template of<Leaf>>::type, 0u>{}, x, w);
}

template <class Choice, class Members>
constexpr auto reduce_bundle(Members const& members, call_site const& w) {
  auto const& first = first_leaf(members);
  using T = element_t<decltype(first)>;
  using Ops = typename ops_of_leaves<Members>::type;
  auto const& mesh = first.mesh();
  constexpr bundle_collectives plan = [] {
    bundle_collectives m;
    collectives_of<Choice, Ops, Members>::add_to(m);
    return m;
  }();
  if constexpr (plan.size == 0) {
    return map([&](auto const& x) { return reduced_alone<Choice>(x, w); }, members);
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      constexpr backend_of<decltype(first)> runs{};
      decltype(open_bundle<T>(runs, mesh, 0u, w)) message[]{open_bundle<T>(runs, mesh, plan.axes[I], w)...};
      index_t elements[array_bound(plan.size)]{};
      auto const* const log = ledger_of(first);
      int const before = log ? log->times_counted() : 1;
      for_each_leaf(
          [&](auto const& x) {
            using Leaf = std::remove_cvref_t<decltype(x)>;
            constexpr axis_mask axes = Choice::template of<Leaf>;
            require_meshes_of_one_size(first, x);
            if constexpr (in_a_message<Choice, Leaf>) {
              using Reduced = reduced_over<Leaf, axes>;
              static_assert(
                  !leaf_lacks_its_reduction<Leaf, Ops>,
                  "ashlar::bundle: elements of this type cannot be combined by the layout's reduction; max and min need an order (<), sum and prod their operator, a reduction of your own a combine that takes them");
              constexpr int number = plan.index_of(axes, innermost_op<Leaf, Ops>);
              int const layers = log ? log->times_counted() / before : 1;
              elements[number] += layers * largest_shard(x.extents(), Reduced::value, mesh.sizes());
              message[number].template reserve<typename Reduced::type>(x.extents());
            }
          },
          members);
      layout_value vector;  // all elements of one collective, as one tensor
      vector.rank = 1;
      for (int i = 0; i < plan.size; ++i) {
        plan_step const s{step_kind::all_reduce, plan.axes[i], plan.op[i], vector, vector};
        note(mesh, s, step_bytes(s, shape::of(elements[i]), mesh.sizes(), sizeof(T)), w);
      }
      auto reduced = map(
          [&](auto const& x) {
            using Leaf = std::remove_cvref_t<decltype(x)>;
            constexpr axis_mask axes = Choice::template of<Leaf>;
            if constexpr (!in_a_message<Choice, Leaf>)
              return reduced_alone<Choice>(x, w);
            else
              return message[plan.index_of(axes, innermost_op<Leaf, Ops>)]
                  .template take<typename reduced_over<Leaf, axes>::type>(materialize(x));
          },
          members);
      (message[I].template all_reduce<Ops, plan.op[I]>(), ...);
      return reduced;
    }(std::make_index_sequence<static_cast<std::size_t>(plan.size)>{});
  }
}

}  // namespace ops_detail

/// One all_reduce of all tensors in the bundle.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: as the all_reduce of one tensor with all elements. Over MPI the operands are first copied into one
/// buffer, unless they are contiguous in that order already. (The results of an earlier all_reduce of the same bundle
/// are.) The results stay in the buffer, contiguous, without a copy. Ranks of a node reduce without such a copy.
/// Error: members of different element types, or without a common reduction over the axes, do not compile.
/// Example: auto [l, g] = all_reduce<"data">(bundle(loss, gradients)); the types are those of all_reduce on each leaf
template <dimension Axes, class... X>
[[nodiscard]] constexpr auto all_reduce(ops_detail::bundled<X...> const& b, call_site w = call_site::current()) {
  using namespace ops_detail;
  using First = std::remove_cvref_t<decltype(first_leaf(b.members))>;
  using Names = meta_detail::names_in_t<Axes>;
  static_assert(!collective_axis_missing_from_mesh<mesh_t<First>, Names>,
                "ashlar::all_reduce: the mesh has no axis of this name; name one of its axes");
  for_each_leaf(
      [](auto const& x) {
        using Leaf = std::remove_cvref_t<decltype(x)>;
        static_assert(std::is_same_v<element_t<First>, element_t<Leaf>>,
                      "ashlar::bundle: the members have different element types; bundle those of one type, or cast");
        static_assert(
            !not_partial_over<layout_t<Leaf>, Names>,
            "ashlar::all_reduce: one member of the bundle is not partial over the axis; leave that member out, or name no axis, as in all_reduce(bundle(x, y)), which completes all that is partial");
        static_assert(
            !bundle_mixes_reductions<First, Leaf>,
            "ashlar::bundle: the members are partial by different reductions; bundle members of one reduction");
      },
      b.members);
  return reduce_bundle<named_axes<collective_axes<mesh_t<First>, Names>>>(b.members, w);
}

/// Reduces each member over all axes over which it is partial, possibly none. There is one all_reduce per set of such
/// axes and per reduction.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: for each all_reduce, as the all_reduce of one tensor of all its members' elements together.
/// Error: members of different element types, or a member with nested reductions, do not compile.
/// Example: gradients of kernels, partial over "data", and of a bias, partial over "data" and "model": two all_reduces
template <class... X>
[[nodiscard]] constexpr auto all_reduce(ops_detail::bundled<X...> const& b, call_site w = call_site::current()) {
  using namespace ops_detail;
  using First = std::remove_cvref_t<decltype(first_leaf(b.members))>;
  for_each_leaf(
      [](auto const& x) {
        using Leaf = std::remove_cvref_t<decltype(x)>;
        static_assert(std::is_same_v<element_t<First>, element_t<Leaf>>,
                      "ashlar::bundle: the members have different element types; bundle those of one type, or cast");
        static_assert(plan_detail::value_on<mesh_t<Leaf>, layout_t<Leaf>>.levels <= 1,
                      "ashlar::bundle: a member is partial by reductions of several kinds; all_reduce it apart");
      },
      b.members);
  return reduce_bundle<partial_axes>(b.members, w);
}

}  // namespace ashlar
