#!/usr/bin/env bash
# mirrored.sh LAUNCH PROGRAM CASE: checks the mirrored network as a user would run it.
#   losses    60 steps of 30 images: the losses on 2, 4 and 8 ranks agree with those on 1, 1e-9 relative in double (pixels up to
#             255 make roundings grow: 2e-10 on MNIST, 5e-13 on synthetic digits); a second run on 4 ranks, without --mesh, gives the same bits
#   accuracy  2 epochs on 4 ranks reach 91.5 % of the test set on MNIST (where ASHLAR_DATA names it; 93 % on synthetic digits)
#   resumed   a run goes on from its newest checkpoint, in the middle of an epoch, also where its ranks were killed, with
#             dropout: the same losses and log, bit by bit, and on other meshes losses within 1e-9; a checkpoint of each epoch
#             stays
#   errors    what cannot be ends every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"

# 30 images are uneven shards on 4 and 8 ranks.
losses() {
  local ranks
  for ranks in 1 2 4 8; do
    "$launch" $ranks "$program" --mesh data=$ranks --batch 30 --steps 60 --precision double --losses "$folder/$ranks" > "$folder/log" || fail "$ranks ranks: $(cat "$folder/log")"
    agree "$ranks ranks" 60 1e-9 "$folder/1" "$folder/$ranks"
    grep -q "^mesh data=$ranks: $ranks replicas in sync$" "$folder/log" || fail "$ranks ranks: not as many replicas: $(cat "$folder/log")"
  done
  "$launch" 4 "$program" --batch 30 --steps 60 --precision double --losses "$folder/again" > "$folder/log" || fail "again: $(cat "$folder/log")"
  cmp "$folder/4" "$folder/again" || fail "a second run on 4 ranks gives other losses"
}

accuracy() {
  local least=0.93 reached
  if [ -n "${ASHLAR_DATA:-}" ]; then least=0.915; fi
  "$launch" 4 "$program" --mesh data=4 | tee "$folder/log"
  reached=$(tail -n 1 "$folder/log" | sed -n 's/^test accuracy: //p')
  awk -v a="${reached:-0}" -v l=$least 'BEGIN { exit !(a >= l) }' || fail "test accuracy '$reached' is below $least"
}

# 80 of the 96 images train, the others validate.
resumed() {
  local name from=${ASHLAR_DATA:-} training=(--batch 24 --dropout 0.2)
  few_digits 90
  mv "$folder/digits" "$folder/fewer"
  ASHLAR_DATA=$from few_digits 96
  goes_on data=2 data=1 data=4
  [ "$(ls "$folder/run" | grep -v '^step_' | tr '\n' ' ')" = "ckpt-1.h5 ckpt-2.h5 ckpt-3.h5 " ] || fail "not one for each epoch besides: $(ls "$folder/run")"
  grep -q '^epoch,loss,accuracy,val_loss,val_accuracy$' "$folder/whole.csv" || fail "other columns: $(cat "$folder/whole.csv")"
  goes_on_killed data=2

  # What every few steps left is damaged: the last epoch's own checkpoint serves.
  rm -rf "$folder/run" && cp -r "$folder/kept" "$folder/run"
  cp "$folder/kept.losses" "$folder/run.losses"
  for name in "$folder"/run/step_*; do truncate -s 5000 "$name"; done
  train_on data=2 "$folder/whole" --epochs 3 || fail "in one piece: $(cat "$folder/err")"
  train_on data=2 "$folder/run.losses" --epochs 3 --checkpoint "$folder/run" || fail "from an epoch's checkpoint: $(cat "$folder/err")"
  grep -q "goes on from step 4," "$folder/log" || fail "an epoch's checkpoint is not taken: $(cat "$folder/log")"
  cmp "$folder/whole" "$folder/run.losses" || fail "losses from an epoch's checkpoint differ in their bits"
  for name in "$folder"/run/*; do truncate -s 5000 "$name"; done
  refused "none of the" --precision double --batch 24 --dropout 0.2 --checkpoint "$folder/run"
  refused "examples: expected 96, as in the run of the checkpoint, found 90;" --precision double --batch 24 --dropout 0.2 --data "$folder/fewer" --checkpoint "$folder/kept"

  training+=(--asynchronous)
  goes_on data=2
  [ "$(ls "$folder/run" | grep -v '^step_' | tr '\n' ' ')" = "ckpt-1.h5 ckpt-2.h5 ckpt-3.h5 " ] || fail "written by threads, not one for each epoch: $(ls "$folder/run")"
}

errors() {
  refused "expected sizes whose product is 2, the number of ranks, found 'data=3'" --mesh data=3
  refused "expected the axis data, found 'model'" --mesh data=1,model=2
  refused "a whole number of 1 or more, found '0'" --batch 0
  refused "expected data_parallel, found 'model_parallel'" --strategy model_parallel
  refused "less than 1, found '1'" --dropout 1
  refused "cannot be opened" --log "$folder/missing/file"
  refused "cannot be opened" --losses "$folder/missing/file"
  refused "found neither" --data "$folder/missing"
  few_digits 60
  printf '?' | dd of="$folder/digits/train-labels-idx1-ubyte" bs=1 seek=20 conv=notrunc 2> /dev/null
  refused "train: expected labels 0 to 9, found 63 at index 12;" --data "$folder/digits"
  cp "$folder/digits/train-labels-idx1-ubyte" "$folder/digits/train-images-idx3-ubyte"
  refused "train: expected images of 28 x 28 bytes" --data "$folder/digits"
  # Of 3 images one validates; where there is one alone, none is left to train on.
  rm -r "$folder/digits"
  ASHLAR_DATA=
  few_digits 3
  "$launch" 2 "$program" --mesh data=2 --batch 2 --epochs 1 > "$folder/out" 2>&1 || fail "3 images: $(cat "$folder/out")"
  grep -q '^test accuracy: ' "$folder/out" || fail "3 images: $(cat "$folder/out")"
  rm -r "$folder/digits"
  ASHLAR_DATA=
  few_digits 1
  refused "expected 1 example or more" --batch 2
}

check_case
