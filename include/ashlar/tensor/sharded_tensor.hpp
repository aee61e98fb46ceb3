// SPDX-License-Identifier: BSL-1.0
// Tensors on real ranks.
#pragma once
#include "ashlar/comm/device_mesh.hpp"
#include "ashlar/ops/bundle.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/layout/halo.hpp"
#include "ashlar/tensor/storage.hpp"
#include <complex>
#include <type_traits>
#include <utility>

namespace ashlar {

template <class T, class Layout, class Mesh, class Space>
class sharded_tensor;

namespace tensor_detail {

/// The backend of tensors on real ranks (plan/backend.hpp).
struct real_ranks {
  static constexpr bool begins_early = true;
};

}  // namespace tensor_detail

template <class M>
struct plan_detail::backend<device_mesh<M>> {
  using type = tensor_detail::real_ranks;
};

namespace tensor_detail {

// The stored type for an element type that a user names: std::complex fails in device code.
template <class T>
struct storable {
  using type = plan_detail::checked_element_t<T>;
};
template <class T>
struct storable<std::complex<T>> {
  using type = Kokkos::complex<T>;
};

/// A Kokkos view of elements.
template <class View, class T>
View view_of(T* first, shape const& s) {
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return View(first, static_cast<std::size_t>(s[static_cast<int>(D)])...);
  }(std::make_index_sequence<View::rank>{});
}

template <class T, int Rank>
struct pointer_to {
  using type = typename pointer_to<T, Rank - 1>::type*;
};
template <class T>
struct pointer_to<T, 0> {
  using type = T;
};

[[noreturn]] inline void fail_empty() {
  throw error("ashlar::sharded_tensor: the tensor is empty, without mesh and elements; assign a tensor to it first");
}

// `mesh` is false if the two differ in their mesh alone. By default a tensor has a mesh of just the axes that its layout
// names.
template <class Variable, class Assigned>
struct assigned_type {
  static constexpr bool ok = std::is_same_v<Variable, Assigned>,
                        mesh = ok || std::is_same_v<typename Variable::mesh_type, typename Assigned::mesh_type> ||
                               !std::is_same_v<typename Variable::element_type, typename Assigned::element_type> ||
                               !std::is_same_v<typename Variable::layout_type, typename Assigned::layout_type>,
                        halo = layout_has_a_halo<typename Variable::layout_type>::value;
  static constexpr void say() {
    static_assert(
        mesh,
        "ashlar::sharded_tensor: the assigned tensor is on another mesh than the variable; name its mesh as the third argument, as in sharded_tensor<T, L, grid>, or write auto y = x");
    static_assert(
        ok || !mesh || halo,
        "ashlar::sharded_tensor: a variable keeps its layout, mesh and element type, and the assigned tensor has others; write auto y = x, redistribute<L>(x), or cast<T>(x)");
    static_assert(
        ok || !mesh || !halo,
        "ashlar::sharded_tensor: a variable keeps its layout and the state of its halo, and the assigned tensor has others; write auto v = exchange_halo(u) beside the variable, or exchange_halo(x) for a variable of fresh<H>");
  }
};
// A condition and no static_assert of the class, which would hide the members of its base from clang, one error each.
template <class Mesh, class L>
struct axes_in_mesh {
  static constexpr bool ok = !plan_detail::axes_missing_from_mesh<Mesh, owned_layout_t<L>>::value;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::sharded_tensor: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh");
  }
};
template <class Tensor, class Mesh>
struct mesh_of_tensor {
  static constexpr bool ok = std::is_same_v<typename Tensor::mesh_type, Mesh>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::sharded_tensor: the tensor is on another mesh than the given one; name this mesh as the third argument, as in sharded_tensor<T, L, grid>, or write make<T, L>(m, extents)");
  }
};

