// From images in memory to tensors of a batch.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include "ashlar/train/batches.hpp"
#include "ashlar/train/idx.hpp"

namespace ashlar {

namespace detail {
inline void broadcast(communicator const& c, idx_array& a) {
  index_t rank = static_cast<index_t>(a.extents.size());
  comm::broadcast(c, &rank, 1, 0);
  a.extents.resize(static_cast<std::size_t>(rank));
  comm::broadcast(c, a.extents.data(), a.extents.size(), 0);
  index_t bytes = static_cast<index_t>(a.bytes.size());
  comm::broadcast(c, &bytes, 1, 0);
  comm::collectively(c, [&] { a.bytes.resize(static_cast<std::size_t>(bytes)); });
  comm::broadcast(c, a.bytes.data(), a.bytes.size(), 0);
}

template <class L>
struct batch_has_one_or_two_dimensions {
  static constexpr bool value = L::rank == 1 || L::rank == 2;
};
}  // namespace detail

/// Images and labels that rank 0 reads, or makes, by `read()`, on every rank.
/// Collective: all ranks of c. Error: what read() throws is thrown on every rank.
/// Example: digit_data const data = load(m.communicator(), [&] { return read_mnist(directory); });
template <class Read>
digit_data load(communicator const& c, Read read) {
  digit_data data;
  comm::on_root(c, [&] { data = read(); });
  for (idx_array* a : {&data.train_images, &data.train_labels, &data.test_images, &data.test_labels}) detail::broadcast(c, *a);
  return data;
}

/// One batch as a tensor: row i is example `examples(begin, end)[i - begin]` of the array, each byte by `factor`. Each rank
/// fills the rows of its shard alone.
/// Shape: (n, elements of an example), or (n) where an example is one byte.
/// Cost: no communication; a copy to the device where the shard lies there.
/// Error: ashlar::error where the batches hold more examples than the array, or L has one dimension and examples several
/// bytes. A layout of other ranks, or in which a reduction pends, does not compile.
/// Example: feed<float, layout<"data", none>>(m, data.train_images, batches, i, 1.f / 255)
template <class T, class L, class M>
auto feed(device_mesh<M> const& m, idx_array const& from, shuffled_batches const& batches, index_t batch, T factor) {
  static_assert(detail::batch_has_one_or_two_dimensions<L>::value,
                "ashlar::feed: a batch has a dimension of examples and one of their elements, or the first alone");
  static_assert(!detail::reduction_pends<L>::value,
                "ashlar::feed: a reduction pends in the layout, and each rank would hold the whole batch; feed the layout without it");
  index_t size = 1;
  for (std::size_t d = 1; d < from.extents.size(); ++d) size *= from.extents[d];
  if (L::rank == 1 && size != 1) detail::fail("ashlar::feed: an example has several bytes; give the layout a second dimension for them");
  index_t const last = batches.count() - 1;
  if (from.extents.empty() || last * batches.size(0) + batches.size(last) > from.extents[0])
    detail::fail("ashlar::feed: the batches hold more examples than the array; make them for as many");
  shape extents = shape::of(batches.size(batch), size);
  extents.rank = L::rank;
  if (L::rank == 1) extents.extent[1] = 0;
  sharded_tensor<T, L, M> x(m, extents);
  region const part = x.local_region();
  auto const host = Kokkos::create_mirror_view(Kokkos::View<T*, typename decltype(x)::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      x.data(), static_cast<std::size_t>(x.local_size())));
  T* out = host.data();
  index_set const rows = part.dim[0], columns = L::rank == 2 ? part.dim[1] : index_set{0, 1};
  std::span<index_t const> const examples = batches.examples(batch, 0, batches.size(batch));
  for (index_t i = 0; i < rows.size(); ++i) {
    std::uint8_t const* const row = from.bytes.data() + examples[static_cast<std::size_t>(rows[i])] * size;
    for (index_t j = 0; j < columns.size(); ++j) *out++ = static_cast<T>(static_cast<T>(row[columns[j]]) * factor);
  }
  if (host.data() != x.data())
    Kokkos::deep_copy(Kokkos::View<T*, typename decltype(x)::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                          x.data(), static_cast<std::size_t>(x.local_size())), host);
  return x;
}

/// A rank-0 tensor's number, on the host.
/// Error: a layout in which a reduction pends does not compile.
template <class X>
auto item(X const& x) {
  static_assert(rank_v<X> == 0, "ashlar::item: the tensor has dimensions; reduce it to a scalar, or gather it");
  static_assert(!detail::reduction_pends<layout_t<X>>::value, "ashlar::item: a reduction pends over the scalar; all_reduce it first");
  auto const& t = materialize(x);
  element_t<X> value;
  Kokkos::deep_copy(Kokkos::View<element_t<X>, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&value), t.view());
  return value;
}

}  // namespace ashlar
