// From images in memory to tensors of a batch.
#pragma once
#include "ashlar/data/batch_rows.hpp"
#include "ashlar/data/batches.hpp"
#include "ashlar/data/open.hpp"

namespace ashlar {

/// Images and labels that rank 0 reads, or makes, by `read()`, on every rank.
/// Collective: all ranks of c. Error: what read() throws is thrown on every rank.
/// Example: digit_data const data = load(m.communicator(), [&] { return read_mnist(directory); });
template <class Read>
digit_data load(communicator const& c, Read read) {
  digit_data data;
  comm::on_root(c, [&] { data = read(); });
  for (idx_array* a : {&data.train_images, &data.train_labels, &data.test_images, &data.test_labels}) comm_detail::broadcast_array(c, *a);
  return data;
}

/// One batch of an array in memory as a tensor: row i is example `examples(begin, end)[i - begin]` of the array, each byte by
/// `factor`. Each rank fills the rows of its shard alone. batch_stream feeds several arrays, from files too, and ahead.
/// Shape: (n, extents of an example...), (n, elements of an example), or (n) where an example is one byte.
/// Cost: no communication; a copy to the device where the shard lies there.
/// Error: ashlar::error where the batches hold more examples than the array, or L has another number of dimensions. A
/// layout in which the tensor is partial does not compile.
/// Example: feed<float, layout<"data", none>>(m, data.train_images, batches, i, 1.f / 255)
template <class T, class L, class M>
auto feed(device_mesh<M> const& m, idx_array const& from, shuffled_batches const& batches, index_t batch, T factor) {
  data_detail::check_batch_layout<L>();
  array_source const source = array_source::borrow(from);
  index_t const last = batches.count() - 1, rows = batches.size(batch);
  if (last * batches.size(0) + batches.size(last) > source.examples())
    meta_detail::fail("ashlar::feed: the batches hold more examples than the array; make them for as many");
  sharded_tensor<T, L, M> x(m, data_detail::batch_extents(source, rows, L::rank));
  region const held = x.local_region();
  auto const examples = batches.examples(batch, 0, rows);
  tensor_detail::fill_from_host(x, [&](T* out) {
    data_detail::fill_rows(source, held.dim[0], rows, [&](index_t i) { return examples[static_cast<std::size_t>(i)]; },
                      data_detail::example_runs(held, x.extents()), batch_field<T, L>{factor}, out);
  });
  return x;
}

}  // namespace ashlar
