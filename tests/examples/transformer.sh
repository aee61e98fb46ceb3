#!/usr/bin/env bash
# transformer.sh LAUNCH PROGRAM CASE: checks the transformer as a user would run it.
#   losses    20 steps of 6 excerpts, with dropout: losses agree on all meshes to 1e-11, relative, and the
#             untrained model says the same at temperature 0
#   learns    500 steps on 2 x 2 x 1 ranks: the loss falls below 0.25, where chance in the text is 0.14, and the model
#             completes 15 of 25 sums
#   errors    a mesh or a temperature that cannot be ends every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"

# run NAME DATA,MODEL,SEQUENCE: 6 excerpts of 50 characters, 19 of them different, and 4 heads, in uneven and empty parts.
run() {
  IFS=, read -r data model sequence <<< "$2"
  "$launch" $((data * model * sequence)) "$program" --mesh "data=$data,model=$model,sequence=$sequence" --batch 6 --steps 20 \
    --dropout 0.1 --temperature 0 --losses "$folder/$1" > "$folder/$1.log" || fail "$2: $(cat "$folder/$1.log")"
}

losses() {
  local mesh
  run one 1,1,1
  for mesh in 2,1,1 1,2,1 1,1,2 4,1,1 1,4,1 1,1,4 1,2,2 2,1,2 2,2,1 2,2,2 1,8,1 1,2,4; do
    run many $mesh
    agree $mesh 20 1e-11 "$folder/one" "$folder/many"
    diff <(tail -n 4 "$folder/one.log") <(tail -n 4 "$folder/many.log") || fail "$mesh: another text"
  done
}

learns() {
  local loss sums
  "$launch" 4 "$program" --mesh data=2,model=2 --losses "$folder/losses" | tee "$folder/log"
  loss=$(tail -n 50 "$folder/losses" | awk '{ s += $1 } END { print s / NR }')
  awk -v l="$loss" 'BEGIN { exit !(l > 0 && l <= 0.25) }' || fail "the mean of the last 50 losses, '$loss', is above 0.25"
  sums=$(sed -n 's/^sums completed: \([0-9]*\) of 25$/\1/p' "$folder/log")
  [ "${sums:-0}" -ge 15 ] || fail "'$sums' of 25 sums are right"
}

errors() {
  refused 60 "need 3 ranks and the communicator has 2" --mesh sequence=3
  refused 60 "data=D,model=M,sequence=S with sizes of 1 or more, each once, found 'pipeline=2'" --mesh pipeline=2
  refused 60 "data=D,model=M,sequence=S with sizes of 1 or more, each once, found 'sequence=1,sequence=2'" --mesh sequence=1,sequence=2
  refused 60 "data=D,model=M,sequence=S with sizes of 1 or more, each once, found '0'" --mesh sequence=0
  refused 60 "a number of at least 0, found '-1'" --temperature=-1
  refused 60 "help lists the options" --epochs 2
  refused 60 "cannot write" --losses "$folder/missing/file"
}

check_case
