// Tensors of a batch from arrays in the memory of every rank, of any batch at any time. A program that takes one batch
// after the other is served by batch_stream, which also reads files and reads ahead.
#pragma once
#include <ashlar/data/batches.hpp>
#include <ashlar/io/idx.hpp>
#include <ashlar/tensor/tensor.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace examples {

using namespace ashlar;

/// Calls `read()` on rank 0 and returns its images and labels on every rank.
/// Collective: all ranks of c. Error: what read() throws, on every rank.
/// Example: digit_data const data = read_on_root(m.communicator(), [&] { return read_mnist(directory); });
template <class Read>
io::digit_data read_on_root(communicator const& c, Read read) {
  io::digit_data data;
  comm::on_root(c, [&] { data = read(); });
  auto const broadcast = [&](auto& numbers) {
    auto n = static_cast<index_t>(numbers.size());
    comm::broadcast(c, &n, 1, 0);
    numbers.resize(static_cast<std::size_t>(n));
    comm::broadcast(c, numbers.data(), numbers.size(), 0);
  };
  for (io::idx_array* a : {&data.train_images, &data.train_labels, &data.test_images, &data.test_labels}) {
    broadcast(a->extents);
    broadcast(a->bytes);
  }
  return data;
}

/// Makes a tensor of one batch of an array in memory. Row i is example `batches.examples(batch, 0, n)[i]` of the array,
/// each byte times `factor`.
/// Shape: (n, elements of an example), or (n) if an example is one byte. L has as many dimensions.
/// Collective, Cost: as pack.
/// Example: feed<float, layout<"data", none>>(m, data.train_images, batches, i, 1.f / 255)
template <class T, class L, class M>
auto feed(device_mesh<M> const& m, io::idx_array const& from, datasets::shuffled_batches const& batches, index_t batch,
          T factor) {
  index_t const rows = batches.size(batch), columns = static_cast<index_t>(from.bytes.size()) / from.extents[0];
  auto const examples = batches.examples(batch, 0, rows);
  auto const shard = [&](index_set const& own_rows, index_set const& own_columns) {
    std::vector<T> elements;
    for (index_t i = 0; i < own_rows.size(); ++i)
      for (index_t j = 0; j < own_columns.size(); ++j) {
        index_t const at = examples[static_cast<std::size_t>(own_rows[i])] * columns + own_columns[j];
        elements.push_back(static_cast<T>(static_cast<T>(from.bytes[static_cast<std::size_t>(at)]) * factor));
      }
    return elements;
  };
  if constexpr (L::rank == 1) {
    return pack<L>(m, {rows}, shard(local_region<L>(m, {rows}).dim[0], {0, 1}));
  } else {
    region const own = local_region<L>(m, {rows, columns});
    return pack<L>(m, {rows, columns}, shard(own.dim[0], own.dim[1]));
  }
}

/// The images of a batch and their labels, as feed makes them: a std::pair of tensors with the layouts X and Y.
/// Example: auto [x, y] = feed_labelled<float, layout<"data", none>, layout<"data">>(m, images, labels, batches, i, 1.f);
template <class T, class X, class Y, class M>
auto feed_labelled(device_mesh<M> const& m, io::idx_array const& images, io::idx_array const& labels,
                   datasets::shuffled_batches const& batches, index_t batch, T factor) {
  return std::pair(feed<T, X>(m, images, batches, batch, factor),
                   feed<std::int32_t, Y>(m, labels, batches, batch, std::int32_t(1)));
}

}  // namespace examples
