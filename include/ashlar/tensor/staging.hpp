// Memory that MPI may read and write.
#pragma once
#include "ashlar/comm/mpi.hpp"
#include "ashlar/tensor/boxes.hpp"
#include "ashlar/tensor/storage.hpp"

namespace ashlar::comm {

/// Complex numbers as tensors store them.
template <std::floating_point T>
struct mpi_datatype<Kokkos::complex<T>> {
  static_assert(sizeof(T) <= sizeof(double), "ashlar::comm: complex numbers of float and of double have a type of MPI's");
  static MPI_Datatype get() { return sizeof(T) == sizeof(float) ? MPI_C_FLOAT_COMPLEX : MPI_C_DOUBLE_COMPLEX; }
};

}  // namespace ashlar::comm

namespace ashlar::detail {

/// True where MPI reads the space's memory itself. Memory of a device is staged through the host's, unless the program is
/// compiled with ASHLAR_GPU_AWARE_MPI for an MPI that takes device pointers.
template <class Space>
inline constexpr bool mpi_reads =
#ifdef ASHLAR_GPU_AWARE_MPI
    true;
#else
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;
#endif

/// Calls f(source, destination) with memory that MPI can use, when the kernels that wrote the source, or read the
/// destination, are done.
template <class Space, class T, class F>
void with_mpi_memory(Space const& space, T const* source, std::size_t n, T* destination, std::size_t m, F&& f) {
  if constexpr (mpi_reads<Space>) {
    if constexpr (!runs_in_caller<Space>) space.fence("ashlar: before MPI");
    f(source, destination);
  } else {
    using host = Kokkos::SharedHostPinnedSpace;
    auto const in = pool<host>::allocate(n * sizeof(T)), out = pool<host>::allocate(m * sizeof(T));
    using device_view = Kokkos::View<T*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    using const_view = Kokkos::View<T const*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    using host_view = Kokkos::View<T*, host, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(space, host_view(static_cast<T*>(in->data), n), const_view(source, n));
    space.fence("ashlar: before MPI");
    f(static_cast<T const*>(in->data), static_cast<T*>(out->data));
    Kokkos::deep_copy(space, device_view(destination, m), host_view(static_cast<T*>(out->data), m));
    space.fence("ashlar: staging is given back");
  }
}

/// The same for one buffer that MPI reads and writes.
template <class Space, class T, class F>
void with_mpi_memory_in_place(Space const& space, T* data, std::size_t n, F&& f) {
  if constexpr (mpi_reads<Space>) {
    if constexpr (!runs_in_caller<Space>) space.fence("ashlar: before MPI");
    f(data);
  } else {
    using host = Kokkos::SharedHostPinnedSpace;
    auto const block = pool<host>::allocate(n * sizeof(T));
    Kokkos::View<T*, host, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const staged(static_cast<T*>(block->data), n);
    Kokkos::View<T*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const whole(data, n);
    Kokkos::deep_copy(space, staged, whole);
    space.fence("ashlar: before MPI");
    f(static_cast<T*>(block->data));
    Kokkos::deep_copy(space, whole, staged);
    space.fence("ashlar: staging is given back");
  }
}

}  // namespace ashlar::detail
