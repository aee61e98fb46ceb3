// SPDX-License-Identifier: BSL-1.0
// roll: moves elements along a dimension, from a rank to its neighbour if it is sharded.
#pragma once
#include "ashlar/ops/async.hpp"

namespace ashlar {

namespace ops_detail {

// Requires a dimension whose parts are neighbouring elements.
template <class X, int Dim>
struct roll_dimension {
  static constexpr bool found = are_dimensions<rank_v<X>, Dim>,
                        in_order =
                            [] {
                              if constexpr (found)
                                return plan_detail::value_on<mesh_t<X>, layout_t<X>>.dim[dimension_of<X, Dim>].block ==
                                       0;
                              return true;
                            }(),
                        ok = found && in_order;
  static constexpr void say() {
    static_assert(found, "ashlar::roll: the tensor has no such dimension; they count from 0, or from -1 at the end");
    static_assert(
        in_order,
        "ashlar::roll: the dimension is block-cyclic, and its neighbouring elements are on other ranks; redistribute it first");
  }
};

/// The dimension along which elements roll.
template <int Dim>
struct rolled_along {};

// The same roll with 0 <= by < n.
constexpr index_t places_of(index_t by, index_t n) { return n == 0 ? 0 : (by % n + n) % n; }

// Calls f(from, to, count) for the indices that go from one rank to another when n indices roll by 0 <= by < n. The
// `count` indices from `from` on become the indices from `to` on. There are at most two calls, one of them around the
// end.
template <class F>
constexpr void for_each_rolled_run(index_t n, index_t by, index_set const& source, index_set const& target, F&& f) {
  for (index_t around : {index_t{0}, n}) {
    index_t const shift = by - around;
    index_t const begin = source.begin > target.begin - shift ? source.begin : target.begin - shift;
    index_t const end = source.end < target.end - shift ? source.end : target.end - shift;
    if (begin < end) f(begin, begin + shift, end - begin);
  }
}

// Bytes received by the rank that receives most: the new elements that it lacks.
constexpr index_t rolled_bytes(shape const& extents, layout_value const& layout, int dim, index_t by,
                               mesh_shape const& mesh, std::size_t element) {
  axis_mask const axes = layout.dim[dim].mask();
  index_t most = 0, others = static_cast<index_t>(element);
  shape const local = local_shape(extents, layout, mesh, 0);
  for (int d = 0; d < extents.rank; ++d)
    if (d != dim) others *= local[d];
  for (int i = 0, p = mesh.ranks(axes); i < p; ++i) {
    index_set const held = local_indices(extents[dim], layout.dim[dim], mesh, mesh.with_position(0, axes, i));
    index_t lacks = held.size();
    for_each_rolled_run(extents[dim], by, held, held, [&](index_t, index_t, index_t count) { lacks -= count; });
    if (lacks > most) most = lacks;
  }
  return most * others;
}

// The step of a roll, which the ledger notes.
template <int Dim, class X>
constexpr plan_step const& rolling_step(X const& x, index_t by, call_site const& w) {
  constexpr plan_step const& s = step_along<mesh_t<X>, layout_t<X>, Dim, step_kind::permute>;
  constexpr layout_value const& layout = plan_detail::value_on<mesh_t<X>, layout_t<X>>;
  if (by != 0 && x.mesh().recorder())
    note(x.mesh(), s, rolled_bytes(x.extents(), layout, Dim, by, x.mesh().sizes(), sizeof(element_t<X>)), w);
  return s;
}

/// x with the indices of a dimension moved by 0 <= by < extent. (begin_roll<Y, Dim>: the same as a pending<Y>.)
template <int Dim, class X>
constexpr X roll_shards(no_ranks, X const& x, plan_step const&, index_t, call_site const&) {
  X y = x;
  y.set_origin({});
  return y;
}

template <int Dim, plain_tensor X>
constexpr auto roll_along(rolled_along<Dim>, X const& x, index_t by, call_site const& w) {
  index_t const places = places_of(by, x.extents()[Dim]);
  auto const& t = materialize(x);
  return with_extents_of<X>(roll_shards<Dim>(backend_of<X>{}, t, rolling_step<Dim>(t, places, w), places, w));
}

template <int Dim, class X>
constexpr auto roll_along_async(rolled_along<Dim> along, X const& x, index_t by, call_site const& w) {
  using Y = decltype(roll_along(along, x, by, w));
  if constexpr (begins_early<X>) {
    index_t const places = places_of(by, x.extents()[Dim]);
    auto const& t = materialize(x);
    return begin_roll<Y, Dim>(backend_of<X>{}, t, rolling_step<Dim>(t, places, w), places, w);
  } else {
    return pending<Y>(roll_along(along, x, by, w));
  }
}

template <bool Async, int Dim, class X>
constexpr auto roll_checked(X const& x, index_t by, call_site const& w) {
  return checked<roll_dimension<X, Dim>>(
      [&]<class T>(T const& t) {
        constexpr rolled_along<dimension_of<T, Dim>> along{};
        if constexpr (Async)
          return roll_along_async(along, t, by, w);
        else
          return roll_along(along, t, by, w);
      },
      x);
}

}  // namespace ops_detail

/// Moves the elements along a dimension by `by` indices and around the end. The element at index i goes to index
/// (i + by) mod n. The elements for the neighbouring rank are one message. Partial tensors stay partial. The derivative
/// rolls back.
/// Post: roll<0>(roll<0>(x, by), -by) == x.
/// Collective: if axes shard the dimension, every rank of the mesh calls it, and it blocks.
/// Cost: `by` of the shard's indices received per rank, at most the shard; one copy of the shard. Of a whole dimension no
///   communication.
/// Error: does not compile if the dimension is block-cyclic, or if the tensor has no such dimension.
/// Example: roll<0>(x<layout<"stage", "data", none>>) -> layout<"stage", "data", none>
template <int Dim, tensor X>
[[nodiscard]] constexpr auto roll(X const& x, ops_detail::index_argument by = 1, call_site w = call_site::current()) {
  return ops_detail::roll_checked<false, Dim>(x, by, w);
}

/// Begins a roll; the rest as for all_reduce_async. Under differentiation the roll is complete when it has begun.
/// Shape: as roll, of the result of wait().
/// Collective: as all_reduce_async.
/// Cost: as roll. Error: as roll.
/// Example: auto next = roll_async<0>(visitors); ...; visitors = next.wait();
template <int Dim, tensor X>
[[nodiscard]] constexpr auto roll_async(X const& x, ops_detail::index_argument by = 1,
                                        call_site w = call_site::current()) {
  return ops_detail::roll_checked<true, Dim>(x, by, w);
}

}  // namespace ashlar