// Memory for the elements of this rank's shard. For `keeps_zeros` see pool::allocate.
template <class MemorySpace>
std::shared_ptr<storage<MemorySpace>> memory_of_shard(shape const& extents, index_t elements, std::size_t element_bytes,
                                                      bool keeps_zeros = false) {
  try {
    return pool<MemorySpace>::allocate(static_cast<std::size_t>(elements) * element_bytes, keeps_zeros);
  } catch (out_of_memory const& e) {
    fail_memory("ashlar::make: the memory does not suffice", e, extents, elements, element_bytes);
  }
}

template <class... N>
mesh<basic_axis<N, run_time_size>...> mesh_of_names(name_list<N...>);

/// The block of memory that holds a tensor's shard.
template <class X>
auto const& block_of(X const& x) {
  return x.block();
}
/// Where the shard begins there, in elements. It is 0 for a tensor with a halo.
template <class X>
index_t offset_of(X const& x) {
  return x.offset();
}
/// The elements of the shard, or the stored cells. Kernels that write them make the memory ready before, by own_memory.
template <class X>
element_t<X>* cells_of(X const& x) {
  return static_cast<element_t<X>*>(block_of(x)->data) + offset_of(x);
}
/// Extents of the array that this rank stores: its shard, or its cells and their halo.
template <class X>
shape array_extents(X const& x) {
  if constexpr (layout_has_a_halo<layout_t<X>>::value)
    return x.stored_extents();
  else
    return x.local_extents();
}
// The type of a tensor whose extents may be in its type, without them.
template <class X>
using without_extents = sharded_tensor<element_t<X>, layout_t<X>, mesh_t<X>, typename X::execution_space>;
/// A tensor of the type and extents of x in a block.
template <class X>
X tensor_in(X const& x, typename X::storage_pointer block, index_t offset) {
  return X(without_extents<X>(x.mesh(), x.extents(), std::move(block), offset));
}
/// Another handle on the same memory, also if the program has a pointer to it: a copy of x would have memory of its own.
template <class X>
X same_memory(X const& x) {
  return tensor_in(x, block_of(x), offset_of(x));
}
template <class X>
X same_memory(real_ranks, X const& x) {
  return same_memory(x);
}
/// The block of x for a tensor that shares the cells with x until one of the two is written.
template <class X>
typename X::storage_pointer block_to_share(X const& x) {
  auto const& b = block_of(x);
  return b->held ? X::storage_pointer::element_type::borrow(b) : b;
}
/// A handle that many may copy at no cost: it shares the elements of x until x is written.
template <class X>
X lent(real_ranks, X const& x) {
  return tensor_in(x, block_to_share(x), offset_of(x));
}
/// Gives a handle that was lent elements of its own, if the program has a pointer to the others.
template <class X>
void keep_elements(real_ranks, X const& x) {
  block_of(x)->leave_program();
}
template <class X>
void copy_stored_cells(X const& from, X const& to);
/// A block with a copy of all elements, or of all stored cells. They begin at its begin.
template <class X>
typename X::storage_pointer copied_block(X const& x) {
  auto const& b = *block_of(x);
  if constexpr (layout_has_a_halo<layout_t<X>>::value)
    return b.copy(0, b.bytes);
  else
    return b.copy(static_cast<std::size_t>(offset_of(x)) * sizeof(element_t<X>),
                  static_cast<std::size_t>(x.local_size()) * sizeof(element_t<X>));
}
/// A copy of all elements, or of all stored cells.
template <class X>
X copy_of_stored(X const& x) {
  return tensor_in(x, copied_block(x), 0);
}
// True if the elements of x can be written where they are. Otherwise other handles would change with x. If the program has a
// pointer to the memory, only expressions and collectives have other handles, and keep what they read.
template <class X>
bool writes_in_place(X const& x) {
  return block_of(x).use_count() == 1 || block_of(x)->held;
}
/// Makes the memory of x ready for a write: what shares it keeps the elements.
template <class X>
void own_memory(real_ranks, X& x) {
  if (writes_in_place(x))
    block_of(x)->before_writing();
  else
    x = copy_of_stored(x);
}
/// The same if all elements of x are written. They are of no value before.
template <class X>
void own_new_memory(X& x) {
  if (writes_in_place(x))
    block_of(x)->before_writing();
  else
    x = X(without_extents<X>(x.mesh(), x.extents()));
}

