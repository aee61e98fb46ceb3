// A copy of an array with zeros in a box.
#pragma once
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/concatenate.hpp"

namespace ashlar::kernels_detail {

template <class T>
struct clear_box_kernel {
  T const* in;
  T* out;
  shape extents;
  shape begin, end;  // of the box, in the shard

  KOKKOS_FUNCTION void operator()(index_t i) const {
    bool inside = true;
    index_t rest = i;
    for (int d = extents.rank - 1; d >= 0; --d) {
      index_t const at = rest % extents[d];
      rest /= extents[d];
      inside = inside && begin[d] <= at && at < end[d];
    }
    out[i] = inside ? T(0) : in[i];
  }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <class S, class T>
void run(ops_detail::clear_box_op const& op, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x) {
  kernels_detail::clear_box_kernel<T> k{x.data, y.data, x.local_extents(), op.begin, op.begin};
  for (int d = 0; d < x.owned.rank; ++d) {
    k.begin[d] = x.owned.dim[d].below(op.begin[d]);
    k.end[d] = x.owned.dim[d].below(op.begin[d] + op.box[d]);
  }
  kernels_detail::for_each_index("ashlar::paste", space, y.local_size(), 4, k);
}

}  // namespace ashlar::kernels
