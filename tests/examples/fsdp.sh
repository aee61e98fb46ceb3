#!/usr/bin/env bash
# fsdp.sh LAUNCH PROGRAM CASE: checks fully sharded data parallelism as a user would run it, on MNIST where ASHLAR_DATA
# names it, and on drawn digits otherwise.
#   losses   12 steps of 60 images: the losses of every strategy on 1, 2, 3, 4 and 8 ranks, replicas among them, agree with
#            those of one rank with everything replicated, 1e-11 relative
#   memory   on 4 ranks each stage of ZeRO takes less memory than the one before; the program itself checks its bound
#   errors   what the mesh does not have, and a batch for which there is no number, end every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"

losses() {
  local mesh strategy
  "$launch" 1 "$program" --strategy replicated --batch 60 --steps 12 --losses "$folder/one" > "$folder/log" || fail "one rank: $(cat "$folder/log")"
  for mesh in 1,1 1,2 2,1 1,3 2,2 2,4 1,8; do
    for strategy in replicated zero1 zero2 zero3; do
      data=${mesh%,*} shard=${mesh#*,}
      "$launch" $((data * shard)) "$program" --mesh "data=$data,shard=$shard" --strategy $strategy --batch 60 --steps 12 \
        --losses "$folder/many" > "$folder/log" || fail "$mesh $strategy: $(cat "$folder/log")"
      agree "$mesh $strategy" 12 1e-11 "$folder/one" "$folder/many"
    done
  done
}

memory() {
  local strategy peak before=0
  for strategy in zero3 zero2 zero1 replicated; do
    "$launch" 4 "$program" --mesh shard=4 --strategy $strategy --steps 3 > "$folder/log" || fail "$strategy: $(cat "$folder/log")"
    peak=$(sed -n 's/^peak memory of rank 0: \([0-9]*\) bytes.*/\1/p' "$folder/log")
    echo "$strategy: $peak bytes"
    [ "${peak:-0}" -gt "$before" ] || fail "$strategy takes $peak bytes, the stage above $before"
    before=$peak
  done
}

errors() {
  refused 60 "need 3 ranks and the communicator has 2" --mesh shard=3
  refused 60 "data=D,shard=S" --mesh data=1,model=2
  refused 60 "zero3 or zero2 or zero1 or replicated, found 'zero4'" --strategy zero4
  refused 60 "a whole number of 1 or more, found '0'" --batch 0
  refused 60 "help lists the options" --dropout 0.5
}

check_case
