#!/usr/bin/env bash
# pipeline.sh LAUNCH PROGRAM CASE: checks the pipeline as a user would run it, on MNIST where ASHLAR_DATA names it, and on
# drawn digits otherwise.
#   losses   12 steps of 48 images: the losses of every schedule, of 1 to 12 microbatches, on 1, 2, 3, 4 and 8 ranks agree with
#            those of the network without a pipeline, 1e-11 relative
#   memory   what 1F1B takes does not depend on how many microbatches there are, what GPipe takes does; the program itself
#            checks the bound
#   errors   what does not divide, and what the mesh does not have, ends every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"

run() { # RANKS ARGUMENT...
  local ranks=$1
  shift
  "$launch" "$ranks" "$program" "$@" > "$folder/log" || fail "$*: $(cat "$folder/log")"
}

losses() {
  local mesh strategy pieces data stage
  run 1 --strategy unpipelined --microbatches 1 --batch 48 --steps 12 --losses "$folder/one"
  for mesh in 1,2 1,3 2,2 1,4 1,8; do
    data=${mesh%,*} stage=${mesh#*,}
    for strategy in unpipelined/4 gpipe/6 1f1b/6 1f1b/1 1f1b/12; do
      pieces=${strategy#*/}
      run $((data * stage)) --mesh "data=$data,stage=$stage" --strategy "${strategy%/*}" --microbatches "$pieces" --batch 48 --steps 12 --losses "$folder/many"
      agree "$mesh $strategy" 12 1e-11 "$folder/one" "$folder/many"
    done
  done
}

# 16 images a microbatch.
peak() {
  run 4 --mesh stage=4 --strategy "$1" --microbatches "$2" --batch $((16 * $2)) --steps 2
  sed -n 's/^peak memory of rank 0: \([0-9]*\) bytes.*/\1/p' "$folder/log"
}
memory() {
  local few many bound
  few=$(peak 1f1b 16) many=$(peak 1f1b 64)
  echo "1f1b: $few bytes with 16 microbatches, $many with 64"
  [ -n "$few" ] && [ "$few" = "$many" ] || fail "1f1b takes $few bytes with 16 microbatches and $many with 64"
  few=$(peak gpipe 16) many=$(peak gpipe 64)
  echo "gpipe: $few bytes with 16 microbatches, $many with 64"
  bound=$(sed -n 's/^peak memory.* microbatches: \([0-9]*\) bytes/\1/p' "$folder/log")
  [ "${few:-0}" -lt "${many:-0}" ] && [ "${many:-0}" -gt "${bound:-0}" ] || fail "gpipe takes $few bytes with 16 microbatches, $many with 64; 1f1b's bound is $bound"
}

errors() {
  refused 60 "need 3 ranks and the communicator has 2" --mesh stage=3
  refused 60 "--batch divides by --microbatches" --microbatches 5
  refused 60 "1f1b or gpipe or unpipelined, found 'zb'" --strategy zb
  refused 60 "data=D,stage=S" --mesh data=2,model=1
}

check_case
