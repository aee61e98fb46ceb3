#!/usr/bin/env bash
# layers.sh INCLUDE_DIR: passes if each header includes only its own layer and lower ones, its own subject and what is listed for that, and
# outside headers only if its layer may, and if each operation has its kernel in a file of its name.
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
meaning="meta mesh layout plan ops autodiff"  # ashlar::layout
machine="comm kernels tensor linalg"
applications="io data checkpoint train"
layers="$meaning $machine $applications"
for folder in */; do
  [[ " $layers " == *" ${folder%/} "* ]] || { echo "$folder is no layer"; failed=1; }
done
own=""
for layer in $layers; do
  own="$own $layer"
  higher=""
  for other in $layers; do [[ " $own " == *" $other "* ]] || higher="$higher|ashlar/$other/"; done
  forbid "$layer" "${higher#|}${higher:+|}ashlar/ashlar\\.hpp" "$layer includes a higher layer"
done
# ops, kernels and tensor are divided by the same subjects. A subject includes the top of the layers, and other subjects that are listed here.
declare -A of_others=([arrays]="" [products]="" [stencils]="" [fft]="arrays" [nn]="arrays products stencils")
for layer in ops kernels tensor; do
  for folder in "$layer"/*/; do
    subject=$(basename "$folder")
    [ "$subject" = impl ] || [ -n "${of_others[$subject]+known}" ] || { echo "$folder is no subject"; failed=1; }
  done
  subjects=""
  for subject in "${!of_others[@]}"; do
    others=""
    for other in "${!of_others[@]}"; do [[ " $subject ${of_others[$subject]} " == *" $other "* ]] || others="$others|ashlar/(ops|kernels|tensor)/$other/"; done
    forbid "$layer/$subject" "${others#|}" "$layer/$subject includes another subject"
    subjects="$subjects|ashlar/(ops|kernels|tensor)/$subject/"
  done
  # The headers that bring all subjects are at the top.
  forbid "$(ls "$layer"/*.hpp | grep -vE '/(ops|kernels|tensor|without_blas|backend|describe)\.hpp$' | tr '\n' ' ')" "${subjects#|}" "the top of $layer includes a subject"
done
forbid kernels 'ashlar/comm/' "kernels includes comm"
forbid "$meaning config.hpp" 'mpi\.h|Kokkos|cblas|zlib' "a layer below comm includes MPI, Kokkos, BLAS or zlib"
# Only headers that print or parse may include strings and streams.
forbid "--exclude=print* --exclude=parse.* --exclude=draw* $meaning config.hpp" '(string|string_view|vector|algorithm|iostream|ranges|functional|memory)>' \
  "a layer below comm includes a slow standard header"
forbid "comm" 'Kokkos|cblas' "comm includes Kokkos or BLAS"
forbid . '(regex|iostream|filesystem|thread|condition_variable|iomanip)>' "a header includes a slow standard header"
# Kokkos does not bring these, so each program would pay for them.
forbid "comm tensor" '(thread|stop_token|future|semaphore|latch|barrier|condition_variable|charconv|locale|fstream|iomanip|regex|iostream|filesystem)>' \
  "comm or tensor includes a slow standard header"
forbid "--exclude-dir=kernels ." '[a-z_]*cblas\.h>|oneapi' "a layer other than kernels includes BLAS or oneDNN"
forbid "--exclude=zlib.hpp ." '(missing/)?zlib\.h>' "a header other than io/zlib.hpp includes zlib.h"
forbid "--exclude=hdf5.hpp ." '(missing/)?hdf5\.h>' "a header other than io/hdf5/hdf5.hpp includes hdf5.h"
forbid "--exclude=fftw.hpp ." 'fftw3' "a header other than kernels/fft/fftw.hpp includes fftw3.h"
forbid "$layers ashlar.hpp --exclude=fft.hpp --exclude=fft_*.hpp --exclude=dct.hpp" 'ashlar/(kernels|tensor)/fft/(fftw?|fft_host|dct)\.hpp' "a header of ashlar::ashlar includes FFTW, which is under the GPL"
forbid "--exclude-dir=linalg --exclude=scalapack.hpp ." 'ashlar/(linalg/|scalapack\.hpp)' "a header of ashlar::ashlar includes the solvers, which need ScaLAPACK"
forbid "--exclude=mpi.hpp ." 'mpi\.h>' "a header other than comm/mpi.hpp includes mpi.h"
# Kernels know the arrays of one rank. Only tensor knows the layout of an array.
named=$(grep -rnEw 'layout|layout_value|basic_layout|basic_partial|partial|layout_t|value_v|sharded_tensor|MPI_[A-Za-z_]+' kernels | sed 's,//.*,,' |
  grep -Ew 'layout|layout_value|basic_layout|basic_partial|partial|layout_t|value_v|sharded_tensor|MPI_[A-Za-z_]+' | grep -v '#include')
if [ -n "$named" ]; then
  printf 'kernels names a layout or MPI:\n%s\n' "$named"
  failed=1
fi
# impl/<name>.ipp belongs to <name>.hpp, which alone includes it, in its last lines.
for functions in $(find . -name '*.ipp' -printf '%P\n'); do
  header=${functions/impl\//}
  header=${header%.ipp}.hpp
  [ "$(grep -rl "^#include \"ashlar/$functions\"" .)" = "./$header" ] || { echo "not $header alone includes $functions"; failed=1; }
  tail -n 12 "$header" | grep -q "^#include \"ashlar/$functions\"" || { echo "$functions is not in the last lines of $header"; failed=1; }
  ! grep -q "#pragma once\|^#include \"ashlar/$header\"" "$functions" || { echo "$functions includes $header, or guards itself"; failed=1; }
done
# An operation is two files of one name, its definition and its kernel; tensor has the operations that need no kernel.
for definition in $(find ops -name '*.hpp'); do
  name=${definition#ops/}
  if grep -qE '^struct [a-z0-9_]+_op( |;)' "$definition" && [ ! -e "kernels/$name" ] && [ ! -e "tensor/$name" ]; then
    echo "$definition defines an operation, and neither kernels/ nor tensor/ has a file $name"
    failed=1
  fi
done
for kernel in $(find kernels -name '*.hpp'); do
  for operation in $(sed -nE 's/^void run\(([a-z0-9_]+_op)[ <].*/\1/p' "$kernel" | sort -u); do
    if ! grep -qE "^struct $operation( |;)" "ops/${kernel#kernels/}" 2> /dev/null; then
      echo "$kernel runs $operation, which ops/${kernel#kernels/} does not define"
      failed=1
    fi
  done
