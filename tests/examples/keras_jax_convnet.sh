#!/usr/bin/env bash
# keras_jax_convnet.sh LAUNCH PROGRAM CASE: checks the convolutional network as a user would run it, always on drawn digits.
#   losses    20 steps of 30 images: the losses on 2, 4 and 8 ranks agree with those on 1, 1e-9 relative in double
#   errors    what a mesh of data alone does not have ends every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"
unset ASHLAR_DATA

# 30 images are uneven shards on 4 and 8 ranks.
losses() {
  local ranks
  for ranks in 1 2 4 8; do
    "$launch" $ranks "$program" --mesh data=$ranks --batch 30 --steps 20 --precision double --losses "$folder/$ranks" > "$folder/log" || fail "$ranks ranks: $(cat "$folder/log")"
    agree "$ranks ranks" 20 1e-9 "$folder/1" "$folder/$ranks"
  done
}

errors() {
  refused 60 "need 3 ranks and the communicator has 2" --mesh data=3
  refused 60 "data=D, the only axis, with a size of 1 or more, found 'data=1,model=2'" --mesh data=1,model=2
  refused 60 "data=D, the only axis, with a size of 1 or more, found '0'" --mesh data=0
  refused 60 "help lists the options" --strategy data_parallel
  refused 60 "cannot write" --losses "$folder/missing/file"
}

check_case
