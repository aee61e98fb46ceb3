// SPDX-License-Identifier: BSL-1.0
// CBLAS of any vendor: the only include of its header.
#pragma once
#ifdef ASHLAR_CBLAS_HEADER  // of CMake, such as <mkl_cblas.h>
#include ASHLAR_CBLAS_HEADER
#elif __has_include(<cblas.h>)
#include <cblas.h>
#elif __has_include(<openblas/cblas.h>)
#include <openblas/cblas.h>
#elif __has_include(<mkl_cblas.h>)
#include <mkl_cblas.h>
#elif __has_include(<nvpl_blas_cblas.h>)
#include <nvpl_blas_cblas.h>
#elif __has_include(<Accelerate/Accelerate.h>)
#include <Accelerate/Accelerate.h>
#else
#error \
    "ashlar::einsum: a BLAS is needed and cblas.h is not found; install one (on Debian libopenblas-dev) and link ashlar::blas"
#include <missing/cblas.h>  // ends the compilation here
#endif

// OpenBLAS has functions of its own. (CMake finds out whether its header is there with another BLAS.)
#if defined(OPENBLAS_SEQUENTIAL) && !defined(ASHLAR_CBLAS_IS_NOT_OPENBLAS)
#define ASHLAR_CALLS_OPENBLAS
#endif
