#!/usr/bin/env bash
# keras_distribution.sh LAUNCH PROGRAM CASE: checks the guide's program as a user would run it. It ends badly by itself where
# the mesh and one rank come to different losses.
#   losses    3 epochs on meshes of 1 to 8 ranks, by every strategy: the losses of all steps agree, 1e-11 relative in double; batches
#             come in another order each epoch, or as they are stored; a long run, whose roundings grow, is not taken for a wrong one
#   resumed   a run goes on from its newest checkpoint, also where its ranks were killed: the same losses and log, bit by bit, and
#             on other meshes losses within 1e-9; a run that is behind its end already ends well; a file that lacks losses of the steps
#             before is refused
#   errors    wrong options end every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"
training=()

# Batches of 24 leave 8 for the last, and uneven shards.
losses() {
  local run batch strategy mesh data model
  for batch in 16 24; do
    "$launch" 1 "$program" --batch $batch --precision double --losses "$folder/$batch" > "$folder/log" || fail "1x1: $(cat "$folder/log")"
  done
  for run in 16:model_parallel:{2x1,1x2,4x1,2x2,1x4,8x1,4x2,2x4,1x8} 16:data_parallel:{4x1,2x4} 16:columns_then_rows:{1x2,2x4} 16:gathered_hidden:2x4 24:gathered_hidden:{1x3,2x2} 24:model_parallel:{3x1,2x2,8x1}; do
    IFS=: read -r batch strategy mesh <<< "$run"
    data=${mesh%x*} model=${mesh#*x}
    "$launch" $((data * model)) "$program" --mesh "data=$data,model=$model" --strategy $strategy --batch $batch \
      --precision double --losses "$folder/many" > "$folder/log" || fail "$run: $(cat "$folder/log")"
    agree "$run" $((3 * ((128 + batch - 1) / batch))) 1e-11 "$folder/$batch" "$folder/many"
    grep -q '^one rank: [0-9.]* s, loss [0-9.]*; mesh of' "$folder/log" || fail "$run: no times of one rank and the mesh: $(cat "$folder/log")"
  done
  "$launch" 3 "$program" --strategy data_parallel --batch 24 --precision double --losses "$folder/many" > "$folder/log" || fail "without a mesh: $(cat "$folder/log")"
  grep -q '^mesh data=3 x model=1 on 3 ranks' "$folder/log" || fail "without a mesh: $(cat "$folder/log")"
  agree "without a mesh" 18 1e-11 "$folder/24" "$folder/many"
  "$launch" 4 "$program" --mesh model=2 --batch 24 --precision double --losses "$folder/many" > "$folder/log" || fail "model=2 on 4 ranks: $(cat "$folder/log")"
  grep -q '^mesh data=2 x model=2 on 4 ranks' "$folder/log" || fail "model=2 on 4 ranks: $(cat "$folder/log")"
  agree "model=2 on 4 ranks" 18 1e-11 "$folder/24" "$folder/many"
  for mesh in data=1,model=1 data=2,model=1; do
    train_on $mesh "$folder/${mesh:5:1}" --no-shuffle || fail "as stored on $mesh: $(cat "$folder/err")"
  done
  agree "as stored" 24 1e-11 "$folder/1" "$folder/2"
  if agree_within "as stored and shuffled" 24 1e-3 "$folder/1" "$folder/16"; then fail "--no-shuffle changes nothing"; fi
  train_on data=1,model=1 "$folder/2" --no-shuffle=false --help=false --asynchronous=false || fail "options that are off: $(cat "$folder/err")"
  cmp "$folder/16" "$folder/2" || fail "--no-shuffle=false leaves the order as it is stored"
  train_on data=1,model=2 "$folder/many" --epochs 100 || fail "100 epochs: $(tail -n 1 "$folder/log")"
}

resumed() {
  local training=(--batch 40)
  goes_on data=2,model=2 data=1,model=1 "data=2,model=4 --strategy gathered_hidden"
  train_on data=1,model=2 "$folder/run.losses" --epochs 1 --checkpoint "$folder/run" || fail "behind its end: $(cat "$folder/log" "$folder/err")"
  head -n 5 "$folder/run.losses" > "$folder/fewer"
  refused "expected the losses of the 12 steps before, found 5;" --batch 40 --precision double --checkpoint "$folder/run" --losses "$folder/fewer"
  [ "$(wc -l < "$folder/fewer")" = 5 ] || fail "a file that is refused was changed"
  training+=(--strategy data_parallel)
  goes_on_killed data=2
}

errors() {
  refused "expected sizes whose product is 2, the number of ranks, found 'data=3,model=2'" --mesh data=3,model=2
  refused "expected the axis data or model, found 'rows'" --mesh rows=2
  refused "a whole number of 1 or more, found '0'" --batch 0
  refused "less than 1, found '1'" --dropout 1
  refused "model_parallel or data_parallel or columns_then_rows or gathered_hidden, found 'both'" --strategy both
  refused "help lists the options" --data "$folder"
  refused "expected sizes whose product is 2, the number of ranks, found 'data=1,model=1'" --strategy data_parallel --mesh data=1,model=1
  refused "cannot be opened" --log "$folder/missing/file"
  refused "cannot be opened" --losses "$folder/missing/file"
  refused "expected a file" --losses /dev/full --steps 24
  if grep -q '^ *epoch ' "$folder/out"; then fail "an epoch passes before a full disk is met: $(cat "$folder/out")"; fi
  local option
  for option in log losses trace; do refused "^keras_distribution: --$option: expected the name of a file, found ''$" --$option=; done
  refused "^keras_distribution: --checkpoint: expected the name of a folder, found ''$" --checkpoint ""
}

check_case
