#!/usr/bin/env bash
# scalapack_libraries.sh SOURCE CMAKE COMPILER GENERATOR MAKE: cmake/ashlar_scalapack.cmake chooses among libraries that stand in for those of
# MKL, of Cray and of Debian.
set -eu
source=$1 cmake=$2 compiler=$3 generator=$4 make=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A library in $folder/lib that defines functions: library NAME FUNCTION...
library() {
  local name=$1 f
  shift
  for f in "$@"; do echo "extern \"C\" void $f() {}"; done > "$folder/$name.cpp"
  "$compiler" -shared -fPIC "$folder/$name.cpp" -o "$folder/lib/lib$name.so"
}
mkdir "$folder/lib" "$folder/project"
library lapack dgeqrf_
library mkl_scalapack_lp64 pdpotrf_ pzheev_
library mkl_blacs_openmpi_lp64 Csys2blacs_handle
library mkl_blacs_intelmpi_lp64 Csys2blacs_handle
library scalapack-openmpi pdpotrf_ pzheev_ Csys2blacs_handle
library sci_mpi pdpotrf_ pzheev_ Csys2blacs_handle
cat > "$folder/project/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.25)
project(probe CXX)
add_library(ashlar::cblas INTERFACE IMPORTED)
target_link_libraries(ashlar::cblas INTERFACE "$folder/lib/liblapack.so")
add_library(MPI::MPI_CXX INTERFACE IMPORTED)
include("$source/cmake/ashlar_scalapack.cmake")
if(ashlar_SCALAPACK_FOUND)
  get_target_property(libraries ashlar::scalapack_library INTERFACE_LINK_LIBRARIES)
endif()
message("found \${ashlar_SCALAPACK_FOUND}: \${libraries}")
END

# configures EXPECTED OPTION...: fails unless a line of the output has the text.
configures() {
  local expected=$1 output
  shift
  rm -rf "$folder/build"
  output=$("$cmake" -S "$folder/project" -B "$folder/build" -G "$generator" -DCMAKE_MAKE_PROGRAM="$make" -DCMAKE_CXX_COMPILER="$compiler" -DMPI_CXX_LIBRARIES="$mpi" \
    -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF "$@" 2>&1) || true
  output=$(tr -s '\n ' ' ' <<< "$output")
  if [[ $output != *"$expected"* ]]; then
    printf 'scalapack_libraries.sh: expected "%s" with %s, found\n%s\n' "$expected" "$*" "$output" >&2
    exit 1
  fi
}
lib=$folder/lib
mpi=/usr/lib/openmpi/libmpi.so
configures "found FALSE: "
configures "found TRUE: $lib/libscalapack-openmpi.so" -DSCALAPACK_ROOT="$folder"
configures "found TRUE: $lib/libmkl_scalapack_lp64.so;$lib/libmkl_blacs_openmpi_lp64.so" -DMKLROOT="$folder" -DBLA_VENDOR=Intel10_64lp
configures "found FALSE: " -DMKLROOT="$folder" -DBLA_VENDOR=Intel10_64ilp
configures "found TRUE: $lib/libsci_mpi.so;$lib/liblapack.so" -DASHLAR_SCALAPACK_LIBRARIES="$lib/libsci_mpi.so;$lib/liblapack.so"
configures "ASHLAR_SCALAPACK_LIBRARIES do not link" -DASHLAR_SCALAPACK_LIBRARIES="$lib/libmkl_scalapack_lp64.so"
configures "found TRUE: libraries-NOTFOUND" -DCMAKE_EXE_LINKER_FLAGS="-Wl,--no-as-needed $lib/libsci_mpi.so" -DSCALAPACK_ROOT="$folder"
mpi=/opt/intel/oneapi/mpi/lib/libmpi.so
configures "found TRUE: $lib/libmkl_scalapack_lp64.so;$lib/libmkl_blacs_intelmpi_lp64.so" -DMKLROOT="$folder" -DBLA_VENDOR=Intel10_64lp_seq
