#!/usr/bin/env bash
# mnist_mlp.sh LAUNCH PROGRAM CASE: checks the training example as a user would run it.
#   losses    the first 50 losses agree on meshes of 4 ranks and both strategies: 1e-11 in double, 1e-5 in float, relative
#   more_losses  the first 100, also on 8 ranks, and in float on another mesh
#   accuracy  5 epochs on 2 x 2 ranks reach 97.2 % on MNIST (where ASHLAR_DATA names it; 95 % on synthetic digits)
#   resumed   a run that was killed goes on from its newest checkpoint: the same losses, bit by bit, on the same mesh, and
#             within 1e-9 in double on others, and the log of its epochs; damaged checkpoints are passed over; what does not fit,
#             and other data or options than the checkpoint's run had, is an error
#   errors    wrong options and files end every rank with one sentence, within a minute
source "$(dirname "${BASH_SOURCE[0]}")/training"

# agree_on STEPS PRECISION TOLERANCE MESH...: the losses on one rank and on the meshes, by both strategies.
agree_on() {
  local steps=$1 precision=$2 tolerance=$3 mesh strategy data model
  shift 3
  "$launch" 1 "$program" --steps $steps --epochs 1 --precision $precision --losses "$folder/one" > "$folder/log" || fail "1x1 $precision: $(cat "$folder/log")"
  [ "$(wc -l < "$folder/one")" = $steps ] || fail "1x1 $precision: not $steps losses"
  for mesh in "$@"; do
    for strategy in model_parallel data_parallel; do
      data=${mesh%,*} model=${mesh#*,}
      "$launch" $((data * model)) "$program" --mesh "data=$data,model=$model" --strategy $strategy --steps $steps --epochs 1 \
        --precision $precision --losses "$folder/many" > "$folder/log" || fail "$mesh $strategy $precision: $(cat "$folder/log")"
      agree "$mesh $strategy $precision" $steps $tolerance "$folder/one" "$folder/many"
    done
  done
}

losses() {
  few_digits 6400
  agree_on 50 double 1e-11 4,1 1,4 2,2
  agree_on 50 float 1e-5 2,2
}

more_losses() {
  few_digits 12800
  agree_on 100 double 1e-11 4,1 1,4 2,2 2,4
  agree_on 100 float 1e-5 2,2 1,4
}

accuracy() {
  local least=0.95 reached
  if [ -n "${ASHLAR_DATA:-}" ]; then least=0.972; fi
  "$launch" 4 "$program" --mesh data=2,model=2 | tee "$folder/log"
  reached=$(tail -n 1 "$folder/log" | sed -n 's/^test accuracy: //p')
  awk -v a="${reached:-0}" -v l=$least 'BEGIN { exit !(a >= l) }' || fail "test accuracy '$reached' is below $least"
  grep -q '^epoch 5/5   75%  loss [0-9.]*  accuracy [0-9.]*  *[0-9]* images/s  .* left$' "$folder/log" || fail "no line of progress"
  grep -q '^ *epoch  *loss  *accuracy  *seconds  *images/s$' "$folder/log" || fail "no table of epochs"
}

resumed() {
  local newest name training=(--batch 600)
  few_digits 2048
  goes_on data=2,model=2 data=1,model=1 data=1,model=3 data=4,model=1
  goes_on_killed data=2
  training+=(--asynchronous)
  goes_on data=2

  # The newest is damaged: the one before it serves. All are: an error.
  rm -rf "$folder/run" && cp -r "$folder/kept" "$folder/run"
  newest=$folder/run/step_000000000006.h5
  printf 'x' | dd of="$newest" bs=1 seek=$(($(stat -c %s "$newest") / 2)) conv=notrunc 2> /dev/null
  train_on data=2 "$folder/run.losses" --epochs 3 --checkpoint "$folder/run" || fail "past a damaged checkpoint: $(cat "$folder/err")"
  grep -q "is damaged" "$folder/err" || fail "the damaged checkpoint is not named: $(cat "$folder/err")"
  grep -q "goes on from step 4," "$folder/log" || fail "the one before a damaged checkpoint is not taken: $(cat "$folder/log")"
  cmp "$folder/whole" "$folder/run.losses" || fail "losses past a damaged checkpoint differ in their bits"
  for name in "$folder"/run/*; do truncate -s 5000 "$name"; done
  refused "none of the" --precision double --batch 600 --checkpoint "$folder/run"
  refused "expected 600, as in the run of the checkpoint" --precision double --batch 32 --checkpoint "$folder/kept"
  refused "seed: expected 1, as in the run of the checkpoint, found 2;" --precision double --batch 600 --seed 2 --checkpoint "$folder/kept"
  refused "dropout: expected 0.4, as in the run of the checkpoint, found 0.1;" --precision double --batch 600 --dropout 0.1 --checkpoint "$folder/kept"
  refused "shuffled: expected true, as in the run of the checkpoint, found false;" --precision double --batch 600 --no-shuffle --checkpoint "$folder/kept"
  mv "$folder/digits" "$folder/first"
  ASHLAR_DATA=$folder/first few_digits 1024
  refused "examples: expected 2048, as in the run of the checkpoint, found 1024;" --precision double --batch 600 --data "$folder/digits" --checkpoint "$folder/kept"
  cp -r "$folder/first" "$folder/other"
  printf 'x' | dd of="$folder/other/train-images-idx3-ubyte" bs=1 seek=5000 conv=notrunc 2> /dev/null
  refused "checksum: expected [0-9]*, as in the run of the checkpoint, found [0-9]*;" --precision double --batch 600 --data "$folder/other" --checkpoint "$folder/kept"
  refused "of type float32, found float64" --precision float --batch 600 --checkpoint "$folder/kept"
  : > "$folder/file"
  refused "cannot make the folder" --checkpoint "$folder/file"
  refused "a whole number of 1 or more, found '0'" --checkpoint "$folder/run" --every 0
}

errors() {
  refused "expected sizes whose product is 2, the number of ranks, found 'data=3,model=2'" --mesh data=3,model=2
  refused "expected the axis data or model, found 'rows'" --mesh rows=2
  refused "axis 'data' is named twice" --mesh data=2,data=1
  refused "a whole number of 1 or more, found '0'" --batch 0
  refused "a whole number of 1 or more, found 'many'" --epochs many
  refused "less than 1, found '1'" --dropout 1
  refused "model_parallel or data_parallel, found 'both'" --strategy both
  refused "float or double, found 'half'" --precision half
  refused "help lists the options" --unknown 3
  refused "a whole number of 1 to 1000000000" --batch 1000000000000000
  # Read before MPI begins, where nobody waits for the rank that prints: another one that ends first would end it, too.
  on_ranks=1 ASHLAR_WATCHDOG=soon refused "ASHLAR_WATCHDOG" --steps 1
  refused "cannot be opened" --log "$folder/missing/file"
  refused "cannot be opened" --losses "$folder/missing/file"
  refused "found neither" --data "$folder/missing"
  mkdir "$folder/broken"
  for part in train-images-idx3 train-labels-idx1 t10k-images-idx3 t10k-labels-idx1; do
    printf 'not an IDX file' > "$folder/broken/$part-ubyte"
  done
  refused "IDX" --data "$folder/broken"
}

check_case
