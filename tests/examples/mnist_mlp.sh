#!/usr/bin/env bash
# mnist_mlp.sh LAUNCH PROGRAM CASE: checks the training example as a user would run it.
#   losses    the first 100 losses agree on all meshes and strategies: 1e-11 in double, 1e-5 in float, relative
#   accuracy  5 epochs on 2 x 2 ranks reach 97.2 % on MNIST (where ASHLAR_DATA names it; 95 % on drawn digits)
#   resumed   a run that was killed goes on from its newest checkpoint: the same losses, bit by bit, on the same mesh, and
#             within 1e-9 in double on others, and the log of its epochs; damaged checkpoints are passed over, what does not fit
#             is an error
#   errors    wrong options and files end every rank with one sentence, within 10 seconds
source "$(dirname "${BASH_SOURCE[0]}")/training"

losses() {
  local precision tolerance
  for precision in double:1e-11 float:1e-5; do
    tolerance=${precision#*:} precision=${precision%:*}
    "$launch" 1 "$program" --steps 100 --epochs 1 --precision $precision --losses "$folder/one" > "$folder/log" || fail "1x1 $precision: $(cat "$folder/log")"
    [ "$(wc -l < "$folder/one")" = 100 ] || fail "1x1 $precision: not 100 losses"
    for mesh in 4,1 1,4 2,2 2,4; do
      for strategy in model_parallel data_parallel; do
        data=${mesh%,*} model=${mesh#*,}
        "$launch" $((data * model)) "$program" --mesh "data=$data,model=$model" --strategy $strategy --steps 100 --epochs 1 \
          --precision $precision --losses "$folder/many" > "$folder/log" || fail "$mesh $strategy $precision: $(cat "$folder/log")"
        agree "$mesh $strategy $precision" 100 $tolerance "$folder/one" "$folder/many"
      done
    done
  done
}

accuracy() {
  local least=0.95 reached
  if [ -n "${ASHLAR_DATA:-}" ]; then least=0.972; fi
  "$launch" 4 "$program" --mesh data=2,model=2 | tee "$folder/log"
  reached=$(tail -n 1 "$folder/log" | sed -n 's/^test accuracy: //p')
  awk -v a="${reached:-0}" -v l=$least 'BEGIN { exit !(a >= l) }' || fail "test accuracy '$reached' is below $least"
}

# train MESH STEPS FILE [OPTION]...: losses of a run in double precision; an epoch has 32 steps.
train() {
  local mesh=$1 steps=$2 losses=$3 training=(--batch 64)
  shift 3
  train_on "$mesh" "$losses" --steps "$steps" "$@"
}

resumed() {
  local where newest name way training=(--batch 600)
  few_digits 2048
  goes_on data=2,model=2
  goes_on_killed data=2
  train data=2 30 "$folder/whole" || fail "without checkpoints: $(cat "$folder/err")"
  for way in "" --asynchronous; do
    rm -rf "$folder/run"
    # Ends five steps after its last checkpoint.
    train data=2 25 "$folder/first" --checkpoint "$folder/run" --every 10 --keep 2 $way || fail "first run: $(cat "$folder/err")"
    [ "$(ls "$folder/run" | tr '\n' ' ')" = "step_000000000010.h5 step_000000000020.h5 " ] || fail "checkpoints: $(ls "$folder/run")"
    cp -r "$folder/run" "$folder/copy"
    train data=2 30 "$folder/rest" --checkpoint "$folder/run" --every 10 --keep 2 $way || fail "resumed: $(cat "$folder/err")"
    cmp <(tail -n 10 "$folder/whole") "$folder/rest" || fail "the resumed run's losses differ in their bits"
    [ "$(ls "$folder/run" | tr '\n' ' ')" = "step_000000000020.h5 step_000000000030.h5 " ] || fail "checkpoints kept: $(ls "$folder/run")"
    rm -rf "$folder/kept" && mv "$folder/copy" "$folder/kept"
  done
  for where in data=1,model=1 data=2,model=2 data=1,model=3 data=4,model=1; do
    rm -rf "$folder/run" && cp -r "$folder/kept" "$folder/run"
    train "$where" 30 "$folder/rest" --checkpoint "$folder/run" --every 10 || fail "resumed on $where: $(cat "$folder/err")"
    agree "resumed on $where" 10 1e-9 <(tail -n 10 "$folder/whole") "$folder/rest"
  done

  # The newest is damaged: the one before it serves. All are: an error.
  rm -rf "$folder/run" && cp -r "$folder/kept" "$folder/run"
  newest=$folder/run/step_000000000020.h5
  printf 'x' | dd of="$newest" bs=1 seek=$(($(stat -c %s "$newest") / 2)) conv=notrunc 2> /dev/null
  train data=2 30 "$folder/rest" --checkpoint "$folder/run" --every 10 || fail "past a damaged checkpoint: $(cat "$folder/err")"
  grep -q "is damaged" "$folder/err" || fail "the damaged checkpoint is not named: $(cat "$folder/err")"
  cmp <(tail -n 20 "$folder/whole") "$folder/rest" || fail "losses past a damaged checkpoint differ in their bits"
  for name in "$folder"/run/*; do truncate -s 5000 "$name"; done
  refused 20 "none of the" --precision double --batch 64 --checkpoint "$folder/run"
  refused 20 "expected 64, as in the run of the checkpoint" --precision double --batch 32 --checkpoint "$folder/kept"
  refused 20 "of type float32, found float64" --precision float --batch 64 --checkpoint "$folder/kept"
  : > "$folder/file"
  refused 20 "cannot make the folder" --checkpoint "$folder/file"
  refused 20 "a whole number of 1 or more, found '0'" --checkpoint "$folder/run" --every 0
}

errors() {
  refused 10 "need 6 ranks and the communicator has 2" --mesh data=3,model=2
  refused 10 "data=D,model=M" --mesh rows=2
  refused 10 "data=D,model=M" --mesh data=2,data=1
  refused 10 "a whole number of 1 or more, found '0'" --batch 0
  refused 10 "a whole number of 1 or more, found 'many'" --epochs many
  refused 10 "less than 1, found '1'" --dropout 1
  refused 10 "model_parallel or data_parallel, found 'both'" --strategy both
  refused 10 "float or double, found 'half'" --precision half
  refused 10 "help lists the options" --unknown 3
  refused 10 "cannot be opened" --log "$folder/missing/file"
  refused 10 "cannot write" --losses "$folder/missing/file"
  refused 10 "found neither" --data "$folder/missing"
  mkdir "$folder/broken"
  for part in train-images-idx3 train-labels-idx1 t10k-images-idx3 t10k-labels-idx1; do
    printf 'not an IDX file' > "$folder/broken/$part-ubyte"
  done
  refused 10 "IDX" --data "$folder/broken"
}

check_case