// The memory of a temporary is gone before the pointer can be used.
template <class X>
inline constexpr bool is_temporary = true;
template <class X>
constexpr void refuse_temporary() {
  static_assert(
      !is_temporary<X>,
      "ashlar::view: the tensor is a temporary, and its memory goes with it; name it first, as in auto x = f(y)");
}
/// Writes the elements of y, or all stored cells, to the memory of x.
template <class X>
void write_over(X& x, X const& y) {
  ops_detail::require_meshes_of_one_size(x, y);
  if (!(x.extents() == y.extents()))
    plan_detail::fail_other_extents(
        "ashlar::sharded_tensor: a tensor that has adopted memory of the program keeps its extents", x.extents(),
        y.extents());
  block_of(x)->before_writing();
  if constexpr (layout_has_a_halo<layout_t<X>>::value)
    copy_stored_cells(y, x);
  else
    block_of(x)->copy_from(cells_of(y), static_cast<std::size_t>(offset_of(x)) * sizeof(element_t<X>),
                           static_cast<std::size_t>(x.local_size()) * sizeof(element_t<X>));
}

/// The mesh with just the axes that a layout names, with sizes given at run time.
template <class L>
using mesh_of_layout = decltype(mesh_of_names(typename layout_detail::names_of<L>::type{}));

}  // namespace tensor_detail

// A namespace of its own: calls with a tensor look for functions in the namespace of its base, too.
namespace tensor_base_detail {

/// What tensors with and without a halo have in common: a mesh, global extents, and a block of memory that others may share.
/// Base of sharded_tensor<T, Layout, Mesh, Space>.
template <class T, class Layout, class Mesh, class Space>
class tensor_in_memory {
  using tensor = sharded_tensor<T, Layout, Mesh, Space>;
  using owned = owned_layout_t<Layout>;
  using checked_element = plan_detail::checked_element_t<T>;
  using checked_axes = std::bool_constant<meta_detail::hold<tensor_detail::axes_in_mesh<Mesh, Layout>>()>;

 public:
  using element_type = T;
  using layout_type = Layout;
  using mesh_type = Mesh;
  using execution_space = Space;
  using memory_space = typename Space::memory_space;
  using storage_pointer = std::shared_ptr<tensor_detail::storage<memory_space>>;
  static constexpr int rank = Layout::rank;
  /// The layout of the owned elements as a value; axes are positions in the mesh.
  static constexpr layout_value layout = layout_detail::value_v<plan_detail::mesh_context<Mesh, owned>, owned>;

  /// An empty tensor, such as a member of a class before its value is known. Assign a tensor to it before other use.
  tensor_in_memory() = default;
  /// The elements of a block from an offset on.
  tensor_in_memory(device_mesh<Mesh> const& m, shape const& extents, storage_pointer block, index_t offset)
      : mesh_(m), extents_(extents), block_(std::move(block)), offset_(offset) {}
  tensor_in_memory(tensor_in_memory const& x)
      : mesh_(x.mesh_), extents_(x.extents_), block_(x.block_), offset_(x.offset_) {
    if (!block_ || !block_->held) return;
    block_ = tensor_detail::copied_block(x.self());
    offset_ = 0;
  }
  tensor_in_memory(tensor_in_memory&&) noexcept = default;
  /// Error: ashlar::error if this tensor has adopted memory, and x has other extents or a mesh of other sizes.
  tensor_in_memory& operator=(tensor_in_memory const& x) {
    if (this != &x && !written(x)) take(tensor_in_memory(x));
    return *this;
  }
  tensor_in_memory& operator=(tensor_in_memory&& x) {
    if (this != &x && !written(x)) take(std::move(x));
    return *this;
  }
  ~tensor_in_memory() = default;

