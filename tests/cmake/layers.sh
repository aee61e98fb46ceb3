#!/usr/bin/env bash
# layers.sh INCLUDE_DIR: passes if each header includes only its own layer and lower ones, and outside headers only
# where its layer may.
set -u
cd "$1" || exit 1
failed=0
# forbid FILES REGEX REASON
forbid() {
  local found
  found=$(grep -rnE "^ *# *include *[<\"]($2)" $1 2> /dev/null)
  if [ -n "$found" ]; then
    printf '%s:\n%s\n' "$3" "$found"
    failed=1
  fi
}
layers="meta mesh layout plan comm tensor ops autodiff train"
own=""
for layer in $layers; do
  own="$own $layer"
  higher=""
  for other in $layers; do [[ " $own " == *" $other "* ]] || higher="$higher|ashlar/${other}[/.]"; done
  [ -z "$higher" ] || forbid "$layer $layer.hpp" "${higher#|}" "$layer includes a higher layer"
done
lower="meta mesh layout plan meta.hpp mesh.hpp layout.hpp plan.hpp config.hpp"
forbid "$lower" 'mpi\.h|Kokkos|cblas|zlib' "a layer below comm sees MPI, Kokkos, BLAS or zlib"
# Printing stands apart, in headers that nobody pays for who does not print.
forbid "--exclude=*print.hpp $lower" '(string|string_view|vector|algorithm|iostream|ranges|functional|memory)>' \
  "a layer below comm includes a slow standard header"
forbid "comm comm.hpp" 'Kokkos|cblas|zlib' "comm sees Kokkos, BLAS or zlib"
forbid "tensor tensor.hpp" 'cblas|zlib' "tensor sees BLAS or zlib"
forbid "ops ops.hpp autodiff autodiff.hpp" 'zlib' "a layer below train sees zlib"
forbid "--exclude=checkpoint_hdf5.hpp ." 'hdf5\.h>' "hdf5.h enters elsewhere than in train/checkpoint_hdf5.hpp"
forbid "--exclude=mpi.hpp ." 'mpi\.h>' "mpi.h enters elsewhere than in comm/mpi.hpp"
exit $failed
