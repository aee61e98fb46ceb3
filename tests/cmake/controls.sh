#!/usr/bin/env bash
# controls.sh SOURCE... -- COMPILER FLAG...: passes if all sources compile with ASHLAR_CONTROL defined. They are one source, in
# which each has a namespace of its own. A source that cannot be in one has the line "// CONTROL ALONE"; must_fail.sh tries it.
set -euo pipefail
sources=()
while [ "$1" != -- ]; do
  if ! grep -q '^// CONTROL ALONE' "$1"; then sources+=("$1"); fi
  shift
done
shift
if [ ${#sources[@]} = 0 ]; then exit 0; fi

# Every header before the first namespace. What a source includes by its own folder it includes by the folder's path here.
headers() {
  local source
  for source in "${sources[@]}"; do
    sed -n -e 's|^#include "\(\.[^"]*\)".*|#include "'"$(dirname "$source")"'/\1"|p' -e '/^#include \(<\|"ashlar\)/p' "$source"
  done | sort -u
}
whole() {
  echo '#define ASHLAR_CONTROL'
  headers
  local i
  for i in "${!sources[@]}"; do printf 'namespace control_%d {\n#include "%s"\n}\n' "$i" "${sources[i]}"; done
}
whole | LC_ALL=C "$@" -fsyntax-only -Werror=unused-result -x c++ -
