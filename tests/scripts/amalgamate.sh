#!/usr/bin/env bash
# amalgamate.sh ROOT WORK COMPILER...: examples that need only layouts, and static tests of layers below comm, compile with the one header of
# scripts/amalgamate in place of ashlar's own. With ASHLAR_EXHAUSTIVE all of these tests are taken, else one of each layer.
set -eu
root=$1 work=$2
shift 2
rm -rf "$work"
mkdir -p "$work/include/ashlar"
python3 "$root/scripts/amalgamate" "$work/ashlar_layout.hpp"
# Each name of a header of ashlar leads to the one header.
(cd "$root/include" && find ashlar -name '*.hpp') | while read -r header; do
  mkdir -p "$work/include/$(dirname "$header")"
  echo '#include "ashlar_layout.hpp"' > "$work/include/$header"
done
sources=("$root/examples/02_layouts_alone.cpp" "$root"/examples/plan_explorer.cpp)
for layer in meta mesh layout plan ops autodiff; do
  of_layer=("$root/tests/static/$layer"/*.cpp)
  if [ -z "${ASHLAR_EXHAUSTIVE:-}" ]; then of_layer=("${of_layer[0]}"); fi
  sources+=("${of_layer[@]}")
done
failed=0
for compiler in "$@"; do
  for source in "${sources[@]}"; do
    if [ ! -e "$source" ]; then continue; fi
    "$compiler" -std=c++20 -Wall -Wextra -fsyntax-only -I"$work/include" -I"$work" -I"$root/tests" "$source" || { echo "$compiler: $source"; failed=1; }
  done
done
exit $failed