  /// True until a tensor is assigned to one without a value. (A tensor of no elements is not empty.)
  bool empty() const { return block_ == nullptr; }
  /// Error: ashlar::error if the tensor is empty.
  device_mesh<Mesh> const& mesh() const {
    if (empty()) tensor_detail::fail_empty();
    return mesh_;
  }
  /// The global extents.
  shape const& extents() const { return extents_; }
  index_t extent(int d) const { return extents_[d]; }
  /// Global indices of the elements that this rank owns.
  region local_region() const { return ashlar::local_region(extents_, layout, mesh().sizes(), mesh().rank()); }

 protected:
  storage_pointer const& block() const {
    if (empty()) tensor_detail::fail_empty();
    return block_;
  }
  // The memory for a program that may write: the tensor's alone, and known to the program from now on.
  T* held_cells() {
    tensor_detail::own_memory(tensor_detail::real_ranks{}, self());
    block_->hold();
    return tensor_detail::cells_of(self());
  }

 private:
  template <class X>
  friend auto const& tensor_detail::block_of(X const&);
  template <class X>
  friend index_t tensor_detail::offset_of(X const&);
  index_t offset() const { return offset_; }
  tensor& self() { return static_cast<tensor&>(*this); }
  tensor const& self() const { return static_cast<tensor const&>(*this); }
  void take(tensor_in_memory&& x) {
    mesh_ = std::move(x.mesh_);
    extents_ = x.extents_;
    block_ = std::move(x.block_);
    offset_ = x.offset_;
  }
  // Writes the elements of x to adopted memory. False if this tensor has none, or x has no value.
  bool written(tensor_in_memory const& x) {
    if (!block_ || !block_->pinned || x.empty()) return false;
    if (block_ != x.block_) tensor_detail::write_over(self(), x.self());
    return true;
  }

  device_mesh<Mesh> mesh_;
  shape extents_;
  storage_pointer block_;
  index_t offset_ = 0;
};

}  // namespace tensor_base_detail

/// A tensor whose sharding over a mesh of ranks is part of its type. It has this rank's shard, the global extents and a
/// handle on the mesh. The shard is contiguous and row-major in the memory of Space.
/// A copy is a value: tensors share memory until one of them is written, and then it gets memory of its own. Memory to which
/// the program has a pointer, by adopt, view or data, is copied at once.
/// A tensor that has adopted memory keeps it: an assignment writes the elements there. A tensor made from it by a move takes
/// the memory over. Operations never write their operands; functions that update in place say so.
/// Tensors that share memory are used by one thread.
/// Shape: global extents(); local shape local_extents(), of global indices local_region().
/// Example: sharded_tensor<float, layout<"data", none>> is one on mesh<axis<"data">>
template <class T, class Layout, class Mesh = tensor_detail::mesh_of_layout<Layout>,
          class Space = Kokkos::DefaultExecutionSpace>
class sharded_tensor : public tensor_base_detail::tensor_in_memory<T, Layout, Mesh, Space> {
  using base = tensor_base_detail::tensor_in_memory<T, Layout, Mesh, Space>;

 public:
  using base::rank, base::layout, base::local_region;
  using typename base::memory_space;

  sharded_tensor() = default;
  using base::base;
  /// Memory for this rank's shard, uninitialised. make does the same, and compares the extents of the ranks.
  sharded_tensor(device_mesh<Mesh> const& m, shape const& extents) : sharded_tensor(m, extents, counted(m, extents)) {}
  /// The same if the number of elements of this rank's shard is already known.
  sharded_tensor(device_mesh<Mesh> const& m, shape const& extents, index_t elements)
      : base(m, extents, tensor_detail::memory_of_shard<memory_space>(extents, elements, sizeof(T)), 0) {}

  /// Does not compile: the mesh is part of the type.
  template <class M>
  sharded_tensor(device_mesh<M> const&, shape const&) {
    tensor_detail::mesh_of_tensor<sharded_tensor, M>::say();
  }
  /// Does not compile: a variable keeps its type.
  template <class U, class L, class M, class S>
  sharded_tensor(sharded_tensor<U, L, M, S> const&) {
    tensor_detail::assigned_type<sharded_tensor, sharded_tensor<U, L, M, S>>::say();
  }
  template <class X>
    requires(!std::is_same_v<typename X::tensor_type, sharded_tensor>)
  sharded_tensor(X const&) {
    tensor_detail::assigned_type<sharded_tensor, typename X::tensor_type>::say();
  }

