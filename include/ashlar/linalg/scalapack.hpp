// SPDX-License-Identifier: BSL-1.0
// The routines of ScaLAPACK, BLACS and LAPACK that ashlar calls. These libraries have no headers for C.
#pragma once
#if defined(ASHLAR_TARGETS) && !defined(ASHLAR_LINKS_SCALAPACK)
#error "ashlar::linalg: the program does not link ScaLAPACK; link the CMake target ashlar::scalapack, too"
#include <missing/ashlar_scalapack>  // ends the compilation here
#endif
#include "ashlar/comm/mpi.hpp"
#include <complex>
#include <cstddef>

namespace ashlar::linalg_detail {

// Names of BLACS, which is in ScaLAPACK's library. A label gives the name that the linker sees, so that a program may
// declare the same routines by other types.
int blacs_handle(MPI_Comm) __asm__("Csys2blacs_handle");
void free_blacs_handle(int) __asm__("Cfree_blacs_system_handle");
void make_blacs_grid(int* context, int const* ranks, int leading, int rows, int columns) __asm__("Cblacs_gridmap");
void end_blacs_grid(int context) __asm__("Cblacs_gridexit");

using flag = char const*;    // of one letter
using number = int const*;   // Fortran passes by address
using length = std::size_t;  // of a flag, which Fortran passes last

// Overloads for float, double and their complex types: the library's names differ by a letter. `q` begins the names of
// routines of orthogonal or unitary matrices.
#define ASHLAR_SCALAPACK(letter, T, q)                                                                                \
  void potrf(flag uplo, number n, T* a, number ia, number ja, number da, int* info,                                   \
             length) __asm__("p" #letter "potrf_");                                                                   \
  void getrf(number m, number n, T* a, number ia, number ja, number da, int* pivots,                                  \
             int* info) __asm__("p" #letter "getrf_");                                                                \
  void getrs(flag trans, number n, number nrhs, T const* a, number ia, number ja, number da, int const* pivots, T* b, \
             number ib, number jb, number db, int* info, length) __asm__("p" #letter "getrs_");                       \
  void gelqf(number m, number n, T* a, number ia, number ja, number da, T* tau, T* work, number lwork,                \
             int* info) __asm__("p" #letter "gelqf_");                                                                \
  void glq(number m, number n, number k, T* a, number ia, number ja, number da, T const* tau, T* work, number lwork,  \
           int* info) __asm__("p" #letter #q "glq_");                                                                 \
  void gels(flag trans, number m, number n, number nrhs, T* a, number ia, number ja, number da, T* b, number ib,      \
            number jb, number db, T* work, number lwork, int* info, length) __asm__("p" #letter "gels_");             \
  void trsm(flag side, flag uplo, flag trans, flag diag, number m, number n, T const* alpha, T const* a, number ia,   \
            number ja, number da, T* b, number ib, number jb, number db) __asm__("p" #letter "trsm_");                \
  void local_gelqf(number m, number n, T* a, number lda, T* tau, T* work, number lwork,                               \
                   int* info) __asm__(#letter "gelqf_");                                                              \
  void local_glq(number m, number n, number k, T* a, number lda, T const* tau, T* work, number lwork,                 \
                 int* info) __asm__(#letter #q "glq_");
ASHLAR_SCALAPACK(s, float, or)
ASHLAR_SCALAPACK(d, double, or)
ASHLAR_SCALAPACK(c, std::complex<float>, un)
ASHLAR_SCALAPACK(z, std::complex<double>, un)
#undef ASHLAR_SCALAPACK

// Of complex matrices these have a workspace of real numbers, too.
#define ASHLAR_SCALAPACK(letter, T)                                                                                   \
  void eigen(flag job, flag uplo, number n, T* a, number ia, number ja, number da, T* w, T* z, number iz, number jz,  \
             number dz, T* work, number lwork, int* info, length, length) __asm__("p" #letter "syev_");               \
  void gesvd(flag jobu, flag jobvt, number m, number n, T* a, number ia, number ja, number da, T* s, T* u, number iu, \
             number ju, number du, T* vt, number iv, number jv, number dv, T* work, number lwork, int* info, length,  \
             length) __asm__("p" #letter "gesvd_");
ASHLAR_SCALAPACK(s, float)
ASHLAR_SCALAPACK(d, double)
#undef ASHLAR_SCALAPACK
#define ASHLAR_SCALAPACK(letter, R)                                                                                \
  void eigen(flag job, flag uplo, number n, std::complex<R>* a, number ia, number ja, number da, R* w,             \
             std::complex<R>* z, number iz, number jz, number dz, std::complex<R>* work, number lwork, R* rwork,   \
             number lrwork, int* info, length, length) __asm__("p" #letter "heev_");                               \
  void gesvd(flag jobu, flag jobvt, number m, number n, std::complex<R>* a, number ia, number ja, number da, R* s, \
             std::complex<R>* u, number iu, number ju, number du, std::complex<R>* vt, number iv, number jv,       \
             number dv, std::complex<R>* work, number lwork, R* rwork, int* info, length,                          \
             length) __asm__("p" #letter "gesvd_");
ASHLAR_SCALAPACK(c, float)
ASHLAR_SCALAPACK(z, double)
#undef ASHLAR_SCALAPACK

}  // namespace ashlar::linalg_detail
