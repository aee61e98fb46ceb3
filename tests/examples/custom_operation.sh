#!/usr/bin/env bash
# custom_operation.sh LAUNCH PROGRAM CASE: checks the program with an operation of its own as a user would run it.
#   losses    8 steps of up to 60 sequences, in another order each epoch or as they are stored: the losses on 1 to 8 ranks agree with those of one, 1e-11 relative in
#             double, 1e-5 in float, and fall; 32 steps find the teacher's kernel, which the program itself checks
#   resumed   a run goes on from its newest checkpoint, in the middle of an epoch: the same losses and log, bit by bit, on
#             the same mesh, and within 1e-9 on others
#   short     the operation, with its rule, derivative and sentences, takes less than 60 lines
#   errors    what the mesh does not have, and options that the program does not have, end every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"

training=(--batch 60)
losses() {
  local mesh
  train_on data=1,seq=1 "$folder/one" --steps 8 || fail "one rank: $(cat "$folder/err")"
  fall "one rank" "$folder/one"
  for mesh in data=2,seq=1 data=1,seq=2 data=1,seq=3 data=2,seq=2 data=4,seq=1 data=1,seq=5 data=2,seq=4 data=1,seq=8; do
    train_on $mesh "$folder/many" --steps 8 || fail "$mesh: $(cat "$folder/err")"
    agree "$mesh" 8 1e-11 "$folder/one" "$folder/many"
  done
  train_on data=2,seq=1 "$folder/many" --steps 8 --no-shuffle || fail "as stored: $(cat "$folder/err")"
  if agree_within "as stored and shuffled" 8 1e-3 "$folder/one" "$folder/many"; then fail "--no-shuffle changes nothing"; fi
  precision=(--precision float)
  train_on data=1,seq=1 "$folder/one" --steps 5 || fail "float: $(cat "$folder/err")"
  train_on data=2,seq=2 "$folder/many" --steps 5 || fail "float on data=2,seq=2: $(cat "$folder/err")"
  agree "float on data=2,seq=2" 5 1e-5 "$folder/one" "$folder/many"
  training=()
  train_on data=2,seq=2 "$folder/many" || fail "32 steps: $(cat "$folder/err")"
  [ "$(wc -l < "$folder/many")" = 32 ] || fail "not 32 steps: $(cat "$folder/log")"
}

resumed() {
  training=(--batch 64)
  goes_on data=2,seq=2 data=1,seq=3 data=4,seq=1
}

short() {
  local lines
  lines=$(wc -l < "$(dirname "${BASH_SOURCE[0]}")/../../examples/support/rotary.hpp")
  echo "$lines lines"
  [ "$lines" -lt 60 ] || fail "an operation of one's own takes $lines lines"
}

errors() {
  refused "expected sizes whose product is 2, the number of ranks, found 'data=2,seq=3'" --mesh data=2,seq=3
  refused "expected the axis data or seq, found 'model'" --mesh model=2
  refused "a whole number of 1 or more, found '0'" --batch 0
  refused "float or double, found 'half'" --precision half
  refused "help lists the options" --dropout 0.1
  refused "expected data_parallel, found 'model_parallel'" --strategy model_parallel
  refused "cannot be opened" --losses "$folder/missing/file"
}

check_case