  shape local_extents() const { return local_region().extents(); }
  index_t local_size() const { return local_extents().size(); }

  /// This rank's shard, contiguous and row-major, in the memory of Space, for reading.
  T const* data() const& { return tensor_detail::cells_of(*this); }
  /// The same for a program that may write. The tensor gets memory of its own first if others share it. From then on copies of
  /// the tensor are copied at once.
  T* data() & { return base::held_cells(); }
  using view_type = Kokkos::View<typename tensor_detail::pointer_to<T, rank>::type, Kokkos::LayoutRight, memory_space,
                                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using const_view_type = typename view_type::const_type;
  /// This rank's shard as a Kokkos view of const elements. Valid while the tensor lives, and until it is assigned or updated
  /// in place.
  const_view_type view() const& { return tensor_detail::view_of<const_view_type>(data(), local_extents()); }
  /// The same of elements that the program may write, as data(). Valid while the tensor lives, and until another tensor is
  /// assigned to it.
  view_type view() & { return tensor_detail::view_of<view_type>(data(), local_extents()); }
  /// Does not compile: the memory of a temporary goes with it.
  template <class X = sharded_tensor>
  T* data() && {
    tensor_detail::refuse_temporary<X>();
    return nullptr;
  }
  template <class X = sharded_tensor>
  view_type view() && {
    tensor_detail::refuse_temporary<X>();
    return {};
  }

 private:
  // The number of elements of this rank's shard, once the extents are known to be good.
  static index_t counted(device_mesh<Mesh> const& m, shape const& extents) {
    plan_detail::check_size<T>(extents);
    return ashlar::local_region(extents, layout, m.sizes(), m.rank()).size();
  }
};

namespace tensor_detail {

/// The tensor of an element type that a user names.
template <class T, class L, class M>
using tensor_on = sharded_tensor<typename storable<T>::type, L, M>;

template <class T, class L, class M>
tensor_on<T, L, M> allocate_on(real_ranks, device_mesh<M> const& m, shape const& extents) {
  return {m, extents};
}
template <class M>
void note_extents(real_ranks, device_mesh<M> const& m, shape const& extents, call_site const& w) {
  comm_detail::state_of(m).calls.note_tensor(extents, w);
}
template <class M>
void note_common_argument(real_ranks, device_mesh<M> const& m, shape const& extents,
                          plan_detail::common_argument const& a, call_site const& w) {
  if (a.name != nullptr) comm_detail::state_of(m).calls.note_tensor(extents, w, a);
}

}  // namespace tensor_detail

template <class T, class L, class M, class S>
inline constexpr bool ops_detail::in_reach_of_kernels<sharded_tensor<T, L, M, S>> =
    Kokkos::SpaceAccessibility<Kokkos::DefaultExecutionSpace, typename S::memory_space>::accessible;

