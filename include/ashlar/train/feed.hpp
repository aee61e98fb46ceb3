// From images in memory to tensors of a batch.
#pragma once
#include "ashlar/train/batch_rows.hpp"
#include "ashlar/train/batches.hpp"
#include "ashlar/train/open.hpp"

namespace ashlar {

/// Images and labels that rank 0 reads, or makes, by `read()`, on every rank.
/// Collective: all ranks of c. Error: what read() throws is thrown on every rank.
/// Example: digit_data const data = load(m.communicator(), [&] { return read_mnist(directory); });
template <class Read>
digit_data load(communicator const& c, Read read) {
  digit_data data;
  comm::on_root(c, [&] { data = read(); });
  for (idx_array* a : {&data.train_images, &data.train_labels, &data.test_images, &data.test_labels}) detail::broadcast_array(c, *a);
  return data;
}

/// One batch of an array in memory as a tensor: row i is example `examples(begin, end)[i - begin]` of the array, each byte by
/// `factor`. Each rank fills the rows of its shard alone. batch_stream feeds several arrays, from files too, and ahead.
/// Shape: (n, extents of an example...), (n, elements of an example), or (n) where an example is one byte.
/// Cost: no communication; a copy to the device where the shard lies there.
/// Error: ashlar::error where the batches hold more examples than the array, or L has another number of dimensions. A
/// layout in which a reduction pends does not compile.
/// Example: feed<float, layout<"data", none>>(m, data.train_images, batches, i, 1.f / 255)
template <class T, class L, class M>
auto feed(device_mesh<M> const& m, idx_array const& from, shuffled_batches const& batches, index_t batch, T factor) {
  detail::check_batch_layout<L>();
  array_source const source = array_source::borrow(from);
  index_t const last = batches.count() - 1, rows = batches.size(batch);
  if (last * batches.size(0) + batches.size(last) > source.examples())
    detail::fail("ashlar::feed: the batches hold more examples than the array; make them for as many");
  sharded_tensor<T, L, M> x(m, detail::batch_extents(source, rows, L::rank));
  region const held = x.local_region();
  auto const examples = batches.examples(batch, 0, rows);
  detail::fill_from_host(x, [&](T* out) {
    detail::fill_rows(source, held.dim[0], rows, [&](index_t i) { return examples[static_cast<std::size_t>(i)]; },
                      detail::example_runs(held, x.extents()), batch_field<T, L>{factor}, out);
  });
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
