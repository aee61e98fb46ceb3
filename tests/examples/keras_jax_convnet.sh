#!/usr/bin/env bash
# keras_jax_convnet.sh LAUNCH PROGRAM CASE: checks the convolutional network as a user would run it, always on drawn digits.
#   losses    20 steps of 30 images: the losses on 2, 4 and 8 ranks agree with those on 1, 1e-9 relative in double
#   errors    what a mesh of data alone does not have ends every rank with one sentence
set -u
unset ASHLAR_DATA
launch=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# 30 images are uneven shards on 4 and 8 ranks.
losses() {
  local ranks
  for ranks in 1 2 4 8; do
    "$launch" $ranks "$program" --mesh data=$ranks --batch 30 --steps 20 --precision double --losses "$folder/$ranks" > "$folder/log" || fail "$ranks ranks: $(cat "$folder/log")"
    paste "$folder/1" "$folder/$ranks" | awk -v n="$ranks ranks" '
      { d = ($1 - $2) / $1; if (d < 0) d = -d; if (d > m) m = d; if (NF != 2) bad = 1 }
      END { print n ": " NR " losses, largest relative difference " m + 0; exit !(NR == 20 && !bad && m <= 1e-9) }' || fail "$ranks ranks"
  done
}

# refused SENTENCE ARGUMENT...: 2 ranks must end badly, print the sentence once, and not hang.
refused() {
  local sentence=$1 status
  shift
  timeout 60 "$launch" 2 "$program" --steps 1 "$@" > "$folder/out" 2> "$folder/err"
  status=$?
  [ $status != 0 ] || fail "$*: ended well"
  [ $status != 124 ] || fail "$*: hung"
  [ "$(grep -c -- "$sentence" "$folder/err")" = 1 ] || fail "$*: expected '$sentence' once, found: $(cat "$folder/err")"
}

errors() {
  refused "need 3 ranks and the communicator has 2" --mesh data=3
  refused "data=D, the only axis, with a size of 1 or more, found 'data=1,model=2'" --mesh data=1,model=2
  refused "data=D, the only axis, with a size of 1 or more, found '0'" --mesh data=0
  refused "help lists the options" --mesh data=2 --strategy data_parallel
  refused "cannot write" --mesh data=2 --losses "$folder/missing/file"
}

"$3"
exit $failed
