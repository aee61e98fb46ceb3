// The versions and settings that a report needs. A header of its own, since it includes streams.
#pragma once
#include "ashlar/comm/device_mesh.hpp"
#include "ashlar/kernels/blas.hpp"
#include "ashlar/kernels/onednn.hpp"
#include "ashlar/tensor/environment.hpp"
#include <ostream>

namespace ashlar {

/// Writes versions and settings, one per line: ashlar and compiler, MPI, Kokkos, BLAS, oneDNN.
/// Pre: MPI and Kokkos are initialised. Not collective.
inline void describe(std::ostream& out) {
  out << "ashlar " << ASHLAR_VERSION_MAJOR << '.' << ASHLAR_VERSION_MINOR << '.' << ASHLAR_VERSION_PATCH << ", "
#if defined(__clang__)
      << "clang " << __clang_version__
#elif defined(__GNUC__)
      << "g++ " << __VERSION__
#endif
#ifdef NDEBUG
      << ", without assertions"
#endif
#ifdef __OPTIMIZE__
      << ", optimised\n";
#else
      << ", not optimised\n";
#endif

  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0, level = 0, ranks = 0;
  MPI_Get_library_version(text, &length);
  MPI_Query_thread(&level);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::string const library(
      text, std::min<std::size_t>(static_cast<std::size_t>(length), std::string_view(text).find_first_of("\n,")));
  out << "MPI " << MPI_VERSION << '.' << MPI_SUBVERSION << ": " << library << ", " << ranks << " ranks, calls from "
      << (level == MPI_THREAD_MULTIPLE     ? "any thread"
          : level == MPI_THREAD_SERIALIZED ? "one thread at a time"
                                           : "the main thread")
      << '\n';

  using space = Kokkos::DefaultExecutionSpace;
  out << "Kokkos " << KOKKOS_VERSION / 10000 << '.' << KOKKOS_VERSION / 100 % 100 << '.' << KOKKOS_VERSION % 100 << ": "
      << space::name() << ", " << space().concurrency()
      << (kernels_detail::runs_in_caller<space> ? " threads" : " threads at most") << " a rank, memory "
      << space::memory_space::name() << '\n';
  if constexpr (!tensor_detail::host_reads<space>)
    out << "memory of the device: "
        << (comm::device_memory.direct ? "MPI takes its pointers" : "staged through the host's") << " ("
        << comm::device_memory.because << ")\n";

  out << "BLAS: ";
#ifdef OPENBLAS_SEQUENTIAL
  out << openblas_get_config() << ", core " << openblas_get_corename() << ", " << openblas_get_num_threads()
      << " threads\n";
#else
  out << "by CBLAS\n";
#endif
  out << "convolution on the host: ";
#ifdef ASHLAR_CALLS_ONEDNN
  dnnl_version_t const& dnnl = *dnnl_version();
  out << "oneDNN " << dnnl.major << '.' << dnnl.minor << '.' << dnnl.patch << " for float, BLAS for others\n";
#else
  out << "BLAS\n";
#endif
}

/// The same, and the mesh: its axes and, for every set of axes, the transport between the ranks along them.
template <class M>
void describe(std::ostream& out, device_mesh<M> const& m) {
  describe(out);
  out << "mesh";
  for (int a = 0; a < M::axes; ++a)
    out << (a ? " x " : " ") << meta_detail::name_text<typename M::names>(a) << '=' << m.sizes().size[a];
  out << ", " << m.size() << " ranks; this is rank " << m.rank() << '\n';
  for (unsigned mask = 1; mask < 1u << M::axes; ++mask) {
    if (m.communicator(mask).size() == 1) continue;
    out << "  over ";
    char const* between = "";
    for (int a = 0; a < M::axes; ++a)
      if (mask >> a & 1u) out << std::exchange(between, ", ") << meta_detail::name_text<typename M::names>(a);
    out << ": " << m.communicator(mask).size() << " ranks, " << m.transport(mask) << '\n';
  }
  if (m.size() == 1) return;
  auto const& memory = comm_detail::node_memory::instance();
  if (m.without_shared_memory().empty())
    out << "shared memory: " << (memory.used() >> 20) << " MiB in use, of " << (memory.size() >> 20)
        << " MiB of address space\n";
  else
    out << "no shared memory: " << m.without_shared_memory() << '\n';
}

}  // namespace ashlar
