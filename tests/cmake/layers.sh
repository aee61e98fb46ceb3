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
forbid "--exclude=checkpoint_memory.hpp ." 'hdf5\.h>' "hdf5.h enters elsewhere than in train/checkpoint_memory.hpp"
forbid "--exclude=mpi.hpp ." 'mpi\.h>' "mpi.h enters elsewhere than in comm/mpi.hpp"
# The tests read mpi.h and Kokkos precompiled, so that no compiler says who forgot to include them.
without=$(find . -name '*.hpp' -exec awk '
  /^ *# *include *[<"]/ {
    header = $0; sub(/^[^<"]*[<"]/, "", header); sub(/[>"].*/, "", header)
    if (header ~ /^ashlar\//) includes[FILENAME] = includes[FILENAME] " ./" substr(header, 8)
    if (header ~ /^Kokkos/) has[FILENAME, "Kokkos"] = 1
    if (header == "mpi.h") has[FILENAME, "MPI"] = 1
    next
  }
  { sub(/\/\/.*/, "") }
  /(^|[^A-Za-z_])Kokkos::/ { uses[FILENAME, "Kokkos"] = 1 }
  /(^|[^A-Za-z_])MPI_[A-Z]/ { uses[FILENAME, "MPI"] = 1 }
  function sees(file, what, i, n, list) {
    if ((file, what) in has) return 1
    if (visited[file]++) return 0
    n = split(includes[file], list, " ")
    for (i = 1; i <= n; ++i) if (sees(list[i], what)) return 1
    return 0
  }
  END {
    for (key in uses) {
      split(key, parts, SUBSEP); delete visited
      if (!sees(parts[1], parts[2])) print parts[1] " uses " parts[2] " and does not include it"
    }
  }' {} +)
if [ -n "$without" ]; then
  printf '%s\n' "$without"
  failed=1
fi
exit $failed
