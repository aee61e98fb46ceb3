// SPDX-License-Identifier: BSL-1.0
// Arrays of .npy files as tensors.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/comm/agree.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/io/npy.hpp"

namespace ashlar::io {

/// Makes a tensor of the array's elements; each rank copies its shard.
/// Shape: the array's extents.
/// Pre: every rank has the same array.
/// Cost: no communication.
/// Error: ashlar::error if the array has another element type or another number of dimensions. A partial layout does
/// not compile, nor an element type that npy_kind lacks.
/// Example: io::npy_tensor<double, layout<"data", none>>(m, io::read_npy("x.npy"))
template <class T, class L, class M>
sharded_tensor<T, L, M> npy_tensor(device_mesh<M> const& m, npy_array const& from, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  static_assert(
      !plan_detail::layout_is_partial<L>::value,
      "ashlar::io::npy_tensor: the layout is partial, and each rank would hold the whole value; take the layout without it");
  constexpr npy_kind kind = io_detail::npy_kind_of<T>();
  if (from.kind != kind)
    throw error(comm_detail::with_call(
        "ashlar::io::npy_tensor: expected elements of type " + std::string(io_detail::name_of(kind).descr) +
        ", found " + std::string(io_detail::name_of(from.kind).descr) + "; make a tensor of that type and cast it"));
  if (static_cast<int>(from.extents.size()) != L::rank)
    throw error(comm_detail::with_call("ashlar::io::npy_tensor: expected " + std::to_string(L::rank) +
                                       " dimensions, as the layout has, found " +
                                       io_detail::extents_text(from.extents)));
  shape extents;
  for (index_t const n : from.extents) extents[extents.rank++] = n;
  sharded_tensor<T, L, M> x(m, extents);
  tensor_detail::fill_from_whole(x, reinterpret_cast<T const*>(from.bytes.data()));
  return x;
}

}  // namespace ashlar::io
