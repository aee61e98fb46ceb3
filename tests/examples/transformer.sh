#!/usr/bin/env bash
# transformer.sh LAUNCH PROGRAM CASE: checks the transformer as a user would run it.
#   losses    6 steps of 6 excerpts, with dropout: losses agree on all ten meshes of 8 ranks, and two of 4, to 1e-11, relative, and
#             1e-5 in float, whatever is in shares over "data", and the model says the same at temperature 0
#   resumed   a run goes on from its newest checkpoint, in the middle of an epoch: the same losses and log, bit by bit, on
#             the same mesh, and within 1e-9 on another, by another strategy; with other epochs, over which the rate would fall
#             otherwise, it is refused
#   learns    16 epochs on 2 x 2 x 1 ranks: the loss falls below 0.25, where chance in the text is 0.14, and the model
#             completes 15 of 25 sums; in 8 on 1 x 2 x 2 the loss does too; a run that cannot learn says so and ends badly
#   errors    a mesh or a temperature that cannot be, and an option that the program does not have, ends every rank with one
#             sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"

training=(--dropout 0.1 --temperature 0)
# train FILE DATA,MODEL,SEQUENCE:STRATEGY: the losses of 6 steps.
train() {
  local data model sequence
  IFS=, read -r data model sequence <<< "${2%:*}"
  train_on "data=$data,model=$model,sequence=$sequence --strategy ${2#*:}" "$1" --batch 6 --steps 6 || fail "$2: $(cat "$folder/err")"
}

# 6 excerpts of 50 characters, 19 of them different, and 4 heads, in uneven and empty parts.
losses() {
  local way
  train "$folder/one" 1,1,1:replicated
  tail -n 4 "$folder/log" > "$folder/says"
  for way in {"8,1,1","1,8,1","1,1,8","4,1,2","1,4,2","1,2,4"}:replicated {"4,2,1","2,1,2"}:zero1 {"2,4,1","2,2,1"}:zero2 {"2,1,4","2,2,2"}:zero3; do
    train "$folder/many" "$way"
    agree "$way" 6 1e-11 "$folder/one" "$folder/many"
    diff "$folder/says" <(tail -n 4 "$folder/log") || fail "$way: another text"
  done
  precision=(--precision float)
  train "$folder/one" 1,1,1:replicated
  for way in 2,1,2:zero1 4,1,1:zero2 2,2,1:zero3; do
    train "$folder/many" "$way"
    agree "float, $way" 6 1e-5 "$folder/one" "$folder/many"
  done
}

resumed() {
  training+=(--batch 128)
  goes_on "data=2,model=1,sequence=1 --strategy zero3" "data=1,model=2,sequence=2 --strategy replicated"
  goes_on "data=2,model=1,sequence=1 --strategy zero1" "data=2,model=1,sequence=2 --strategy zero2"
  refused "schedule: expected 12, as in the run of the checkpoint, found 8;" --precision double "${training[@]}" --epochs 2 --checkpoint "$folder/run"
}

# The mean of a run's last 50 losses is below 0.25.
learned() { # MESH [OPTION]...
  local mesh=$1 loss
  shift
  "$launch" 4 "$program" --mesh "$mesh" --losses "$folder/losses" "$@" > "$folder/log" 2>&1 || fail "$mesh: $(cat "$folder/log")"
  tail -n 25 "$folder/log"
  loss=$(tail -n 50 "$folder/losses" | awk '{ s += $1 } END { print s / NR }')
  awk -v l="$loss" 'BEGIN { exit !(l > 0 && l <= 0.25) }' || fail "$mesh: the mean of the last 50 losses, '$loss', is above 0.25"
}
learns() {
  local sums
  learned data=2,model=2
  sums=$(sed -n 's/^sums completed: \([0-9]*\) of 25$/\1/p' "$folder/log")
  [ "${sums:-0}" -ge 15 ] || fail "'$sums' of 25 sums are right"
  learned model=2,sequence=2 --epochs 8
  refused "above half of that of guessing" --dropout 0.95 --batch 2 --steps 100
}

errors() {
  refused "expected sizes whose product divides 2, the number of ranks, found 'sequence=3'" --mesh sequence=3
  refused "expected the axis data or model or sequence, found 'pipeline'" --mesh pipeline=2
  refused "axis 'sequence' is named twice" --mesh sequence=1,sequence=2
  refused "expected an integer of 1 or more, found '0'" --mesh sequence=0
  refused "a number of at least 0, found '-1'" --temperature=-1
  refused "replicated or zero1 or zero2 or zero3, found 'zero4'" --strategy zero4
  refused "float or double, found 'half'" --precision half
  refused "help lists the options" --data "$folder"
  refused "cannot be opened" --losses "$folder/missing/file"
}

check_case
