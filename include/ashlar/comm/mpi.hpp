// SPDX-License-Identifier: BSL-1.0
// MPI: the only include of its header, element types, reductions, return codes.
#pragma once
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#if !__has_include(<mpi.h>)
#error \
    "ashlar::communicator: MPI is needed and mpi.h is not found; install an MPI (on Debian libopenmpi-dev) and link ashlar::tensor"
#include <missing/mpi.h>  // ends the compilation here
#endif
#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>

#include "ashlar/meta/error.hpp"
#include "ashlar/layout/op.hpp"

// In MPI 4 a function also has a form with wide counts. ASHLAR_MPI(MPI_Bcast) is the form with the widest counts
// available.
#if MPI_VERSION >= 4
#define ASHLAR_MPI(name) name##_c
#else
#define ASHLAR_MPI(name) name
#endif

namespace ashlar::comm_detail {

#if MPI_VERSION >= 4
using count_type = MPI_Count;
using displacement_type = MPI_Aint;
#else
using count_type = int;
using displacement_type = int;
#endif

/// Elements that one MPI call can take. MPICH 4.0 has functions with wide counts, but some of its collectives abort if
/// a count exceeds an int. (MPICH 4.0.2 says "memcpy argument memory ranges overlap".)
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
inline constexpr std::size_t largest_count = (std::numeric_limits<int>::max)();
#else
inline constexpr std::size_t largest_count =
    std::size_t((std::numeric_limits<count_type>::max)() < (std::numeric_limits<displacement_type>::max)()
                    ? (std::numeric_limits<count_type>::max)()
                    : (std::numeric_limits<displacement_type>::max)());
#endif

// Not inlined: g++ 12 warns at -O3 of the text that it would make at each call.
[[noreturn, gnu::noinline]] inline void report_failure(int rc, char const* what) {
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(rc, text, &length);
  throw error(std::string("ashlar::comm: ") + what + " failed: " + text);
}

/// Turns a return code into an exception.
/// Error: `ashlar::error` with MPI's own description of `rc`, unless `rc` is MPI_SUCCESS.
inline void check_mpi(int rc, char const* what) {
  if (rc != MPI_SUCCESS) [[unlikely]]
    report_failure(rc, what);
}

}  // namespace ashlar::comm_detail

namespace ashlar::comm {

/// The MPI type of an element. An error here means that MPI cannot reduce T. Then specialise mpi_datatype for T with a
/// static function `get` that returns a predefined MPI_Datatype.
template <class T>
struct mpi_datatype;
template <>
struct mpi_datatype<float> {
  static MPI_Datatype get() { return MPI_FLOAT; }
};
template <>
struct mpi_datatype<double> {
  static MPI_Datatype get() { return MPI_DOUBLE; }
};
template <std::integral T>
  requires(sizeof(T) <= 8)
struct mpi_datatype<T> {
  static MPI_Datatype get() {
    if constexpr (sizeof(T) == 1)
      return std::is_signed_v<T> ? MPI_INT8_T : MPI_UINT8_T;
    else if constexpr (sizeof(T) == 2)
      return std::is_signed_v<T> ? MPI_INT16_T : MPI_UINT16_T;
    else if constexpr (sizeof(T) == 4)
      return std::is_signed_v<T> ? MPI_INT32_T : MPI_UINT32_T;
    else
      return std::is_signed_v<T> ? MPI_INT64_T : MPI_UINT64_T;
  }
};

/// A type whose arrays can be sent and received.
template <class T>
concept element = std::is_trivially_copyable_v<T> && requires { mpi_datatype<T>::get(); };

}  // namespace ashlar::comm

namespace ashlar::comm_detail {

// Calls f(MPI_COMM_SELF, key, value, nullptr) in MPI_Finalize, which first deletes the attributes of MPI_COMM_SELF: the last
// moment at which MPI works.
inline void call_at_finalize(MPI_Comm_delete_attr_function* f, void* value) {
  int key = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, f, &key, nullptr), "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, value), "MPI_Comm_set_attr");
  check_mpi(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");
}

template <class Op, class T>
void combine_in_mpi(void* in, void* in_out, count_type* n, MPI_Datatype*) {
  T const* a = static_cast<T const*>(in);
  T* b = static_cast<T*>(in_out);
  for (count_type i = 0; i < *n; ++i) b[i] = Op::combine(a[i], b[i]);
}

}  // namespace ashlar::comm_detail

namespace ashlar::comm {

/// The MPI reduction for a type with `combine`. Reductions of ashlar::op use MPI's own, except max and min of
/// floating-point numbers: MPI does not define their result for NaN. Other reductions are made once per Op and T.
/// MPI_Finalize frees them.
template <class Op, class T>
struct mpi_op {
  static constexpr bool is_own = false;  ///< true: MPI's own reduction
  static MPI_Op get() {
    static MPI_Op op = MPI_OP_NULL;
    if (op == MPI_OP_NULL) {
      comm_detail::check_mpi(ASHLAR_MPI(MPI_Op_create)(comm_detail::combine_in_mpi<Op, T>, 1, &op), "MPI_Op_create");
      auto const free = [](MPI_Comm, int, void* made, void*) { return MPI_Op_free(static_cast<MPI_Op*>(made)); };
      comm_detail::call_at_finalize(free, &op);
    }
    return op;
  }
};
template <class T>
struct mpi_op<op::sum, T> {
  static constexpr bool is_own = true;
  static MPI_Op get() { return MPI_SUM; }
};
template <class T>
  requires(!std::floating_point<T>)
struct mpi_op<op::max, T> {
  static constexpr bool is_own = true;
  static MPI_Op get() { return MPI_MAX; }
};
template <class T>
  requires(!std::floating_point<T>)
struct mpi_op<op::min, T> {
  static constexpr bool is_own = true;
  static MPI_Op get() { return MPI_MIN; }
};
template <class T>
struct mpi_op<op::prod, T> {
  static constexpr bool is_own = true;
  static MPI_Op get() { return MPI_PROD; }
};

}  // namespace ashlar::comm
