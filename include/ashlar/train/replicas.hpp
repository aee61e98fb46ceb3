// SPDX-License-Identifier: BSL-1.0
// Replicas of tensors: ranks that hold the same shard hold the same bits.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ashlar/comm/agree.hpp"
#include "ashlar/io/crc32c.hpp"
#include "ashlar/tensor/tensor.hpp"

namespace ashlar::training {

/// Compares checksums of each tensor of a tree over the ranks that hold the same shard of it.
/// Collective: all ranks of m; blocks. Cost: every rank reads its shards once; one small collective per tensor.
/// Error: ashlar::error on every rank if some replicas differ.
/// Example: require_equal_replicas(m, parameters);
template <class M, class P>
void require_equal_replicas(device_mesh<M> const& m, P const& p) {
  std::optional<std::string> failure;  // of one group; its ranks go on to the next tensor with all others
  for_each_leaf(
      [&](auto const& x) {
        auto const host = tensor_detail::on_host<typename std::remove_cvref_t<decltype(x)>::execution_space>(
            x.data(), x.local_size());
        std::vector<index_t> const sum{
            static_cast<index_t>(io::crc32c(0, host.data(), host.size() * sizeof(*host.data())))};
        try {
          comm::require_equal(m.communicator(~x.layout.sharding()), sum,
                              "ashlar::training::require_equal_replicas: the checksums of the parameters");
        } catch (error const& e) {
          if (!failure) failure = e.what();
        }
      },
      p);
  comm::collectively(m.communicator(), [&] {
    if (failure) throw error(*failure);
  });
}

}  // namespace ashlar::training
