#!/usr/bin/env bash
# no_mpi.sh SOURCE COMPILER FLAG...: passes if the object of SOURCE, compiled with -O2, needs no symbol of MPI. With
# ASHLAR_CONTROL defined it must need one.
set -u
source=$1
shift
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
symbols() {
  "${compiler[@]}" -O2 "$@" -c "$source" -o "$folder/object.o" || exit 1
  nm -u "$folder/object.o" > "$folder/symbols" || exit 1
  grep -E '[^A-Za-z]P?MPI_' "$folder/symbols"
}
compiler=("$@")
if ! symbols -DASHLAR_CONTROL > "$folder/found"; then echo "the control needs no symbol of MPI"; exit 1; fi
if symbols > "$folder/found"; then
  echo "symbols of MPI:"
  cat "$folder/found"
  exit 1
fi
