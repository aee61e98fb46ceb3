// SPDX-License-Identifier: BSL-1.0
// Makes tensors of a batch from arrays in memory.
#pragma once
#include "ashlar/data/batch_rows.hpp"
#include "ashlar/data/batches.hpp"
#include "ashlar/data/open.hpp"

namespace ashlar {

/// Calls `read()` on rank 0 and returns its images and labels on every rank.
/// Collective: all ranks of c. Error: what read() throws, on every rank.
/// Example: digit_data const data = read_on_root(m.communicator(), [&] { return read_mnist(directory); });
template <class Read>
digit_data read_on_root(communicator const& c, Read read) {
  digit_data data;
  comm::on_root(c, [&] { data = read(); });
  for (idx_array* a : {&data.train_images, &data.train_labels, &data.test_images, &data.test_labels})
    comm_detail::broadcast_array(c, *a);
  return data;
}

/// Makes a tensor of one batch of an array in memory. Row i is example `batches.examples(batch, 0, n)[i]` of the array,
/// each byte times `factor`. Each rank fills only its shard. batch_stream takes several arrays, also from files, and
/// reads ahead.
/// Shape: (n, extents of an example...), (n, elements of an example), or (n) if an example is one byte.
/// Cost: no communication; a copy to the device if the shard is there.
/// Error: ashlar::error if the batches hold more examples than the array, or L has another number of dimensions. A
/// partial layout does not compile.
/// Example: feed<float, layout<"data", none>>(m, data.train_images, batches, i, 1.f / 255)
template <class T, class L, class M>
auto feed(device_mesh<M> const& m, idx_array const& from, shuffled_batches const& batches, index_t batch,
          ops_detail::number_for<T, true> factor) {
  data_detail::check_batch_layout<L>();
  array_source const source = array_source::borrow(from);
  index_t const last = batches.count() - 1, rows = batches.size(batch);
  if (last * batches.size(0) + batches.size(last) > source.examples())
    meta_detail::fail("ashlar::feed: the batches hold more examples than the array; make them for as many");
  sharded_tensor<T, L, M> x(m, data_detail::batch_extents(source, rows, L::rank));
  region const held = x.local_region();
  auto const examples = batches.examples(batch, 0, rows);
  tensor_detail::fill_from_host(x, [&](T* out) {
    data_detail::fill_rows(
        source, held.dim[0], rows, [&](index_t i) { return examples[static_cast<std::size_t>(i)]; },
        data_detail::example_runs(held, x.extents()), batch_field<T, L>{factor.element()}, out);
  });
  return x;
}

/// The images of a batch and their labels, as feed makes them: a std::pair of tensors with the layouts X and Y.
/// Example: auto [x, y] = feed_labelled<float, layout<"data", none>, layout<"data">>(m, images, labels, batches, i, 1.f);
template <class T, class X, class Y, class M>
auto feed_labelled(device_mesh<M> const& m, idx_array const& images, idx_array const& labels,
                   shuffled_batches const& batches, index_t batch, ops_detail::number_for<T, true> factor) {
  return std::pair(feed<T, X>(m, images, batches, batch, factor),
                   feed<std::int32_t, Y>(m, labels, batches, batch, std::int32_t(1)));
}

/// The training images of a batch and their labels, as feed_labelled makes them.
/// Example: auto [x, y] = feed_training<float, layout<"data", none>, layout<"data">>(m, data, batches, i, 1.f / 255);
template <class T, class X, class Y, class M>
auto feed_training(device_mesh<M> const& m, digit_data const& data, shuffled_batches const& batches, index_t batch,
                   ops_detail::number_for<T, true> factor) {
  return feed_labelled<T, X, Y>(m, data.train_images, data.train_labels, batches, batch, factor);
}

}  // namespace ashlar
