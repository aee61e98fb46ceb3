// SPDX-License-Identifier: BSL-1.0
// Memory that MPI may read and write.
#pragma once
#include "ashlar/comm/message_memory.hpp"
#include "ashlar/comm/collectives/tuning.hpp"
#include "ashlar/comm/mpi.hpp"
#include "ashlar/comm/node/load.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/tensor/device_probe.hpp"
#include "ashlar/tensor/storage.hpp"
#include <optional>
#include <type_traits>

namespace ashlar::comm {

/// The MPI type of complex numbers as tensors store them.
template <std::floating_point T>
struct mpi_datatype<Kokkos::complex<T>> {
  static_assert(sizeof(T) <= sizeof(double),
                "ashlar::comm: complex numbers of float and of double have a type of MPI's");
  static MPI_Datatype get() { return sizeof(T) == sizeof(float) ? MPI_C_FLOAT_COMPLEX : MPI_C_DOUBLE_COMPLEX; }
};

}  // namespace ashlar::comm

namespace ashlar::tensor_detail {

/// True if MPI reads the space's memory itself. Unless decided otherwise, device memory is staged through the host's.
template <class Space>
bool mpi_reads() {
  return host_reads<Space> || comm_detail::device_memory.direct;
}

/// True if MPI can combine elements there: for a reduction other than MPI's own, it calls host code.
template <class Space, class Op, class T>
bool mpi_combines() {
  return mpi_reads<Space>() && (host_reads<Space> || comm::mpi_op<Op, T>::is_own);
}

/// The settings of collectives, with their sums and copies on the threads of Space, or of the host if Space is a device's.
/// If the threads of all processes of this node exceed its cores, one thread does the work. Further threads would wait
/// actively on cores that other ranks need, for milliseconds.
template <class Space>
comm::tuning tuning_on() {
  using threads = std::conditional_t<runs_in_caller<Space>, Space, Kokkos::DefaultHostExecutionSpace>;
  comm::tuning how = comm::tuned;
  how.for_ranges = [](std::size_t n, std::size_t grain, auto work, void const* argument) {
    threads const space{};
    if (space.concurrency() > node_load::of_this_program().threads_per_process()) return work(argument, 0, n);
    for_ranges("ashlar::combine", space, static_cast<index_t>(n), static_cast<index_t>(grain),
               [=](index_t begin, index_t end) {
                 work(argument, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
               });
  };
  return how;
}

/// Memory that MPI can use in place of a source and a destination: their own, if MPI reads that. The constructor waits
/// for the kernels that wrote the source or read the destination.
template <class Space, class T>
class mpi_memory {
 public:
  mpi_memory([[maybe_unused]] bool directly, Space const& space, T const* source, std::size_t n, T* destination,
             std::size_t m)
      : space_(space), source_(source), destination_(destination), m_(m) {
    if constexpr (!host_reads<Space>)
      if (!directly) {
        in_ = pool<host>::allocate(n * sizeof(T)), out_ = pool<host>::allocate(m * sizeof(T));
        source_ = static_cast<T const*>(in_->data), destination_ = static_cast<T*>(out_->data);
        target_ = destination;
        Kokkos::deep_copy(space_, host_view(static_cast<T*>(in_->data), n), unmanaged<T const>(source, n));
      }
    if constexpr (!runs_in_caller<Space>) space_.fence("ashlar: before MPI");
    used_.emplace(source_, destination_);
  }
  mpi_memory(mpi_memory const&) = delete;
  mpi_memory& operator=(mpi_memory const&) = delete;
  T const* source() const { return source_; }
  T* destination() const { return destination_; }
  /// Call it if a collective fails without an exception that destroys this object.
  void leave() { used_->leave(); }
  /// Call it when MPI has written the destination.
  void finish() {
    used_->have_arrived();
    if constexpr (!host_reads<Space>)
      if (out_) {
        Kokkos::deep_copy(space_, unmanaged<T>(target_, m_), host_view(destination_, m_));
        space_.fence("ashlar: staging is given back");
      }
  }

 private:
  using host = Kokkos::SharedHostPinnedSpace;
  using host_view = Kokkos::View<T*, host, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class E>
  using unmanaged = Kokkos::View<E*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Space space_;
  T const* source_;
  T* destination_;
  std::size_t m_;
  T* target_ = nullptr;  // the real destination, if it is staged
  std::shared_ptr<storage<host>> in_, out_;
  std::optional<memory_of_messages> used_;
};

/// Calls f(source, destination) with such memory.
template <class Space, class T, class F>
void with_mpi_memory(bool directly, Space const& space, T const* source, std::size_t n, T* destination, std::size_t m,
                     F&& f) {
  mpi_memory<Space, T> memory(directly, space, source, n, destination, m);
  f(memory.source(), memory.destination());
  memory.finish();
}

}  // namespace ashlar::tensor_detail
