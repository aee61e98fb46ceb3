#!/usr/bin/env bash
# kernels.sh PROGRAM: no kernel's type mentions a layout, an axis or a literal, so that two layouts share a kernel and nvcc
# can spell it. Reads the program's symbols.
set -eu
kernels=$(nm -C "$1" | grep 'Kokkos::Impl::Parallel' || true)
[ -n "$kernels" ] || { echo "FAILED: $1 has no kernels"; exit 1; }
if grep -E 'basic_layout|basic_partial|axis_name|ashlar::literal' <<< "$kernels"; then
  echo "FAILED: the kernels above mention layouts"
  exit 1
fi
echo "$(wc -l <<< "$kernels") symbols of kernels, none mentions a layout"
