// SPDX-License-Identifier: BSL-1.0
// Tensors with halos from functions of the index.
#pragma once
#include "ashlar/kernels/random.hpp"
#include "ashlar/ops/halo.hpp"
#include "ashlar/ops/random.hpp"
#include "ashlar/tensor/haloed_tensor.hpp"

namespace ashlar {

namespace tensor_detail {

template <class T, int Rank, class F>
struct generate_cells_kernel {
  T* data;
  shape stored;
  index_t stride[array_bound(Rank)], first[array_bound(Rank)], n[array_bound(Rank)];
  interval own[array_bound(Rank)];
  halo_width widths[array_bound(Rank)];
  bool owned_too, all;  // also owned cells; also cells that are not the program's
  F f;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t shown[array_bound(Rank)]{},
        index[array_bound(Rank)]{};  // of the cell that is shown; of this cell, wrapped in periodic dimensions
    int sign = 1;
    bool given = false, owned = true;
    index_t rest = i, to = 0;
    for (int d = Rank - 1; d >= 0; --d) {
      index_t const p = rest % stored.extent[d], v = first[d] + p;
      to += p * stride[d];
      rest /= stored.extent[d];
      shown_cell const c = cell_at(v, n[d], widths[d]);
      shown[d] = c.cell;
      index[d] = widths[d].below == boundary::periodic ? c.cell : v;
      sign *= c.sign;
      given = given || c.given;
      owned = owned && v >= own[d].begin && v < own[d].end;
    }
    if (!given && !all && !(owned && owned_too)) return;
    if (given) sign = 1;
    data[to] = sign == 0 ? T{} : call(given ? index : shown, std::make_integer_sequence<int, Rank>{});
    if (sign < 0) data[to] = static_cast<T>(-data[to]);
  }
  template <int... D>
  KOKKOS_FUNCTION T call(index_t const* at, std::integer_sequence<int, D...>) const {
    return static_cast<T>(f(at[D]...));
  }
};

template <class X, class F>
void compute_cells(X const& x, bool owned_too, bool all, F const& f) {
  constexpr int rank = X::rank;
  generate_cells_kernel<element_t<X>, rank, F> k{
      all_cells_of(x), x.stored_extents(), {}, {}, {}, {}, {}, owned_too, all, f};
  region const own = x.local_region();
  row_major_strides const strides = x.stored_strides();
  for (int d = 0; d < rank; ++d) {
    k.stride[d] = strides.stride[d];
    k.own[d] = {own.dim[d].begin, own.dim[d].end};
    k.widths[d] = X::widths.dim[d];
    k.first[d] = k.own[d].begin - k.widths[d].lower;
    k.n[d] = x.extents()[d];
  }
  for_elements("ashlar::generate", typename X::execution_space{}, k.stored.size(), k);
}

// The random number of a cell, f of a generator's. A cell beyond the domain is a given one, and has 0.
template <class Generator, class F, int Rank>
struct random_cell {
  prng_key key;
  F f;
  index_t n[array_bound(Rank)];
  template <class... I>
  KOKKOS_FUNCTION typename Generator::value_type operator()(I... at) const {
    constexpr index_t block = meta_detail::uniform_block<typename Generator::value_type>::size;
    index_t const index[]{at...};
    index_t g = 0;
    for (int d = 0; d < Rank; ++d) {
      if (index[d] < 0 || index[d] >= n[d]) return {};
      g = g * n[d] + index[d];
    }
    return f(kernels_detail::random_block<Generator>(key, g / block).value[g % block]);
  }
};
template <class Generator, class X, class F>
void fill_random_cells(X const& x, prng_key key, F const& moved) {
  random_cell<Generator, F, X::rank> f{key, moved, {}};
  for (int d = 0; d < X::rank; ++d) f.n[d] = x.extents()[d];
  compute_cells(x, true, true, f);
}
/// Fills owned cells and halo cells with random numbers.
template <class R, class T, class L, class M, class S>
  requires(layout_has_a_halo<L>::value)
void fill_random(real_ranks, uniform_distribution<R> const& d, sharded_tensor<T, L, M, S>& x, prng_key key) {
  fill_random_cells<kernels_detail::uniform_generator<T>>(x, key, kernels_detail::in_range<T>(d.low, d.high));
}
template <class R, class T, class L, class M, class S>
  requires(layout_has_a_halo<L>::value)
void fill_random(real_ranks, normal_distribution<R> const& d, sharded_tensor<T, L, M, S>& x, prng_key key) {
  fill_random_cells<kernels_detail::normal_generator<T>>(x, key,
                                                         kernels_detail::scale_and_shift<T>{d.deviation, d.mean});
}

template <class L>
struct set_boundary_edge {
  static constexpr bool ok = has_given_edge<L>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::set_boundary: no boundary of the layout is given; write boundary::given for it, as halo(\"x\", 1, boundary::given)");
  }
};
template <class L, class F>
struct set_boundary_indices {
  static constexpr bool ok = generate_indices<L, L::rank, F>::ok;
  static constexpr void say() {
    static_assert(ok, "ashlar::set_boundary: the function takes one index_t per dimension; write f(i, j) for a matrix");
  }
};

}  // namespace tensor_detail

