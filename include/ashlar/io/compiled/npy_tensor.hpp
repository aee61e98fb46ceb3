// The functions of io/npy_tensor.hpp.
#pragma once
#include "ashlar/io/npy_tensor.hpp"

namespace ashlar {

ASHLAR_INLINE npy_array load_npy(communicator const& c, std::string const& path) {
  npy_array a;
  comm::on_root(c, [&] { a = read_npy(path); });
  index_t kind = static_cast<index_t>(a.kind);
  comm::broadcast(c, &kind, 1, 0);
  a.kind = static_cast<npy_kind>(kind);
  comm_detail::broadcast_array(c, a);
  return a;
}

}  // namespace ashlar