done
# A global pointer to a function that a program may exchange at run time would couple unrelated meshes.
pointers=$(grep -rnE '^ *(inline|static|extern)?[A-Za-z_:<> ]*\(\*[A-Za-z_]+\)\([^)]*\)( *=.*)?;' --include=*.[hi]pp . | grep -E ':(inline|static|extern) ')
if [ -n "$pointers" ]; then
  printf 'a pointer to a function is a global variable:\n%s\n' "$pointers"
  failed=1
fi
# The tests precompile mpi.h and Kokkos, so no compiler reports a header that forgets to include them. Sentences may name both.
without=$(find . -name '*.[hi]pp' -exec awk '
  FNR == 1 && FILENAME ~ /\.ipp$/ { header = FILENAME; sub(/impl\//, "", header); sub(/ipp$/, "hpp", header); includes[FILENAME] = " " header }
  /^ *# *include *[<"]/ {
    header = $0; sub(/^[^<"]*[<"]/, "", header); sub(/[>"].*/, "", header)
    if (header ~ /^ashlar\//) includes[FILENAME] = includes[FILENAME] " ./" substr(header, 8)
    if (header ~ /^Kokkos/) has[FILENAME, "Kokkos"] = 1
    if (header == "mpi.h") has[FILENAME, "MPI"] = 1
    next
  }
  { sub(/\/\/.*/, "") }
  /(^|[^A-Za-z_])Kokkos::/ && !/"ashlar::/ { uses[FILENAME, "Kokkos"] = 1 }
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
