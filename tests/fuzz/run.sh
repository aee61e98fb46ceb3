#!/usr/bin/env bash
# run.sh CLANG SOURCE INCLUDE SEEDS RUNS WORD...: builds a fuzz target under the address and undefined-behaviour sanitizers
# and tries RUNS inputs grown from the files of a folder and from words. More by hand: RUNS -1 goes on until it is stopped.
set -eu
clang=$1 source=$2 include=$3 seeds=$4 runs=$5
shift 5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$clang" -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -I"$include" "$source" -o "$folder/target" -lz
mkdir "$folder/corpus"
for word in "$@"; do printf '"%s"\n' "$word"; done > "$folder/words"
"$folder/target" -runs="$runs" -seed=1 -max_len=4096 -malloc_limit_mb=16 -dict="$folder/words" \
  -artifact_prefix="$folder/" -verbosity=0 -print_final_stats=1 "$folder/corpus" "$seeds" ||
  { status=$?; for input in "$folder"/crash-* "$folder"/oom-*; do [ -e "$input" ] && base64 "$input"; done; exit "$status"; }
