#!/usr/bin/env bash
# tf_dtensor.sh LAUNCH PROGRAM CASE: checks the tutorial's program as a user would run it.
#   losses    30 steps of 30 images, with dropout: the losses on 2, 4 and 8 ranks, with weights replicated or sharded, agree with
#             those on 1, 1e-11 relative in double
#   accuracy  3 epochs on 4 ranks reach 96 % on MNIST (where ASHLAR_DATA names it; 95 % on synthetic digits). About 97 % is usual,
#             and the rest is for other seeds and roundings
#   resumed   a run goes on from its newest checkpoint, also where its ranks were killed: the same losses and log, bit by bit, and
#             on other meshes losses within 1e-9, with weights replicated or sharded
#   errors    wrong options end every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"

# 30 images are uneven shards on 4 and 8 ranks. The program prints its weights, by --strategy model_parallel split by the map.
losses() {
  local ranks strategy spec=none
  few_digits 900
  for strategy in data_parallel model_parallel; do
    [ $strategy = data_parallel ] || spec='"data"'
    for ranks in 1 2 4 8; do
      "$launch" $ranks "$program" --mesh data=$ranks --strategy $strategy --dropout 0.1 --batch 30 --steps 30 --precision double --losses "$folder/$ranks.$strategy" > "$folder/log" || fail "$ranks ranks, $strategy: $(cat "$folder/log")"
      agree "$ranks ranks, $strategy" 30 1e-11 "$folder/1.data_parallel" "$folder/$ranks.$strategy"
      [ "$(grep -c "^  d[12]/kernel, layout<$spec, none>$" "$folder/log")" = 2 ] || fail "$ranks ranks, $strategy: other layouts of the kernels: $(cat "$folder/log")"
    done
  done
}

resumed() {
  local training=(--batch 28)
  few_digits 96
  goes_on data=2 data=1 data=4
  goes_on_killed data=2
  training+=(--strategy model_parallel --dropout 0.2)
  goes_on data=4 data=2
}

accuracy() {
  local least=0.95 reached
  if [ -n "${ASHLAR_DATA:-}" ]; then least=0.96; fi
  "$launch" 4 "$program" --mesh data=4 | tee "$folder/log"
  reached=$(tail -n 1 "$folder/log" | sed -n 's/^test accuracy: //p')
  awk -v a="${reached:-0}" -v l=$least 'BEGIN { exit !(a >= l) }' || fail "test accuracy '$reached' is below $least"
}

errors() {
  refused "expected sizes whose product is 2, the number of ranks, found 'data=3'" --mesh data=3
  refused "expected the axis data, found 'model'" --mesh data=1,model=2
  refused "a whole number of 1 or more, found '0'" --epochs 0
  refused "data_parallel or model_parallel, found 'both'" --strategy both
  refused "less than 1, found '1'" --dropout 1
  refused "help lists the options" --batch-norm shard
  refused "cannot be opened" --log "$folder/missing/file"
  refused "found neither" --data "$folder/missing"
  refused "cannot be opened" --losses "$folder/missing/file"
}

check_case
