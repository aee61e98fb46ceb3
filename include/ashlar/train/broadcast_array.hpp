// Arrays of files on all ranks.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/comm/broadcast.hpp"

namespace ashlar::detail {

/// Extents and bytes of an array, which rank 0 has, on every rank.
/// Collective: all ranks of c. Error: ashlar::error on every rank where one has no room.
template <class Array>
void broadcast_array(communicator const& c, Array& a) {
  index_t sizes[2]{static_cast<index_t>(a.extents.size()), static_cast<index_t>(a.bytes.size())};
  comm::broadcast(c, sizes, 2, 0);
  comm::collectively(c, [&] {
    a.extents.resize(static_cast<std::size_t>(sizes[0]));
    a.bytes.resize(static_cast<std::size_t>(sizes[1]));
  });
  comm::broadcast(c, a.extents.data(), a.extents.size(), 0);
  comm::broadcast(c, a.bytes.data(), a.bytes.size(), 0);
}

}  // namespace ashlar::detail
