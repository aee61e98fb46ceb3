#!/usr/bin/env bash
# without_header.sh HEADER[:USE] COMPILER FLAG...: passes if a program that needs HEADER is refused by its sentence where HEADER cannot be found,
# and by at most one more error, which ends the compilation.
set -eu
hidden=${1%%:*} use=$1
shift
case $use in
  boost/mp11/list.hpp) included=layout sentence="ashlar::layout: Boost.MP11 is needed and boost/mp11/list.hpp is not found; install it" ;;
  mpi.h) included=tensor sentence="ashlar::communicator: MPI is needed and mpi.h is not found; install an MPI" ;;
  Kokkos_Core.hpp) included=tensor sentence="ashlar::kernels: Kokkos is needed and Kokkos_Core.hpp is not found; run scripts/setup" ;;
  cblas.h) included=blas sentence="ashlar::einsum: a BLAS is needed and cblas.h is not found; install one" ;;
  zlib.h) included=io sentence="ashlar::io: zlib is needed and zlib.h is not found; install it" ;;
  hdf5.h) included=hdf5 sentence="ashlar::io::hdf5_file: HDF5 is needed and hdf5.h is not found; install it" ;;
  fftw3.h) included=fft sentence="ashlar::fft: FFTW is needed and fftw3.h is not found; install it" ;;
  *) exit 2 ;;
esac
included=ashlar/$included.hpp
arguments=()
for argument; do
  if [[ $argument == @* ]]; then  # a file of flags
    while IFS= read -r flag; do arguments+=("$flag"); done < <(xargs -n1 < "${argument#@}")
  else
    arguments+=("$argument")
  fi
done
set -- "${arguments[@]}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The folders that the compiler searches, without the header: each as a folder of links.
mapfile -t places < <("$@" -x c++ -E -v /dev/null 2>&1 > /dev/null | sed -n '/search starts here:$/,/^End of search/s/^ //p')
options=(-nostdinc)
for place in "${places[@]}"; do
  place=$(realpath "$place")
  if [ -e "$place/$hidden" ]; then
    copy=$work/$((${#options[@]}))
    mkdir -p "$copy"
    for entry in "$place"/*; do
      if [ "${entry##*/}" != "${hidden%%/*}" ]; then ln -s "$entry" "$copy/"; fi
    done
    place=$copy
  fi
  options+=(-isystem "$place")
done
# The compiler's own flags that add folders are left out: the folders are above.
command=()
while [ $# != 0 ]; do
  case $1 in
    -isystem | -I) shift ;;
    -I* | -isystem*) ;;
    *) command+=("$1") ;;
  esac
  shift
done
if output=$(printf '#include "%s"\n' "$included" | LC_ALL=C "${command[@]}" "${options[@]}" -x c++ -fsyntax-only - 2>&1); then
  echo "$included compiles without $hidden"
  exit 1
fi
if ! grep -qF "$sentence" <<< "$output" || [ "$(grep -cE '(fatal )?error: ' <<< "$output")" -gt 2 ]; then
  printf 'expected the sentence: %s\n%s\n' "$sentence" "$output"
  exit 1
fi
