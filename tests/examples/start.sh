#!/usr/bin/env bash
# start.sh LAUNCH PROGRAM CASE: checks how training programs end.
#   errors    what all ranks throw is printed once, and what one rank meets with alone by that rank; where one shard
#             differs from its replica, ranks that hold others say so too; a launcher that needs 11 s is not taken for a hang
source "$(dirname "${BASH_SOURCE[0]}")/training"

errors() {
  refused "^start: all ranks say so$" --seed 2
  refused "^start: rank 1: no such example$" --seed 1
  timeout 60 "$launch" 4 "$program" --seed 3 > "$folder/out" 2> "$folder/err"
  [ $? = 1 ] && [ "$(grep -c '^start: .*replicas: the checksums of the parameters' "$folder/err")" = 1 ] || fail "a shard that differs: $(cat "$folder/err")"
  # A wrapper, whose path has a space.
  mkdir "$folder/slow launcher"
  printf '#!/usr/bin/env bash\nsleep 11\nexec "%s" "$@"\n' "$launch" > "$folder/slow launcher/launch"
  chmod +x "$folder/slow launcher/launch"
  launch="$folder/slow launcher/launch" refused "^start: all ranks say so$" --seed 2
}

check_case
