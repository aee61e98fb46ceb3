// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/products/describe.hpp.

namespace ashlar {

ASHLAR_INLINE void describe(std::ostream& out) {
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
        << (comm_detail::device_memory.direct ? "MPI takes its pointers" : "staged through the host's") << " ("
        << comm_detail::device_memory.because << ")\n";

  out << "BLAS: ";
#ifdef ASHLAR_CALLS_OPENBLAS
  out << openblas_get_config() << ", core " << openblas_get_corename() << ", ";
  if (kernels_detail::runs_in_caller<space> && space().concurrency() > 1 && kernels_detail::kokkos_divides_products())
    out << "products divided among Kokkos' threads\n";
  else
    out << openblas_get_num_threads() << " threads\n";
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

}  // namespace ashlar
