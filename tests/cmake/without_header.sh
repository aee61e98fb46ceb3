#!/usr/bin/env bash
# without_header.sh HEADER INCLUDED SENTENCE COMPILER FLAG...: passes if a program that includes INCLUDED is refused by SENTENCE
# where HEADER cannot be found, and by at most one more error: the missing header itself.
set -eu
hidden=$1 included=$2 sentence=$3
shift 3
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
