#!/usr/bin/env bash
# mirrored.sh LAUNCH PROGRAM CASE: checks the mirrored network as a user would run it.
#   losses    60 steps of 30 images: the losses on 2, 4 and 8 ranks agree with those on 1, 1e-9 relative in double (pixels up to
#             255 make roundings grow: 2e-10 on MNIST, 5e-13 on drawn digits); a second run on 4 ranks gives the same bits
#   accuracy  2 epochs on 4 ranks reach 91.5 % of the test set on MNIST (where ASHLAR_DATA names it; 93 % on drawn digits)
#   killed    a run whose ranks are killed goes on from its newest checkpoint, in the middle of an epoch, and ends with the
#             losses of a run that was not, bit by bit; there is one for each epoch besides
#   errors    what cannot be ends every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"

# 30 images are uneven shards on 4 and 8 ranks.
losses() {
  local ranks
  for ranks in 1 2 4 8; do
    "$launch" $ranks "$program" --mesh data=$ranks --batch 30 --steps 60 --precision double --losses "$folder/$ranks" > "$folder/log" || fail "$ranks ranks: $(cat "$folder/log")"
    agree "$ranks ranks" 60 1e-9 "$folder/1" "$folder/$ranks"
  done
  "$launch" 4 "$program" --mesh data=4 --batch 30 --steps 60 --precision double --losses "$folder/again" > "$folder/log" || fail "again: $(cat "$folder/log")"
  cmp "$folder/4" "$folder/again" || fail "a second run on 4 ranks gives other losses"
}

accuracy() {
  local least=0.93 reached
  if [ -n "${ASHLAR_DATA:-}" ]; then least=0.915; fi
  "$launch" 4 "$program" --mesh data=4 | tee "$folder/log"
  reached=$(tail -n 1 "$folder/log" | sed -n 's/^test accuracy: //p')
  awk -v a="${reached:-0}" -v l=$least 'BEGIN { exit !(a >= l) }' || fail "test accuracy '$reached' is below $least"
}

# train FILE [OPTION]...: losses of two epochs of 9 steps on 2 ranks, the last of an epoch of 2000 images. The ranks' numbers
# stand in a file.
train() {
  local losses=$1
  shift
  rm -f "$folder/ranks"
  "$launch" 2 bash -c 'echo $$ >> "$0"; exec "$@"' "$folder/ranks" "$program" --mesh data=2 --batch 6000 \
    --losses "$losses" "$@" > "$folder/log" 2> "$folder/err"
}

killed() {
  local job rest
  train "$folder/whole" || fail "without checkpoints: $(cat "$folder/err")"
  [ "$(wc -l < "$folder/whole")" = 18 ] || fail "not 18 losses"
  train "$folder/first" --checkpoint "$folder/run" --every 4 --keep 9 &
  job=$!
  until [ -e "$folder/run/step_000000000012.h5" ] || ! kill -0 $job 2> /dev/null; do sleep 0.02; done
  kill -KILL $(cat "$folder/ranks") || fail "the run ended before it was killed: $(cat "$folder/err")"
  wait $job && fail "a killed run ended well"
  [ -e "$folder/run/step_000000000009.h5" ] || fail "no checkpoint of the first epoch: $(ls "$folder/run")"
  [ ! -e "$folder/run/step_000000000018.h5" ] || fail "the run was killed too late"
  train "$folder/rest" --checkpoint "$folder/run" --every 4 --keep 9 || fail "resumed: $(cat "$folder/err")"
  rest=$(wc -l < "$folder/rest")
  [ "$rest" = 6 ] || [ "$rest" = 2 ] || fail "the resumed run took $rest steps"
  cmp <(tail -n "$rest" "$folder/whole") "$folder/rest" || fail "the resumed run's losses differ in their bits"
  [ -e "$folder/run/step_000000000018.h5" ] || fail "no checkpoint of the second epoch: $(ls "$folder/run")"
  [ "$(ls "$folder/run" | grep -v '^step_' | tr '\n' ' ')" = "ckpt-1.h5 ckpt-2.h5 " ] || fail "not one for each epoch besides: $(ls "$folder/run")"
}

errors() {
  refused 60 "need 3 ranks and the communicator has 2" --mesh data=3
  refused 60 "data=D, the only axis, with a size of 1 or more, found 'data=1,model=2'" --mesh data=1,model=2
  refused 60 "a whole number of 1 or more, found '0'" --batch 0
  refused 60 "help lists the options" --dropout 0.5
  refused 60 "cannot write" --losses "$folder/missing/file"
  refused 60 "found neither" --data "$folder/missing"
}

check_case