namespace tensor_detail {

template <class T, class L, class M, class S>
stored_shard<T, S> stored(sharded_tensor<T, L, M, S> const& x) {
  return {block_of(x), offset_of(x)};
}

/// The same elements under another layout, or with other extents.
template <class L, class T, class L0, class M, class S>
sharded_tensor<T, L, M, S> share(sharded_tensor<T, L0, M, S> const& x, shape const& extents) {
  auto const part = stored(x).part(0, x.local_size());
  return {x.mesh(), extents, part.owner, part.offset};
}

// Views of one dimension have both orders. Cells with a halo may have strides in any order, as subviews do.
template <class View, class L, bool Reversed>
struct adopted_view {
  using order = typename View::array_layout;
  static constexpr bool row_major = Reversed || View::rank < 2 || std::is_same_v<order, Kokkos::LayoutRight> ||
                                    (layout_has_a_halo<L>::value && std::is_same_v<order, Kokkos::LayoutStride>),
                        column_major = !Reversed || View::rank < 2 || std::is_same_v<order, Kokkos::LayoutLeft> ||
                                       (layout_has_a_halo<L>::value && std::is_same_v<order, Kokkos::LayoutStride>),
                        variable = !std::is_const_v<typename View::value_type>,
                        rank = static_cast<int>(View::rank) == L::rank;
  static constexpr void say() {
    static_assert(
        row_major,
        "ashlar::adopt: shards are row-major; give a view of LayoutRight, or write adopt_reversed, whose dimensions are the view's from the last to the first");
    static_assert(column_major,
                  "ashlar::adopt_reversed: the view is not column-major; adopt takes one of LayoutRight as it is");
    static_assert(variable, "ashlar::adopt: the view is of const elements; copy them, or adopt a view of mutable ones");
    static_assert(rank, "ashlar::adopt: the view has another number of dimensions than the layout");
  }
};

// Memory of the user's as a block. It keeps `owner`, which may be nothing of use.
template <class MemorySpace, class Owner>
std::shared_ptr<storage<MemorySpace>> memory_of_user(Owner const& owner, void* data, std::size_t bytes) {
  using store = storage<MemorySpace>;
  return std::shared_ptr<store>(new store(data, bytes), [owner](store* s) { delete s, (void)owner; });
}

// A tensor in memory of the user's. `compare(array, block)` compares the memory with the extents of this rank's array.
template <class Tensor, class M, class Owner, std::size_t N, class F>
Tensor adopt_memory(device_mesh<M> const& m, Owner const& owner, element_t<Tensor>* data, std::size_t bytes,
                    index_t const (&n)[N], call_site const& w, F const& compare) {
  plan_detail::call_in_errors const call(w);
  comm::require_equal(m.communicator(), n, "ashlar::adopt: the extents", w);
  Tensor t(m, plan_detail::checked_extents<layout_t<Tensor>>(n),
           memory_of_user<typename Tensor::memory_space>(owner, data, bytes), 0);
  comm::collectively(
      m.communicator(),
      [&] {
        shape const array = array_extents(t);
        compare(array, *block_of(t));
        if (array.size() != 0) block_of(t)->pin();
      },
      "adopt", w);
  return t;
}

template <class L, bool Reversed, class M, class View, std::size_t N>
auto adopt_view(device_mesh<M> const& m, View const& view, index_t const (&n)[N], call_site const& w) {
  adopted_view<View, L, Reversed>::say();
  using T = typename View::non_const_value_type;
  constexpr bool halo = layout_has_a_halo<L>::value;
  return adopt_memory<sharded_tensor<T, L, M, typename View::execution_space>>(
      m, view, const_cast<T*>(view.data()), view.span() * sizeof(T), n, w, [&](shape const& array, auto& block) {
        shape expected = array, found = array;
        bool contiguous = true;
        std::shared_ptr<index_t[]> strides(new index_t[array_bound(L::rank)]);
        row_major_strides const row_major(array);
        for (int d = 0; d < L::rank; ++d) {
          int const of_view = Reversed ? L::rank - 1 - d : d;
          if (Reversed) expected[of_view] = array[d];
          found[of_view] = static_cast<index_t>(view.extent(static_cast<std::size_t>(of_view)));
          strides[d] = static_cast<index_t>(view.stride(of_view));
          contiguous = contiguous && (array[d] < 2 || strides[d] == row_major.stride[d]);
        }
        bool const both_empty = halo && found.size() == 0 && expected.size() == 0;
        if (!(found == expected) && !both_empty) {
          constexpr char const* rule =
              halo
                  ? (Reversed
                         ? "ashlar::adopt_reversed: the view has the extents of this rank's cells and their halo, in reversed order"
                         : "ashlar::adopt: the view has the extents of this rank's cells and their halo")
                  : (Reversed
                         ? "ashlar::adopt_reversed: the view has the extents of this rank's shard, in reversed order"
                         : "ashlar::adopt: the view has the extents of this rank's shard");
          plan_detail::fail_other_extents(rule, expected, found);
        }
        if (contiguous || array.size() == 0) return;
        if (!halo) plan_detail::fail_rule("ashlar::adopt: the view is contiguous; copy a strided one first");
        if (has_halo_sums<L>)
          plan_detail::fail_rule("ashlar::adopt: a halo of sums is contiguous; copy the view, or adopt it as H");
        block.strides = std::move(strides);
      });
}

}  // namespace tensor_detail

