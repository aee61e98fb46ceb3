// Arrays of .npy files as tensors.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/tensor/gather.hpp"
#include "ashlar/train/npy.hpp"

namespace ashlar {

namespace detail {

inline void broadcast(communicator const& c, npy_array& a) {
  index_t head[3]{static_cast<index_t>(a.extents.size()), static_cast<index_t>(a.kind), static_cast<index_t>(a.bytes.size())};
  comm::broadcast(c, head, 3, 0);
  a.kind = static_cast<npy_kind>(head[1]);
  a.extents.resize(static_cast<std::size_t>(head[0]));
  comm::broadcast(c, a.extents.data(), a.extents.size(), 0);
  comm::collectively(c, [&] { a.bytes.resize(static_cast<std::size_t>(head[2])); });
  comm::broadcast(c, a.bytes.data(), a.bytes.size(), 0);
}

}  // namespace detail

/// The array of a .npy file on every rank. Rank 0 reads.
/// Collective: all ranks of c. Error: what read_npy throws, on every rank.
inline npy_array load_npy(communicator const& c, std::filesystem::path const& path) {
  npy_array a;
  comm::on_root(c, [&] { a = read_npy(path); });
  detail::broadcast(c, a);
  return a;
}

/// A tensor of the array's elements; each rank copies its part.
/// Pre: every rank has the same array
/// Shape: the array's extents
/// Cost: no communication. Error: ashlar::error where the array has elements of another type, or another number of
/// dimensions. A layout in which a reduction pends, and an element type that no file has, do not compile.
/// Example: npy_tensor<double, layout<"data", none>>(m, load_npy(m.communicator(), "x.npy"))
template <class T, class L, class M>
sharded_tensor<T, L, M> npy_tensor(device_mesh<M> const& m, npy_array const& from) {
  static_assert(!detail::reduction_pends<L>::value,
                "ashlar::npy_tensor: a reduction pends in the layout, and each rank would hold the whole value; take the layout without it");
  constexpr npy_kind kind = detail::npy_kind_of<T>();
  if (from.kind != kind)
    throw error("ashlar::npy_tensor: expected elements of type " + std::string(detail::name_of(kind).descr) + ", found " +
                std::string(detail::name_of(from.kind).descr) + "; make a tensor of that type and cast it");
  if (static_cast<int>(from.extents.size()) != L::rank)
    throw error("ashlar::npy_tensor: expected " + std::to_string(L::rank) + " dimensions, as the layout has, found " +
                detail::extents_text(from.extents));
  shape extents;
  for (index_t const n : from.extents) extents[extents.rank++] = n;
  sharded_tensor<T, L, M> x(m, extents);
  using space = typename decltype(x)::execution_space;
  auto const own = detail::host_mirror<space>(x.data(), x.local_size());
  Kokkos::DefaultHostExecutionSpace const host{};
  detail::copy_boxes(host, reinterpret_cast<T const*>(from.bytes.data()), own.data(), detail::loops_between(detail::whole_region(extents), x.local_region()));
  host.fence("ashlar: the elements are given back");
  Kokkos::deep_copy(detail::unmanaged<space, T>(x.data(), own.size()), own);
  return x;
}
/// The same from a file; rank 0 reads it, once.
/// Collective: all ranks of m. Error: what load_npy throws besides.
template <class T, class L, class M>
sharded_tensor<T, L, M> npy_tensor(device_mesh<M> const& m, std::filesystem::path const& path) {
  return npy_tensor<T, L>(m, load_npy(m.communicator(), path));
}

}  // namespace ashlar
