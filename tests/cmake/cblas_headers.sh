#!/usr/bin/env bash
# cblas_headers.sh SOURCE CMAKE COMPILER GENERATOR MAKE: kernels/products/cblas.hpp and cmake/ashlar_blas.cmake choose among headers and libraries that stand
# in for those of OpenBLAS, MKL, NVPL, Apple's Accelerate and Cray's libsci.
set -eu
source=$1 cmake=$2 compiler=$3 generator=$4 make=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  printf 'cblas_headers.sh: %s\n' "$*" >&2
  exit 1
}

# A prefix with headers of these names: prefix NAME HEADER...
prefix() {
  local header prefix=$folder/$1
  shift
  for header in "$@"; do
    mkdir -p "$prefix/include/$(dirname "$header")"
    printf '#pragma once\n#define FOUND_HERE "%s"\n#include "%s/tests/support/mkl_cblas.h"\nextern "C" double cblas_ddot(MKL_INT, const double*, MKL_INT, const double*, MKL_INT);\n' \
      "$header" "$source" > "$prefix/include/$header"
  done
}

# ---- Without CMake: the first header that is there ----
cat > "$folder/program.cpp" << 'END'
#include "ashlar/kernels/products/cblas.hpp"
constexpr bool same(char const* a, char const* b) { return *a == *b && (*a == 0 || same(a + 1, b + 1)); }
static_assert(same(FOUND_HERE, EXPECTED));
void product(double const* a, double const* b, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
}
END
headers=(cblas.h openblas/cblas.h mkl_cblas.h nvpl_blas_cblas.h Accelerate/Accelerate.h)
for ((first = 0; first < ${#headers[@]}; ++first)); do
  prefix "from_$first" "${headers[@]:first}"
  "$compiler" -std=c++20 -nostdinc -fsyntax-only "-I$source/include" "-I$folder/from_$first/include" "-DEXPECTED=\"${headers[first]}\"" "$folder/program.cpp" ||
    fail "${headers[first]} is not the header that is taken"
done

# ---- CMake: the header of the library that was found ----
mkdir -p "$folder/project" "$folder/lib"
echo 'extern "C" double cblas_ddot(long long, const double* x, long long, const double*, long long) { return *x; }' > "$folder/library.cpp"
cat > "$folder/project/FindBLAS.cmake" << 'END'
set(BLAS_FOUND TRUE)
END
cat > "$folder/project/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.25)
project(probe CXX)
list(APPEND CMAKE_MODULE_PATH "$folder/project")
set(ASHLAR_ONEDNN OFF)
include("$source/cmake/ashlar_blas.cmake")
message("found '\${ASHLAR_CBLAS_HEADER}' in '\${ASHLAR_CBLAS_INCLUDE_DIR}'")
END

# configures HEADER LIBRARY: fails unless CMake takes HEADER for a BLAS of this name, beside headers of all vendors.
prefix all cblas.h mkl_cblas.h nvpl_blas_cblas.h Accelerate/Accelerate.h
configures() {
  local output
  "$compiler" -shared -fPIC "$folder/library.cpp" -o "$folder/lib/lib$2.so"
  rm -rf "$folder/build"
  output=$("$cmake" -S "$folder/project" -B "$folder/build" -G "$generator" -DCMAKE_MAKE_PROGRAM="$make" -DCMAKE_CXX_COMPILER="$compiler" \
    -DBLAS_LIBRARIES="$folder/lib/lib$2.so" -DCMAKE_PREFIX_PATH="$folder/all" -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF 2>&1) || true
  if [[ $output != *"found '$1' in '$folder/all/include'"* ]]; then
    fail "expected $1 for $2, found $output"
  fi
}
configures mkl_cblas.h mkl_rt
configures nvpl_blas_cblas.h nvpl_blas_lp64_gomp
configures Accelerate/Accelerate.h Accelerate
configures cblas.h sci_gnu_mp
