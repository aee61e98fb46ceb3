// Digits that one rank reads, on every rank.
#pragma once
#include <ashlar/comm/agree.hpp>
#include <ashlar/comm/collectives/all_gather.hpp>
#include <ashlar/io/idx.hpp>

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

}  // namespace examples
