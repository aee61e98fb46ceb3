// SPDX-License-Identifier: BSL-1.0
// Tensors with halos on real ranks.
#pragma once
#include "ashlar/kernels/elementwise.hpp"
#include "ashlar/layout/halo.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include <Kokkos_OffsetView.hpp>
#include <limits>
#include <type_traits>

namespace ashlar {

namespace tensor_detail {

/// True in builds with assertions, for elements that have NaN: cells of new unfilled halos are NaN there.
template <class T>
#ifdef NDEBUG
inline constexpr bool unfilled_cells_are_nan = false;
#else
inline constexpr bool unfilled_cells_are_nan = std::is_floating_point_v<ops_detail::component_t<T>>;
#endif
template <class T>
constexpr T not_a_number() {
  using number = ops_detail::component_t<T>;
  constexpr number nan = std::numeric_limits<number>::quiet_NaN();
  if constexpr (std::is_same_v<number, T>)
    return nan;
  else
    return {nan, nan};
}

/// The extents of the array of a rank that owns a box of cells: all 0 if it owns none.
inline shape stored_extents_of(shape s, layout_detail::halo_widths const& widths) {
  bool const owns = s.size() != 0;
  for (int d = 0; d < s.rank; ++d) s[d] = owns ? s[d] + widths.dim[d].lower + widths.dim[d].upper : 0;
  return s;
}

// Its address identifies an element type and the widths of a halo.
template <class T, class... Room>
inline constexpr char zero_cells_of = 0;

/// The stored cells for a caller that writes halo cells before it returns.
template <class X>
element_t<X>* all_cells_of(X const& x) {
  block_of(x)->zeros.transfers.reset();
  return cells_of(x);
}

}  // namespace tensor_detail

/// A tensor whose shard has room for cells of its neighbours. The stored cells are row-major in the memory of Space, or
/// have the strides of the view that was adopted. A rank that owns no cells stores none.
/// Copies and adopted memory are as without a halo. The functions of tensors without a halo do not take it: owned(x) is one.
/// Shape: global extents(); this rank stores stored_extents(), and owns the global indices local_region().
template <class T, class L, class State, class... Room, class Mesh, class Space>
class sharded_tensor<T, layout_detail::basic_haloed<L, State, Room...>, Mesh, Space>
    : public tensor_base_detail::tensor_in_memory<T, layout_detail::basic_haloed<L, State, Room...>, Mesh, Space> {
  using base = tensor_base_detail::tensor_in_memory<T, layout_detail::basic_haloed<L, State, Room...>, Mesh, Space>;

 public:
  using base::rank, base::layout, base::local_region;
  using typename base::layout_type;
  using typename base::memory_space;
  static constexpr layout_detail::halo_widths widths = layout_detail::halo_of<layout_type>::widths;

  sharded_tensor() = default;
  using base::base;
  sharded_tensor(device_mesh<Mesh> const& m, shape const& extents) : base(m, extents, new_block(m, extents), 0) {
    constexpr bool unfilled = std::is_same_v<State, layout_detail::halo_state::unfilled>;
    if constexpr (unfilled && tensor_detail::unfilled_cells_are_nan<T>)
      kernels::fill(Space{}, tensor_detail::all_cells_of(*this), stored_extents().size(),
                    tensor_detail::not_a_number<T>());
  }

  /// Does not compile: the mesh is part of the type.
  template <class M>
  sharded_tensor(device_mesh<M> const&, shape const&) {
    tensor_detail::mesh_of_tensor<sharded_tensor, M>::say();
  }
  /// Does not compile: a variable keeps its type.
  template <class U, class Other, class M, class S>
  sharded_tensor(sharded_tensor<U, Other, M, S> const&) {
    tensor_detail::assigned_type<sharded_tensor, sharded_tensor<U, Other, M, S>>::say();
  }
  template <class X>
    requires(!std::is_same_v<typename X::tensor_type, sharded_tensor>)
  sharded_tensor(X const&) {
    tensor_detail::assigned_type<sharded_tensor, typename X::tensor_type>::say();
  }

  /// Extents of the array that this rank stores: owned cells and halo.
  shape stored_extents() const { return tensor_detail::stored_extents_of(local_region().extents(), widths); }
  /// The first stored cell, in the memory of Space, for reading.
  T const* stored_data() const& { return tensor_detail::cells_of(*this); }
  /// The same for a program that may write. The tensor gets memory of its own first if others share it. From then on copies of
  /// the tensor are copied at once, and each exchange writes the cells beyond a zero boundary.
  T* stored_data() & { return base::held_cells(); }
  /// Identifies the element type and the halo, in any state.
  static void const* halo_identity() { return &tensor_detail::zero_cells_of<T, Room...>; }
  /// The distance between neighbouring stored cells along each dimension, in elements.
  tensor_detail::row_major_strides stored_strides() const {
    return tensor_detail::strides_or(base::block()->strides.get(), stored_extents());
  }
  using view_type = Kokkos::View<typename tensor_detail::pointer_to<T, rank>::type, Kokkos::LayoutRight, memory_space,
                                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  /// The stored cells as a Kokkos view: owned cell (i, j) of this rank is at (i + lower width, j + lower width). This and the
  /// other views are for writing, as stored_data(), or of const elements if the tensor is const. They are valid while the
  /// tensor lives, and until another is assigned to it.
  /// Error: ashlar::error if they have the strides of a view that was adopted.
  view_type stored_view() & { return row_major(stored_data()); }
  typename view_type::const_type stored_view() const& { return row_major(stored_data()); }
  using strided_view_type = Kokkos::View<typename tensor_detail::pointer_to<T, rank>::type, Kokkos::LayoutStride,
                                         memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  /// The stored cells as a Kokkos view with any strides.
  strided_view_type strided_view() & { return strided(stored_data(), stored_extents()); }
  typename strided_view_type::const_type strided_view() const& { return strided(stored_data(), stored_extents()); }
  /// The stored cells by their global indices: element (i, j) of the view is cell (i, j). The cells beyond the domain have
  /// indices below 0, or from the extents on. Error: as stored_view.
  auto offset_view() & { return by_global_index(stored_view()); }
  auto offset_view() const& { return by_global_index(stored_view()); }
  /// The owned cells as a strided Kokkos view.
  strided_view_type owned_view() & { return owned(stored_data()); }
  typename strided_view_type::const_type owned_view() const& { return owned(stored_data()); }
  /// Do not compile: the memory of a temporary goes with it.
  template <class X = sharded_tensor>
  T* stored_data() && {
    tensor_detail::refuse_temporary<X>();
    return nullptr;
  }
  template <class X = sharded_tensor>
  view_type stored_view() && {
    tensor_detail::refuse_temporary<X>();
    return {};
  }
  template <class X = sharded_tensor>
  strided_view_type strided_view() && {
    tensor_detail::refuse_temporary<X>();
    return {};
  }
  template <class X = sharded_tensor>
  view_type offset_view() && {
    tensor_detail::refuse_temporary<X>();
    return {};
  }
  template <class X = sharded_tensor>
  strided_view_type owned_view() && {
    tensor_detail::refuse_temporary<X>();
    return {};
  }
  // The members of tensors without a halo, for the sentence of code that is made for these.
  template <class H = layout_type>
  T* data() const {
    layout_detail::refuse_halo<H>();
    return tensor_detail::cells_of(*this);
  }
  template <class H = layout_type>
  view_type view() const {
    layout_detail::refuse_halo<H>();
    return {};
  }
  template <class H = layout_type>
  shape local_extents() const {
    layout_detail::refuse_halo<H>();
    return stored_extents();
  }
  template <class H = layout_type>
  index_t local_size() const {
    layout_detail::refuse_halo<H>();
    return stored_extents().size();
  }

 private:
  static auto new_block(device_mesh<Mesh> const& m, shape const& extents) {
    plan_detail::check_size<T>(extents);
    region const own = ashlar::local_region(extents, layout, m.sizes(), m.rank());
    shape const stored = tensor_detail::stored_extents_of(own.extents(), widths);
    plan_detail::check_size<T>(stored);
    auto block = tensor_detail::memory_of_shard<memory_space>(extents, stored.size(), sizeof(T), true);
    tensor_detail::zero_cells& zeros = block->zeros;
    if (zeros.transfers && (zeros.halo != halo_identity() || !(zeros.stored == stored))) zeros.transfers.reset();
    return block;
  }
  template <class U>
  using view_of = std::conditional_t<std::is_const_v<U>, typename view_type::const_type, view_type>;
  template <class U>
  view_of<U> row_major(U* first) const {
    if (base::block()->strides)
      meta_detail::fail(
          "ashlar::stored_view: the cells have the strides of the view that was adopted; write strided_view()");
    return tensor_detail::view_of<view_of<U>>(first, stored_extents());
  }
  template <class U>
  auto strided(U* first, shape const& s) const {
    tensor_detail::row_major_strides const strides = stored_strides();
    Kokkos::LayoutStride l;
    for (int d = 0; d < rank; ++d) {
      l.dimension[d] = static_cast<std::size_t>(s[d]);
      l.stride[d] = static_cast<std::size_t>(strides.stride[d]);
    }
    using view = std::conditional_t<std::is_const_v<U>, typename strided_view_type::const_type, strided_view_type>;
    return view(first, l);
  }
  template <class U>
  auto owned(U* first) const {
    shape const own = local_region().extents();
    tensor_detail::row_major_strides const strides = stored_strides();
    if (own.size() != 0)
      for (int d = 0; d < rank; ++d) first += widths.dim[d].lower * strides.stride[d];
    return strided(first, own);
  }
  template <class View>
  auto by_global_index(View const& stored) const {
    using by_index = Kokkos::Experimental::OffsetView<typename View::data_type, Kokkos::LayoutRight, memory_space,
                                                      Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    region const own = local_region();
    typename by_index::begins_type begins{};
    for (int d = 0; d < rank; ++d) begins[static_cast<std::size_t>(d)] = own.dim[d].begin - widths.dim[d].lower;
    return by_index(stored, begins);
  }
};

namespace tensor_detail {

/// This rank's owned cells in the array that holds them.
template <class T, int Rank>
struct owned_cells {
  T* first = nullptr;
  shape own, stored;
  index_t stride[array_bound(Rank ? Rank : 1)]{};
};
template <class X>
owned_cells<element_t<X>, rank_v<X>> owned_cells_of(X const& x) {
  constexpr int rank = rank_v<X>;
  owned_cells<element_t<X>, rank> c;
  c.own = x.local_region().extents();
  c.first = cells_of(x);
  c.stored = array_extents(x);
  row_major_strides strides(c.stored);
  if constexpr (layout_has_a_halo<layout_t<X>>::value) strides = x.stored_strides();
  for (int d = 0; d < rank; ++d) {
    c.stride[d] = strides.stride[d];
    if constexpr (layout_has_a_halo<layout_t<X>>::value)
      if (c.own.size() != 0) c.first += X::widths.dim[d].lower * c.stride[d];
  }
  return c;
}

/// The strides of the array that holds `own` owned cells with halos of this layout.
template <class L>
row_major_strides stored_strides(shape const& own) {
  shape stored = own;
  if constexpr (layout_has_a_halo<L>::value)
    for (int d = 0; d < own.rank; ++d) {
      halo_width const& w = halo_of<L>::widths.dim[d];
      stored[d] += w.lower + w.upper;
    }
  return row_major_strides(stored);
}
/// The owned cells of a tensor as kernels read them.
template <class X>
kernels::strided<element_t<X>> owned_leaf(X const& x) {
  auto const c = owned_cells_of(x);
  kernels::strided<element_t<X>> l{c.first, {}};
  for (int d = 0; d < c.own.rank; ++d) l.stride[d] = c.stride[d];
  return l;
}

/// The loops over a box of owned cells in two arrays.
template <class T, class U, int Rank>
loop_nest<2> loops_over(owned_cells<T, Rank> const& from, owned_cells<U, Rank> const& to, kernels::box const& cells) {
  nest_builder<2> loops;
  index_t origin[2]{};
  for (int d = 0; d < Rank; ++d) {
    loops.add(cells.extent[d], {from.stride[d], to.stride[d]});
    origin[0] += cells.lower[d] * from.stride[d];
    origin[1] += cells.lower[d] * to.stride[d];
  }
  loop_nest<2> nest = loops.nest();
  nest.origin[0] = origin[0];
  nest.origin[1] = origin[1];
  return nest;
}
inline kernels::box box_of(shape const& extents) {
  kernels::box b;
  for (int d = 0; d < extents.rank; ++d) b.extent[d] = extents[d];
  return b;
}
template <class Space, class T, int Rank>
void copy_owned_cells(Space const& space, owned_cells<T, Rank> const& from, owned_cells<T, Rank> const& to,
                      kernels::box const& cells) {
  if (cells.shape(Rank).size() == 0) return;
  loop_nest<2> const loops[]{loops_over(from, to, cells)};
  strided_copy(space, static_cast<T const*>(from.first), to.first, loops);
}

/// Copies all stored cells, in arrays with any strides.
template <class X>
void copy_stored_cells(X const& from, X const& to) {
  shape const stored = from.stored_extents();
  if (stored.size() == 0) return;
  loop_nest<2> const loops[]{merge_loops<2>(stored, {from.stored_strides().stride, to.stored_strides().stride})};
  strided_copy(typename X::execution_space{}, static_cast<element_t<X> const*>(cells_of(from)), all_cells_of(to),
               loops);
}
/// x itself, or a copy of it if its stored cells have the strides of a view that was adopted.
template <class X>
X row_major_cells(X const& x) {
  if (!block_of(x)->strides) return same_memory(x);
  X y(x.mesh(), x.extents());
  if constexpr (layout_has_a_halo<layout_t<X>>::value) copy_stored_cells(x, y);
  return y;
}

/// The tensor with its halo in another state.
template <class To, class T, class L, class M, class Space>
sharded_tensor<T, To, M, Space> same_cells(real_ranks, sharded_tensor<T, L, M, Space> const& x) {
  return {x.mesh(), x.extents(), block_to_share(x), 0};
}

/// The owned cells of a tensor, in a layout that differs in halos alone. Given cells and halo terms are 0.
template <class To, class T, class L, class M, class Space>
sharded_tensor<T, To, M, Space> copy_cells(real_ranks, sharded_tensor<T, L, M, Space> const& x) {
  sharded_tensor<T, To, M, Space> y(x.mesh(), x.extents());
  Space const space{};
  if constexpr (layout_has_a_halo<To>::value)
    if (has_halo_sums<To> || has_given_cells(y.widths, y.rank))
      kernels::fill(space, all_cells_of(y), y.stored_extents().size(), T{});
  auto const from = owned_cells_of(x);
  copy_owned_cells(space, from, owned_cells_of(y), box_of(from.own));
  return y;
}

}  // namespace tensor_detail

}  // namespace ashlar
