// SPDX-License-Identifier: BSL-1.0
// The collectives on one mesh.
#pragma once
#include "ashlar/ops/functions.hpp"
#include "ashlar/ops/relayout_plan.hpp"

namespace ashlar {

/// The state of a gathered active tensor: replicated (each rank's cotangent is one term of a sum) or invariant (each
/// rank has the whole cotangent). For plain tensors there is no difference.
enum class gathered { replicated, invariant };
/// The argument of all_gather for a result that is invariant.
/// Example: all_gather<"data", invariant>(x)
inline constexpr gathered invariant = gathered::invariant;

namespace ops_detail {

// The axes that a collective names, on a mesh; an empty mask if the mesh lacks one.
template <class Mesh, class Names>
inline constexpr axis_mask collective_axes = 0;
template <class Mesh, class... N>
inline constexpr axis_mask collective_axes<Mesh, name_list<N...>> =
    any_missing<Mesh, name_list<N...>>
        ? 0u
        : (0u | ... | (any_missing<Mesh, name_list<N...>> ? 0u : mask_of(name_index_v<typename Mesh::names, N>)));

template <class Mesh, class Names>
inline constexpr bool collective_axis_missing_from_mesh = collective_axes<Mesh, Names> == 0;

template <class Layout, class Axes>
inline constexpr bool not_partial_over = false;
template <class Layout, class... N>
inline constexpr bool not_partial_over<Layout, name_list<N...>> = [] {
  using c = context_of<Layout, basic_layout<split<N...>>>;
  return ((value_v<c, Layout>.level_of(name_index_v<typename c::names, N>) != 0) || ...);
}();

// The dimension whose minor-most axes are the named axes, or -1.
template <class Layout, class Axes>
inline constexpr int dimension_split_last_by = -1;
template <class Layout, class... N>
  requires(sizeof...(N) > 0)
inline constexpr int dimension_split_last_by<Layout, name_list<N...>> = [] {
  using c = context_of<Layout, basic_layout<split<N...>>>;
  constexpr int n = sizeof...(N), want[array_bound(n)]{name_index_v<typename c::names, N>...};
  layout_value const v = value_v<c, Layout>;
  int const d = v.dim_of(want[0]);
  if (d < 0 || v.dim[d].size < n || !v.dim[d].may_lose((mask_of(name_index_v<typename c::names, N>) | ...))) return -1;
  for (int i = 0; i < n; ++i)
    if (v.dim[d][v.dim[d].size - n + i] != want[i]) return -1;
  return d;
}();
template <class Layout, class Axes>
inline constexpr bool no_dimension_is_split_last_by = dimension_split_last_by<Layout, Axes> < 0;

// The layout after a collective: the named axes are removed, and then appended to dimension Dim (if it is not -1).
template <class X, class Names, int Dim = -1>
struct after;
template <class X, class... N, int Dim>
struct after<X, name_list<N...>, Dim> {
  using c = mesh_context<mesh_t<X>, layout_t<X>>;
  static constexpr layout_value value = [] {
    layout_value v = value_v<c, layout_t<X>>;
    v.drop_partial(collective_axes<mesh_t<X>, name_list<N...>>);
    v.drop_sharding(collective_axes<mesh_t<X>, name_list<N...>>);
    if constexpr (Dim >= 0 && !any_missing<mesh_t<X>, name_list<N...>>)
      (v.dim[Dim].push(name_index_v<typename mesh_t<X>::names, N>), ...);
    return v;
  }();
  using type = layout_from_t<c, encode(value), encode_blocks(value), value.rank>;
};

// True if a step of a plan needs a reduction that elements of type T lack. A step needs it to reduce, or for its
// identity in a pad.
template <class Ops, class T>
inline constexpr bool each_reduces = false;
template <class... Op, class T>
inline constexpr bool each_reduces<op_list<Op...>, T> = (reduces_elements<Op, T>::value && ...);
template <class P, class T>
inline constexpr bool elements_lack_the_reduction = []<class... Op>(op_list<Op...>*) {
  if (each_reduces<op_list<Op...>, T>) return false;
  constexpr bool has[]{reduces_elements<Op, T>::value...};
  for (plan_step const& s : P::value)
    if ((s.what == step_kind::pad || s.what == collective::reduce_scatter || s.what == collective::all_reduce) &&
        !has[s.op])
      return true;
  return false;
}(static_cast<typename P::context::ops*>(nullptr));

// Frees each step's operand as soon as the step is done, so that no more memory is held than peak_bytes says.
template <class P, int Step, class X>
constexpr auto run_steps(X x, call_site const& w) {
  if constexpr (Step == P::value.size) {
    return x;
  } else {
    auto y = [&] {
      X const operand = std::move(x);
      return take_step<P, Step>(backend_of<X>{}, operand, w);
    }();
    if constexpr (Step + 1 == P::value.size)
      return y;
    else
      return run_steps<P, Step + 1>(std::move(y), w);
  }
}

template <class Layout, int Dim>
inline constexpr bool layout_has_no_dimension = Dim < -Layout::rank || Dim >= Layout::rank;

// The destination of a relayout. Replicated: axes over which an active tensor becomes replicated and not invariant.
// MayHelp: axes whose ranks may share the work, even if neither layout names them. The class is a tag in this
// namespace, so that argument-dependent lookup finds the overload for active tensors.
template <class To, axis_mask Replicated, axis_mask MayHelp = 0u>
struct destination {};

template <class To, axis_mask Replicated, axis_mask MayHelp, plain_tensor X>
constexpr auto relayout(destination<To, Replicated, MayHelp> to, X const& x, call_site const& w) {
  return relayout_as(to, x.extents(), x, w);
}
// The same by the plan that these extents choose.
template <class To, axis_mask Replicated, axis_mask MayHelp, plain_tensor X>
constexpr auto relayout_as(destination<To, Replicated, MayHelp>, auto const& extents, X const& x, call_site const& w) {
  using plans = plans_between<mesh_t<X>, layout_t<X>, To, MayHelp>;
  static_assert(
      !elements_lack_the_reduction<plan_number<plans, 0>, element_t<X>>,
      "ashlar::redistribute: elements of this type cannot be combined by the layout's reduction; max and min need an order (<), sum and prod their operator, a reduction of your own a combine that takes them");
  auto const& t = materialize(x);
  return with_extents_of<X>(with_least_plan<plans, X>(t.mesh(), extents, [&]<class P>(P) {
    if constexpr (P::value.size == 0)
      return evaluated(t);
    else
      return run_steps<P, 0>(handle_on(t), w);
  }));
}

// The destination of each collective. Operands that do not fit are errors here, one each.
template <class X>
constexpr auto after_all_reduces() {
  using c = mesh_context<mesh_t<X>, layout_t<X>>;
  constexpr layout_value whole = dual(value_v<c, layout_t<X>>, 0);
  return destination<layout_from_t<c, encode(whole), encode_blocks(whole), whole.rank>, 0u>{};
}

template <class Names, class X>
constexpr auto after_all_reduce() {
  constexpr bool missing = collective_axis_missing_from_mesh<mesh_t<X>, Names>;
  static_assert(!collective_axis_missing_from_mesh<mesh_t<X>, Names>,
                "ashlar::all_reduce: the mesh has no axis of this name; name one of its axes");
  if constexpr (!missing)
    static_assert(
        !not_partial_over<layout_t<X>, Names>,
        "ashlar::all_reduce: the innermost reduction of the tensor is not over the axis; drop the call, or write all_reduce(x) to reduce whatever is partial");
  // After an error the tensor is reduced over all its axes, so that its readers have no errors.
  if constexpr (missing || not_partial_over<layout_t<X>, Names>)
    return after_all_reduces<X>();
  else
    return destination<typename after<X, Names>::type, 0u>{};
}

// True if a tensor has terms of sums where a collective takes a part of a dimension.
template <class L, class Names>
inline constexpr bool has_sums_to_complete = no_dimension_is_split_last_by<L, Names> && !not_partial_over<L, Names>;

template <class Names, gathered As, class X>
constexpr auto after_all_gather() {
  static_assert(!collective_axis_missing_from_mesh<mesh_t<X>, Names>,
                "ashlar::all_gather: the mesh has no axis of this name; name one of its axes");
  if constexpr (!collective_axis_missing_from_mesh<mesh_t<X>, Names>) {
    static_assert(
        !has_sums_to_complete<layout_t<X>, Names>,
        "ashlar::all_gather: the tensor is partial over the axis, so each rank has a term of sums and no part of a dimension; write all_reduce<axis>(x)");
    static_assert(
        !no_dimension_is_split_last_by<layout_t<X>, Names> || has_sums_to_complete<layout_t<X>, Names>,
        "ashlar::all_gather: no dimension is split last by the axis; name the minor-most axis of a dimension (all its block-cyclic axes), or redistribute");
  }
  return destination < typename after<X, Names>::type,
         As == gathered::replicated ? collective_axes<mesh_t<X>, Names> : 0u > {};
}

template <class Names, int Dim, class X>
constexpr auto after_reduce_scatter() {
  static_assert(!collective_axis_missing_from_mesh<mesh_t<X>, Names>,
                "ashlar::reduce_scatter: the mesh has no axis of this name; name one of its axes");
  if constexpr (!collective_axis_missing_from_mesh<mesh_t<X>, Names>) {
    static_assert(
        !not_partial_over<layout_t<X>, Names>,
        "ashlar::reduce_scatter: the innermost reduction of the tensor is not over the axis; slice with redistribute instead");
    static_assert(!layout_has_no_dimension<layout_t<X>, Dim>,
                  "ashlar::reduce_scatter: the tensor has no such dimension; they count from 0, or from -1 at the end");
  }
  return destination<typename after<X, Names, dimension_of<X, Dim>>::type, 0u>{};
}

template <class Names, int Dim, class X>
constexpr auto after_all_to_all() {
  static_assert(!collective_axis_missing_from_mesh<mesh_t<X>, Names>,
                "ashlar::all_to_all: the mesh has no axis of this name; name one of its axes");
  if constexpr (!collective_axis_missing_from_mesh<mesh_t<X>, Names>) {
    static_assert(
        !has_sums_to_complete<layout_t<X>, Names>,
        "ashlar::all_to_all: the tensor is partial over the axis, so each rank has a term of sums and no part of a dimension; write reduce_scatter<axis, Dim>(x)");
    static_assert(
        !no_dimension_is_split_last_by<layout_t<X>, Names> || has_sums_to_complete<layout_t<X>, Names>,
        "ashlar::all_to_all: no dimension is split last by the axis; name the minor-most axis of a dimension (all its block-cyclic axes), or redistribute");
    static_assert(!layout_has_no_dimension<layout_t<X>, Dim>,
                  "ashlar::all_to_all: the tensor has no such dimension; they count from 0, or from -1 at the end");
  }
  return destination<typename after<X, Names, dimension_of<X, Dim>>::type, 0u>{};
}

// All axes of a mesh except axes of static size 1.
template <class Mesh>
inline constexpr axis_mask axes_with_ranks = 0;
template <class... Axes>
inline constexpr axis_mask axes_with_ranks<mesh<Axes...>> = [] {
  axis_mask found = 0;
  int position = 0;
  ((found |= Axes::static_size != 1 ? mask_of(position) : 0u, ++position), ...);
  return found;
}();

// A step over the axes that shard a dimension.
template <class Mesh, class L, int Dim, step_kind What>
inline constexpr plan_step step_along{What, value_v<mesh_context<Mesh, L>, L>.dim[Dim].mask(), op_sum, {}, {}};

// Axes that shard From and that To does not name.
template <class Mesh, class From, class To>
inline constexpr axis_mask gathered_between =
    value_v<mesh_context<Mesh, From, To>, From>.sharding() & ~value_v<mesh_context<Mesh, From, To>, To>.named();

// Requires a layout To on a mesh that can replace the layout From.
template <class Mesh, class From, class To>
struct redistribute_target {
  static constexpr bool rank = To::rank == From::rank, axes = !axes_missing_from_mesh<Mesh, To>::value,
                        ok = rank && axes;
  static constexpr void say() {
    static_assert(
        rank,
        "ashlar::redistribute: the layout has another number of dimensions than the tensor; write one spec per dimension");
    static_assert(
        !rank || axes,
        "ashlar::redistribute: the layout names an axis that the mesh does not have; use one of the mesh's axes");
  }
};

template <class To, class X>
constexpr auto after_redistribute() {
  if constexpr (hold<redistribute_target<mesh_t<X>, layout_t<X>, To>>())
    return destination<To, gathered_between<mesh_t<X>, layout_t<X>, To>, axes_with_ranks<mesh_t<X>>>{};
  else
    return destination<layout_t<X>, 0u>{};
}

// The number of chunks in which a product and its communication overlap, and the layout of the result.
template <class L>
struct into_layout_in_chunks {
  index_t chunks;
};
// The layout of the result, as an argument. If `ByTypes`, extents choose nothing.
template <class L, bool ByTypes = false>
struct into_layout {
  /// A product takes the plan that is the best for operands of equal extents, and no other. Types and the sizes of the mesh
  /// choose it, so its collectives are the same for all extents.
  static constexpr into_layout<L, true> by_types() { return {}; }
  /// The operands and the result travel in n chunks, each while the next one is multiplied.
  static constexpr into_layout_in_chunks<L> in_chunks(index_argument n) { return {n}; }
};
template <class T>
inline constexpr bool is_result_layout = false;
template <class L, bool ByTypes>
inline constexpr bool is_result_layout<into_layout<L, ByTypes>> = true;
template <class L>
inline constexpr bool is_result_layout<into_layout_in_chunks<L>> = true;

// Always true. Its argument is the tensor of a collective that lacks its arguments.
template <class X>
inline constexpr bool collective_lacks_its_arguments = true;

}  // namespace ops_detail

/// Performs the reduction over the axes. The result is replicated over them. An active result is invariant over them,
/// and the derivative needs no communication. Elements keep their type: cast integers if their sum may leave it.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one collective; 2 |shard| (p-1)/p bytes received per rank. Between nodes 2 (p-1) messages of an
///   algorithm that scatters the sums and gathers them; on a node none.
/// Error: does not compile if the mesh has no axis of the name, or if elements lack the reduction. Nor does it if the
///   innermost reduction of the tensor is not over the axes.
/// Example: all_reduce<"model">(y<partial<layout<"data", none>, "model">>) -> layout<"data", none>
template <dimension Axes, tensor X>
[[nodiscard]] constexpr auto all_reduce(X const& x, call_site w = call_site::current()) {
  return relayout(ops_detail::after_all_reduce<meta_detail::names_in_t<Axes>, X>(), x, w);
}

/// Reduces over all axes over which the tensor is partial, possibly none.
/// Collective: every rank of the mesh calls it; it blocks. Cost: as for the axes by their names.
/// Example: all_reduce(y<partial<layout<"data", none>, "model">>) -> layout<"data", none>
template <tensor X>
[[nodiscard]] constexpr auto all_reduce(X const& x, call_site w = call_site::current()) {
  return relayout(ops_detail::after_all_reduces<X>(), x, w);
}

/// Gathers the dimension that the axes split last. `As` says if an active result is replicated over them or invariant.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: |result| (p-1)/p bytes received per rank, between nodes in p - 1 messages of a direct algorithm. No
///   packing if all dimensions before it have local extent 1.
/// Error: does not compile if the mesh has no axis of the name, or if no dimension is split last by the axes.
/// Example: all_gather<"data">(x<layout<"data", none>>) -> layout<none, none>
template <dimension Axes, gathered As = gathered::replicated, tensor X>
[[nodiscard]] constexpr auto all_gather(X const& x, call_site w = call_site::current()) {
  return relayout(ops_detail::after_all_gather<meta_detail::names_in_t<Axes>, As, X>(), x, w);
}

/// Performs the reduction over the axes and leaves each rank a part of dimension Dim.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: |shard| (p-1)/p bytes received per rank, between nodes in p - 1 messages of a direct algorithm.
/// Error: does not compile if the mesh has no axis of the name, or the tensor no dimension Dim. Nor does it if the
///   innermost reduction of the tensor is not over the axes.
/// Example: reduce_scatter<"model", 0>(y<partial<layout<none, none>, "model">>) -> layout<"model", none>
template <dimension Axes, int Dim, tensor X>
[[nodiscard]] constexpr auto reduce_scatter(X const& x, call_site w = call_site::current()) {
  return relayout(ops_detail::after_reduce_scatter<meta_detail::names_in_t<Axes>, Dim, X>(), x, w);
}

/// Moves the axes from the dimension that they split last to dimension Dim.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: |shard| (p-1)/p bytes received per rank, between nodes in p - 1 messages of a direct algorithm.
/// Error: does not compile if the mesh has no axis of the name, or the tensor no dimension Dim. Nor does it if no
///   dimension is split last by the axes.
/// Example: all_to_all<"data", 1>(x<layout<"data", none>>) -> layout<none, "data">
template <dimension Axes, int Dim, tensor X>
[[nodiscard]] constexpr auto all_to_all(X const& x, call_site w = call_site::current()) {
  return relayout(ops_detail::after_all_to_all<meta_detail::names_in_t<Axes>, Dim, X>(), x, w);
}

/// Brings a tensor into layout To by the plan of least bytes for its extents. If links_of<the mesh's type> gives messages a cost, it is
/// the plan of least bytes and messages together. Ranks along all axes of the mesh may share the work.
/// Post: the value is the same.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: bytes_per_rank and messages_per_rank of plan(from, To, extents, sizes, sizeof(T), axes of the mesh, links); 0 for
///   equal layouts. Rows to columns is one all_to_all.
/// Error: does not compile if To has another number of dimensions than the tensor, or names an axis that the mesh
/// lacks.
/// Example: redistribute<layout<none, "data">>(x<layout<"data", none>>) -> layout<none, "data">
template <class To, tensor X>
[[nodiscard]] constexpr auto redistribute(X const& x, call_site w = call_site::current()) {
  return relayout(ops_detail::after_redistribute<To, X>(), x, w);
}

/// The argument after the operands of einsum, matmul, transpose, fft and inverse_fft: the result is in layout L, and the
/// operands are in any layouts. einsum and matmul take to_layout<L>.in_chunks(n) and to_layout<L>.by_types(), too.
/// Example: matmul(a, b, to_layout<layout<"p", "q">>)
template <class L>
inline constexpr ops_detail::into_layout<L> to_layout{};

/// The same value, partial over the axes. For a sum, coordinate 0 keeps the elements and the others hold zeros.
/// Collective: every rank of the mesh calls it.
/// Cost: no communication; but a tensor that is partial by another reduction is reduced first.
/// Example: y<partial<layout<none>, "model">> + as_partial<"model">(b<layout<none>>) -> partial<layout<none>, "model">
template <dimension Axes, class Op = op::sum, tensor X>
[[nodiscard]] constexpr auto as_partial(X const& x, call_site w = call_site::current()) {
  return redistribute<partial<layout_t<X>, Axes, Op>>(x, w);
}

/// Makes an active tensor that is invariant over the axes replicated over them. This is free forward, and an all-reduce
/// of the cotangent backward (Megatron's f). Plain tensors pass through: for them there is no difference.
/// Collective: every rank of the mesh calls it.
/// Cost: forward nothing; backward one all-reduce of the operand's size.
/// Error: does not compile if the mesh has no axis of the name.
/// Example: as_replicated<"model">(x<layout<"data", none>>) -> layout<"data", none>
template <dimension Axes, tensor X>
[[nodiscard]] constexpr auto as_replicated(X const& x, call_site w = call_site::current()) {
  static_assert(!ops_detail::collective_axis_missing_from_mesh<mesh_t<X>, meta_detail::names_in_t<Axes>>,
                "ashlar::as_replicated: the mesh has no axis of this name; name one of its axes");
  return relayout(
      ops_detail::destination<layout_t<X>, ops_detail::collective_axes<mesh_t<X>, meta_detail::names_in_t<Axes>>>{}, x,
      w);
}

// Collectives without their axes or their target.
template <tensor X>
[[nodiscard]] constexpr auto all_gather(X const& x) {
  static_assert(!ops_detail::collective_lacks_its_arguments<X>,
                "ashlar::all_gather: name the axes whose shards are gathered; write all_gather<\"axis\">(x)");
  return x;
}
template <tensor X>
[[nodiscard]] constexpr auto reduce_scatter(X const& x) {
  static_assert(
      !ops_detail::collective_lacks_its_arguments<X>,
      "ashlar::reduce_scatter: name the axes and the dimension that they are to shard; write reduce_scatter<\"axis\", 0>(x)");
  return x;
}
template <tensor X>
[[nodiscard]] constexpr auto all_to_all(X const& x) {
  static_assert(
      !ops_detail::collective_lacks_its_arguments<X>,
      "ashlar::all_to_all: name the axes and the dimension that they are to shard; write all_to_all<\"axis\", 0>(x)");
  return x;
}
template <tensor X>
[[nodiscard]] constexpr auto redistribute(X const& x) {
  static_assert(!ops_detail::collective_lacks_its_arguments<X>,
                "ashlar::redistribute: name the layout of the result; write redistribute<layout<...>>(x)");
  return x;
}
template <dimension Axes, tensor X>
[[nodiscard]] constexpr auto redistribute(X const& x) {
  static_assert(!ops_detail::collective_lacks_its_arguments<X>,
                "ashlar::redistribute: name the layout of the result; write redistribute<layout<...>>(x)");
  return x;
}
// As in libraries whose tensors do not know what an axis shards.
template <dimension Axes, int Dim, tensor X>
[[nodiscard]] constexpr auto all_gather(X const& x) {
  static_assert(!ops_detail::collective_lacks_its_arguments<X>,
                "ashlar::all_gather: the layout says which dimension the axis shards; write all_gather<\"axis\">(x)");
  return x;
}

}  // namespace ashlar