/// Makes a tensor whose shard is a view of the user's, without a copy. The tensor keeps the view alive. With a halo the view is
/// of all cells that this rank stores, or of none if it owns none.
/// Pre: row-major (LayoutRight) and contiguous. With a halo Kokkos may have padded it, or it is strided, as a subview is.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: two all-reduces of at most 144 bytes, and no copy. Other ranks cannot read such memory, so exchanges send messages.
/// Error: ashlar::error on every rank if the extents differ between ranks; if some rank's view has other extents than this
///   rank's array, or is not contiguous, though L has no halo or is halo_sums<H>.
/// Example: auto x = adopt<layout<"x", none>>(m, view, {10, 3});  // x(i, j) is view(i - first row of this rank, j)
/// Example: auto u = adopt<layout<halo("y", 1), halo("x", 1)>>(m, view, {n, n}); update_halo(u);
template <class L, class M, class View, std::size_t N>
auto adopt(device_mesh<M> const& m, View const& view, index_t const (&n)[N], call_site w = call_site::current()) {
  return tensor_detail::adopt_view<L, false>(m, view, n, w);
}
/// The same for the elements at an address, in memory that kernels of the default execution space read and write.
/// Pre: this rank's array, row-major. It stays there as long as the tensor or a copy of it lives.
/// Collective: every rank of the mesh calls it; it blocks.
/// Error: ashlar::error on every rank if the extents differ between ranks, or if some rank gives no address for an array
///   that has elements.
/// Example: std::vector<double> mine(rows_of_this_rank * 3); auto x = adopt<layout<"x", none>>(m, mine.data(), {10, 3});
template <class L, class M, class T, std::size_t N>
auto adopt(device_mesh<M> const& m, T* data, index_t const (&n)[N], call_site w = call_site::current()) {
  static_assert(!std::is_const_v<T>,
                "ashlar::adopt: the address is of const elements; copy them, or adopt elements that may be written");
  using Element = std::remove_const_t<T>;  // so that the sentence is the only error
  return tensor_detail::adopt_memory<tensor_detail::tensor_on<Element, L, M>>(
      m, data, const_cast<Element*>(data), 0, n, w, [&](shape const& array, auto& block) {
        if (data == nullptr && array.size() != 0)
          plan_detail::fail_rule(
              "ashlar::adopt: the address is of this rank's shard; found null for a shard that has elements");
        block.bytes = static_cast<std::size_t>(array.size()) * sizeof(T);
      });
}
/// Makes a tensor of a column-major view (LayoutLeft), without a copy. The view is row-major with its dimensions in reverse order. Layout and
/// extents describe the tensor, whose dimension 0 is the last dimension of the view.
/// Collective, Cost, Error: as adopt.
/// Example: auto x = adopt_reversed<layout<none, "x">>(m, view, {3, 10});  // x(j, i) is view(i - first row of this rank, j)
template <class L, class M, class View, std::size_t N>
auto adopt_reversed(device_mesh<M> const& m, View const& view, index_t const (&n)[N],
                    call_site w = call_site::current()) {
  return tensor_detail::adopt_view<L, true>(m, view, n, w);
}

namespace tensor_detail {

template <class T, int Rank, class F>
struct generate_kernel {
  T* data;
  shape local;
  index_set held[array_bound(Rank ? Rank : 1)];
  F f;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t at[array_bound(Rank ? Rank : 1)]{};
    index_t rest = i;
    for (int d = Rank - 1; d >= 0; --d) {
      at[d] = held[d][rest % local.extent[d]];
      rest /= local.extent[d];
    }
    data[i] = call(at, std::make_integer_sequence<int, Rank>{});
  }
  template <int... D>
  KOKKOS_FUNCTION T call(index_t const* at, std::integer_sequence<int, D...>) const {
    return static_cast<T>(f(at[D]...));
  }
};