/// Makes a tensor with a halo whose owned cell at global index (i...) is f(i...). Given cells are f of their index,
/// which is beyond the domain. If the layout is fresh<H>, all halo cells are computed: no exchange is needed.
/// Collective: no communication.
/// Cost: one kernel.
/// Error: halo_sums and a partial layout do not compile, nor does a function that takes another number of indices, or gives
/// floating numbers for integers or bool.
/// Example: generate<double, layout<halo("y", 1), none>>(m, {n, n}, KOKKOS_LAMBDA(index_t i, index_t j) { return 1. * i * j; })
template <class T, class L, class M, std::size_t N, class F>
  requires(layout_detail::layout_has_a_halo<L>::value)
auto generate(device_mesh<M> const& m, index_t const (&n)[N], F const& f, call_site w = call_site::current()) {
  static_assert(!ops_detail::halo_waits_for_its_sum<L>,
                "ashlar::generate: a function of the index gives no sums; generate H, or make and fill the cells");
  static_assert(
      !layout_detail::halo_is_partial<L>::value,
      "ashlar::generate: the layout is partial, and each rank would hold the whole value; generate the layout without it, then write as_partial<axis>");
  plan_detail::call_in_errors const call(w);
  shape const extents = plan_detail::checked_extents<L>(n);
  comm_detail::state_of(m).calls.note_tensor(extents, w);
  tensor_detail::tensor_on<T, L, M> const t(m, extents);
  if constexpr (meta_detail::hold<tensor_detail::generate_indices<L, N, F>,
                                  tensor_detail::generate_numbers<element_t<decltype(t)>, L, F>>())
    tensor_detail::compute_cells(t, true, !layout_detail::is_in_state<L, layout_detail::halo_state::unfilled>, f);
  return t;
}

namespace tensor_detail {
template <class X, class F>
void set_given_cells(X const& x, F const& f) {
  using L = layout_t<X>;
  if constexpr (hold<set_boundary_edge<L>, set_boundary_indices<L, F>, generate_numbers<element_t<X>, L, F>>())
    compute_cells(x, false, false, f);
}
}  // namespace tensor_detail

/// Sets the given cells of a tensor, in place, to f of their index. The index is beyond the domain in some dimension;
/// in periodic dimensions it wraps. If others share the memory, x gets memory of its own, and they keep their cells.
/// Collective: no communication. Cost: one pass over the stored cells.
/// Error: does not compile unless some boundary of the layout is boundary::given, nor if x is const.
/// Example: set_boundary(u, KOKKOS_LAMBDA(index_t i, index_t) { return i < 0 ? 1. : 0.; });
template <class T, class L, class M, class S, class F>
void set_boundary(sharded_tensor<T, L, M, S>& x, F const& f) {
  tensor_detail::own_memory(tensor_detail::real_ranks{}, x);
  tensor_detail::set_given_cells(x, f);
}
template <class T, class L, class M, class S, class F>
void set_boundary(sharded_tensor<T, L, M, S> const&, F const&) {
  static_assert(!std::is_same_v<T, T>, "ashlar::set_boundary: the tensor is const; declare it without const");
}

}  // namespace ashlar
