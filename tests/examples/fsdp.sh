#!/usr/bin/env bash
# fsdp.sh LAUNCH PROGRAM CASE: checks fully sharded data parallelism as a user would run it, on MNIST where ASHLAR_DATA
# names it, and on synthetic digits otherwise.
#   losses   6 steps of 60 images, with dropout: the losses of every strategy on 1, 2, 3, 4 and 8 ranks, replicas among them,
#            agree with those of one rank with everything replicated, 1e-11 relative in double, 1e-5 in float, and fall
#   resumed  a run goes on from its newest checkpoint, in the middle of an epoch: the same losses and log, bit by bit, on
#            the same mesh, and within 1e-9 by another strategy on other meshes
#   memory   on 4 ranks each stage of ZeRO takes less memory than the one before; the program itself checks its bound,
#            of uneven shards too
#   errors   what the mesh does not have, and a batch for which there is no number, end every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"

training=(--batch 60 --dropout 0.1)
# train FILE MESH STRATEGY: the losses of 3 epochs of 2 batches on a mesh DATA,SHARD.
train() {
  train_on "data=${2%,*},shard=${2#*,} --strategy $3" "$1" --epochs 3 || fail "$2 $3: $(cat "$folder/err")"
}

losses() {
  local mesh strategy
  few_digits 120 60
  train "$folder/one" 1,1 replicated
  fall "one rank" "$folder/one"
  for mesh in 1,3 2,2 2,4; do
    for strategy in replicated zero1 zero2 zero3; do
      train "$folder/many" $mesh $strategy
      agree "$mesh $strategy" 6 1e-11 "$folder/one" "$folder/many"
    done
  done
  for mesh in 1,1 1,2 2,1 1,8; do
    train "$folder/many" $mesh zero3
    agree "$mesh zero3" 6 1e-11 "$folder/one" "$folder/many"
  done
  precision=(--precision float)
  train "$folder/one" 1,1 replicated
  train "$folder/many" 2,2 zero3
  agree "2,2 zero3, float" 6 1e-5 "$folder/one" "$folder/many"
}

resumed() {
  few_digits 240
  goes_on "data=1,shard=2 --strategy zero3" "data=1,shard=1 --strategy replicated" "data=2,shard=2 --strategy zero1" "data=1,shard=3"
  refused "of type float32, found float64" --batch 60 --checkpoint "$folder/kept"
  precision=(--precision float)
  goes_on "data=1,shard=2 --strategy zero1"
  goes_on "data=2,shard=1 --strategy zero2"
}

memory() {
  local strategy peak before=0
  few_digits 384 10
  for strategy in zero3 zero2 zero1 replicated; do
    "$launch" 4 "$program" --mesh shard=4 --strategy $strategy --epochs 1 > "$folder/log" || fail "$strategy: $(cat "$folder/log")"
    peak=$(sed -n 's/^peak memory of rank 0: \([0-9]*\) bytes.*/\1/p' "$folder/log")
    echo "$strategy: $peak bytes"
    [ "${peak:-0}" -gt "$before" ] || fail "$strategy takes $peak bytes, the stage above $before"
    before=$peak
  done
  "$launch" 3 "$program" --mesh shard=3 --epochs 1 > "$folder/log" || fail "zero3 by uneven shards: $(cat "$folder/log")"
}

errors() {
  refused "expected sizes whose product divides 2, the number of ranks, found 'shard=3'" --mesh shard=3
  refused "expected the axis data or shard, found 'model'" --mesh data=1,model=2
  refused "zero3 or zero2 or zero1 or replicated, found 'zero4'" --strategy zero4
  refused "a whole number of 1 or more, found '0'" --batch 0
  refused "less than 1, found '1'" --dropout 1
  refused "help lists the options" --microbatches 2
  refused "cannot be opened" --log "$folder/missing/file"
}

check_case