// nvcc does not expand an alias that leaves its argument out.
template <int>
struct index_of_dimension {
  using type = index_t;
};
template <class F, class Dims>
inline constexpr bool takes_indices = false;
template <class F, int... D>
inline constexpr bool takes_indices<F, std::integer_sequence<int, D...>> =
    std::is_invocable_v<F const&, typename index_of_dimension<D>::type...>;

// Another number of extents has a sentence of its own.
template <class L, std::size_t N, class F>
struct generate_indices {
  static constexpr bool ok = takes_indices<F, std::make_integer_sequence<int, L::rank>>;
  static constexpr void say() {
    static_assert(ok || L::rank != N,
                  "ashlar::generate: the function takes one index_t per dimension; write f(i, j) for a matrix");
  }
};
template <class T, class L, class F>
struct generate_numbers {
  template <int... D>
  static constexpr bool are_elements(std::integer_sequence<int, D...>) {
    using R = std::remove_cvref_t<std::invoke_result_t<F const&, typename index_of_dimension<D>::type...>>;
    return !ops_detail::floating_number_among_integers<T, R> && !ops_detail::complex_number_among_reals<T, R>;
  }
  static constexpr bool ok = are_elements(std::make_integer_sequence<int, L::rank>{});
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::generate: the function gives floating numbers and the elements are integers or bool, or complex numbers and they are real; make a tensor of the function's type, or convert in the function");
  }
};

template <class T>
struct progression {
  T first, step;
  KOKKOS_FUNCTION T operator()(index_t i) const { return static_cast<T>(first + static_cast<T>(i) * step); }
};

template <class T, int Rank, class Space, class F>
void generate_shard(Space const& space, T* data, region const& part, F const& f) {
  generate_kernel<T, Rank, F> k{data, part.extents(), {}, f};
  for (int d = 0; d < Rank; ++d) k.held[d] = part.dim[d];
  for_elements("ashlar::generate", space, part.size(), k);
}
template <class Y>
void fill_counting(real_ranks, Y& y, element_t<Y> first, element_t<Y> step) {
  using T = element_t<Y>;
  generate_shard<T, 1>(typename Y::execution_space{}, cells_of(y), y.local_region(), progression<T>{first, step});
}

}  // namespace tensor_detail

/// Makes a tensor whose element at global index (i...) is f(i...). A kernel in the tensor's space calls f.
/// Collective: no communication.
/// Cost: one kernel.
/// Error: a partial layout does not compile: each rank's term would be the whole value. A function that takes another number of indices
/// does not compile, nor does a function that gives floating numbers for integers or bool.
/// Example: generate<double, layout<"data", none>>(m, {6, 4}, KOKKOS_LAMBDA(index_t i, index_t j) { return 10. * i + j; })
template <class T, class L, class M, std::size_t N, class F>
auto generate(device_mesh<M> const& m, index_t const (&n)[N], F const& f, call_site w = call_site::current()) {
  static_assert(
      !plan_detail::layout_is_partial<L>::value,
      "ashlar::generate: the layout is partial, and each rank would hold the whole value; generate the layout without it, then write as_partial<axis>");
  using Tensor = tensor_detail::tensor_on<T, L, M>;
  plan_detail::call_in_errors const call(w);
  shape const extents = plan_detail::checked_extents<L>(n);
  // Other branches of the program may make other values.
  bool const whole = Tensor::layout.sharding() == 0;
  comm_detail::state_of(m).calls.note_tensor(
      extents, w, whole ? plan_detail::argument("line", w.line()) : plan_detail::common_argument{});
  Tensor t(m, extents);
  if constexpr (meta_detail::hold<tensor_detail::generate_indices<L, N, F>,
                                  tensor_detail::generate_numbers<typename Tensor::element_type, L, F>>())
    tensor_detail::generate_shard<typename Tensor::element_type, Tensor::rank>(
        typename Tensor::execution_space{}, tensor_detail::cells_of(t), t.local_region(), f);
  return t;
}

}  // namespace ashlar
