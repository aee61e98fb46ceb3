#!/usr/bin/env bash
# pipeline.sh LAUNCH PROGRAM CASE: checks the pipeline as a user would run it, on MNIST where ASHLAR_DATA names it, and on
# synthetic digits otherwise.
#   losses   6 steps of 48 images: the losses of every schedule, of 1 to 12 microbatches, on 1, 2, 3, 4 and 8 ranks agree with
#            those of the network without a pipeline, with dropout too, 1e-11 relative in double, 1e-5 in float, and fall
#   resumed  a run goes on from its newest checkpoint, in the middle of an epoch: the same losses and log, bit by bit, on
#            the same mesh, and within 1e-9 by other schedules on other meshes, with as many
#            microbatches where there is dropout
#   memory   what 1F1B takes does not depend on how many microbatches there are, what GPipe takes does; the program itself
#            checks the bound
#   errors   what does not divide, and what the mesh does not have, ends every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"

run() { # RANKS ARGUMENT...
  local ranks=$1
  shift
  "$launch" "$ranks" "$program" "$@" > "$folder/log" 2>&1 || fail "$*: $(cat "$folder/log")"
}
training=(--batch 48)
# train FILE MESH:SCHEDULE/MICROBATCHES [OPTION]...: the losses of 3 epochs of 2 batches on a mesh DATA,STAGE.
train() {
  local losses=$1 mesh=${2%:*} way=${2#*:}
  shift 2
  train_on "data=${mesh%,*},stage=${mesh#*,} --strategy ${way%/*} --microbatches ${way#*/}" "$losses" --epochs 3 "$@" || fail "$mesh $way: $(cat "$folder/err")"
}

losses() {
  local way
  few_digits 100 60  # 4 are left out of each epoch
  train "$folder/one" 1,1:unpipelined/1
  fall "without a pipeline" "$folder/one"
  for way in 1,2:1f1b/6 {"1,3","2,2"}:{unpipelined/4,gpipe/6,1f1b/6,1f1b/1,1f1b/12} 1,4:{gpipe/6,1f1b/12} 1,8:{gpipe/6,1f1b/6}; do
    train "$folder/many" "$way"
    agree "$way" 6 1e-11 "$folder/one" "$folder/many"
  done
  train "$folder/one" 1,1:unpipelined/6 --dropout 0.1
  for way in 2,2:gpipe/6 1,4:1f1b/6; do
    train "$folder/many" "$way" --dropout 0.1
    agree "$way, dropout" 6 1e-11 "$folder/one" "$folder/many"
  done
  precision=(--precision float)
  train "$folder/one" 1,1:unpipelined/6 --dropout 0.1
  train "$folder/many" 2,2:1f1b/6 --dropout 0.1
  agree "2,2 1f1b/6, dropout, float" 6 1e-5 "$folder/one" "$folder/many"
}

resumed() {
  few_digits 192
  goes_on "data=1,stage=2 --microbatches 6" "data=1,stage=1 --strategy unpipelined" "data=2,stage=2 --strategy gpipe --microbatches 6" "data=1,stage=3 --microbatches 12"
  train_on "data=1,stage=2 --microbatches 6" "$folder/run.losses" --dropout 0.1 --steps 1 --every 1 --checkpoint "$folder/dropped" || fail "with dropout: $(cat "$folder/err")"
  refused "microbatches: expected 6, as in the run of the checkpoint, found 12;" --precision double --batch 48 --dropout 0.1 --microbatches 12 --checkpoint "$folder/dropped"
  precision=(--precision float)
  goes_on "data=1,stage=2 --strategy gpipe --microbatches 6"
}

# 16 images a microbatch.
peak() {
  run 4 --mesh stage=4 --strategy "$1" --microbatches "$2" --batch $((16 * $2)) --epochs 2 --steps 2
  sed -n 's/^peak memory of rank 0: \([0-9]*\) bytes.*/\1/p' "$folder/log"
}
memory() {
  local few many bound
  few_digits 1024 10
  few=$(peak 1f1b 16) many=$(peak 1f1b 64)
  echo "1f1b: $few bytes with 16 microbatches, $many with 64"
  [ -n "$few" ] && [ "$few" = "$many" ] || fail "1f1b takes $few bytes with 16 microbatches and $many with 64"
  few=$(peak gpipe 16) many=$(peak gpipe 64)
  echo "gpipe: $few bytes with 16 microbatches, $many with 64"
  bound=$(sed -n 's/^peak memory.* microbatches: \([0-9]*\) bytes/\1/p' "$folder/log")
  [ "${few:-0}" -lt "${many:-0}" ] && [ "${many:-0}" -gt "${bound:-0}" ] || fail "gpipe takes $few bytes with 16 microbatches, $many with 64; 1f1b's bound is $bound"
}

errors() {
  refused "expected sizes whose product divides 2, the number of ranks, found 'stage=3'" --mesh stage=3
  refused "--batch divides by --microbatches" --microbatches 5
  refused "1f1b or gpipe or unpipelined, found 'zb'" --strategy zb
  refused "expected the axis data or stage, found 'model'" --mesh data=2,model=1
  few_digits 100 10
  refused "an epoch has a batch or more; found 100 images and --batch 128" --batch 128
}

check_case
