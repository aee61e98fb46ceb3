// The elements of a shard by their global indices.
#pragma once
#include <ashlar/tensor/backend.hpp>
#include <ashlar/tensor/sharded_tensor.hpp>

namespace bench {

/// Calls f(element, i, j) for the elements of a matrix's shard.
template <class X, class F>
void for_each_element(X&& x, F f) {
  ashlar::region const held = x.local_region();
  auto* at = x.data();
  for (ashlar::index_t i = 0; i < held.dim[0].size(); ++i)
    for (ashlar::index_t j = 0; j < held.dim[1].size(); ++j) f(*at++, held.dim[0][i], held.dim[1][j]);
}

}  // namespace bench
