// Checks the collectives that move or reduce whole shards of one axis against the values that the tensors denote.
#pragma once
#include "ashlar/ops/collectives.hpp"
#include "ashlar/tensor/backend.hpp"
#include "dense.hpp"
#include <doctest/doctest.h>

namespace ashlar::test {

/// Checks all_gather and all_to_all of n x 7 elements, sharded by rows. Checks all_reduce and reduce_scatter of n x 7
/// elements that are partial.
/// Pre: the mesh has only the axis "x". Collective.
template <class M>
void check_four_collectives(device_mesh<M> const& m, index_t n) {
  auto const x = tensor_of<double, layout<"x", none>>(m, shape::of(n, 7), small_number);
  auto const value = denoted<double>(x.extents(), x.layout, m.sizes(), small_number);
  CHECK(denotes(all_gather<"x">(x), value));
  CHECK(denotes(all_to_all<"x", 1>(x), value));
  auto const s = tensor_of<double, partial<layout<none, none>, "x">>(m, shape::of(n, 7), small_number);
  auto const sum = denoted<double>(s.extents(), s.layout, m.sizes(), small_number);
  CHECK(denotes(all_reduce<"x">(s), sum));
  CHECK(denotes(reduce_scatter<"x", 1>(s), sum));
}

}  // namespace ashlar::test
