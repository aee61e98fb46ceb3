// SPDX-License-Identifier: BSL-1.0
// The exchange of the halos of several fields at once.
#pragma once
#include "ashlar/ops/bundle.hpp"
#include "ashlar/ops/halo.hpp"

namespace ashlar {

namespace ops_detail {

/// The exchange of several halos as a step: its axes are the axes of all fields.
template <class... X>
inline constexpr plan_step bundled_halo_step = [] {
  plan_step s;
  axis_mask axes = 0;
  ((s = halo_step<mesh_t<X>, layout_t<X>>, axes |= s.axes), ...);
  s.axes = axes;
  return s;
}();

template <class First, class... X>
struct exchange_halo_mesh {
  static constexpr bool ok = operands_share_a_mesh<First, X...>::ok;
  static constexpr void say() {
    static_assert(ok, "ashlar::exchange_halo: the bundle's fields are on different meshes; exchange each by itself");
  }
};

template <class... X>
struct bundle_of_fields {
  static constexpr bool ok = sizeof...(X) < 0;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::exchange_halo: the bundle has a tuple of fields for its member; write exchange_halo(fields) of the tuple itself");
  }
};

/// Fills the halos of all x in place. (begin_fill_halos<C>: the same as a pending_halo of a tuple.)
template <corners C, class... X>
constexpr void fill_halos(no_ranks, plan_step const&, call_site const&, X const&...) {}

template <corners C, class First, class... X>
struct halo_bundle {
  static constexpr plan_detail::backend_of<First> runs{};

  template <class... U>
  static constexpr auto exchanged(call_site const& w, U const&... x) {
    require_and_note(w, x...);
    fill_halos<C>(runs, bundled_halo_step<First, X...>, w, x...);
    return std::tuple(same_cells<fresh<layout_t<U>, C>>(runs, x)...);
  }
  template <class... U>
  static constexpr auto begun(call_site const& w, U const&... x) {
    if constexpr (begins_early<First>) {
      require_and_note(w, x...);
      return begin_fill_halos<C>(runs, bundled_halo_step<First, X...>, w, x...);
    } else {
      auto const y = exchanged(w, x...);
      return pending_halo(y, pending(y));
    }
  }

 private:
  template <class... U>
  static constexpr void require_and_note(call_site const& w, U const&... x) {
    auto const& on = std::get<0>(std::tie(x...)).mesh();
    (require_meshes_of_one_size(std::get<0>(std::tie(x...)), x), ...);
    if (!on.recorder()) return;
    index_t bytes = 0, neighbours = 0;
    auto const add = [&](auto const& field) {
      layout_detail::halo_traffic const t = halo_traffic_of<C>(field);
      bytes += bytes_of<std::remove_cvref_t<decltype(field)>>(t);
      if (neighbours < t.neighbours) neighbours = t.neighbours;
    };
    (add(x), ...);
    note(on, bundled_halo_step<First, X...>, bytes, w, static_cast<int>(neighbours));
  }
};

}  // namespace ops_detail

/// Fills the halos of several fields by one message from each neighbour. The fields may differ in layout, halo, extents and
/// element type.
/// Shape: a tuple; member i has the extents of field i and the layout fresh<H, C>. It is
///   the same memory.
/// Collective: every rank of the mesh calls it; it blocks until the neighbours' cells are here.
/// Cost: one message from each neighbour, and the bytes of all exchanges. The ledger has one collective, with the sum of
///   the fields' bytes, and the most neighbours of a field. On a node nothing is packed.
/// Error: does not compile where exchange_halo of a field does not, or if the fields are on different meshes.
/// Example: auto const [h, p] = exchange_halo(bundle(height, momentum));
template <corners C = corners::filled, plain_tensor... X>
[[nodiscard]] constexpr auto exchange_halo(ops_detail::bundled<X...> const& b, call_site w = call_site::current()) {
  if constexpr (meta_detail::hold<ops_detail::exchange_halo_mesh<X...>,
                                  ops_detail::exchange_halo_operand<layout_t<X>, C>...>()) {
    using Bundle = ops_detail::halo_bundle<C, X...>;
    return std::apply([&](auto const&... x) { return Bundle::exchanged(w, plan_detail::materialize(x)...); },
                      b.members);
  } else {
    return b.members;
  }
}

/// Begins exchange_halo of a bundle. stencil takes the result as its operands, and computes the interior while the messages
/// travel. Its wait() gives the tuple.
/// Collective: every rank of the mesh calls it, in the same order among its collectives; it does not block.
/// Cost: as exchange_halo. Error: as exchange_halo.
/// Example: auto const [h, p] = stencil(waves{}, exchange_halo_async(bundle(height, momentum)));
template <corners C = corners::filled, plain_tensor... X>
[[nodiscard]] constexpr auto exchange_halo_async(ops_detail::bundled<X...> const& b,
                                                 call_site w = call_site::current()) {
  if constexpr (meta_detail::hold<ops_detail::exchange_halo_mesh<X...>,
                                  ops_detail::exchange_halo_operand<layout_t<X>, C>...>()) {
    using Bundle = ops_detail::halo_bundle<C, X...>;
    return std::apply([&](auto const&... x) { return Bundle::begun(w, plan_detail::materialize(x)...); }, b.members);
  } else {
    return ops_detail::pending_halo(b.members, pending(b.members));
  }
}

/// Fills the halos of a tuple of fields, as stencil gives for several results: exchange_halo of their bundle.
/// Shape, Collective, Cost, Error: as exchange_halo of a bundle.
/// Example: auto const [h, p] = exchange_halo(stencil(step{}, height, momentum));
template <corners C = corners::filled, tensor... X>
[[nodiscard]] constexpr auto exchange_halo(std::tuple<X...> const& x, call_site w = call_site::current()) {
  return exchange_halo<C>(std::apply([](auto const&... field) { return bundle(field...); }, x), w);
}
/// Begins exchange_halo of a tuple of fields.
/// Collective, Cost, Error: as exchange_halo_async of a bundle.
template <corners C = corners::filled, tensor... X>
[[nodiscard]] constexpr auto exchange_halo_async(std::tuple<X...> const& x, call_site w = call_site::current()) {
  return exchange_halo_async<C>(std::apply([](auto const&... field) { return bundle(field...); }, x), w);
}
// Of a bundle of one tuple: for the sentence.
template <corners C = corners::filled, class... X>
constexpr auto exchange_halo(ops_detail::bundled<std::tuple<X...>> const& b, call_site = call_site::current()) {
  meta_detail::hold<ops_detail::bundle_of_fields<X...>>();
  return std::get<0>(b.members);
}
template <corners C = corners::filled, class... X>
constexpr auto exchange_halo_async(ops_detail::bundled<std::tuple<X...>> const& b, call_site = call_site::current()) {
  meta_detail::hold<ops_detail::bundle_of_fields<X...>>();
  auto const& fields = std::get<0>(b.members);
  return ops_detail::pending_halo(fields, pending(fields));
}

}  // namespace ashlar
