#!/usr/bin/env bash
# start.sh LAUNCH PROGRAM CASE: checks how training programs end.
#   errors    what all ranks throw is printed once, and what one rank meets with alone by that rank; where one shard
#             differs from its replica, ranks that hold others say so too
source "$(dirname "${BASH_SOURCE[0]}")/training"

errors() {
  refused "^start: all ranks say so$" --seed 2
  refused "^start: rank 1: no such example$" --seed 1
  timeout 60 "$launch" 4 "$program" --seed 3 > "$folder/out" 2> "$folder/err"
  [ $? = 1 ] && [ "$(grep -c '^start: .*replicas: the checksums of the parameters' "$folder/err")" = 1 ] || fail "a shard that differs: $(cat "$folder/err")"
}

check_case
