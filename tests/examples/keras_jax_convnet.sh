#!/usr/bin/env bash
# keras_jax_convnet.sh LAUNCH PROGRAM CASE: checks the convolutional network as a user would run it, on few images.
#   losses    20 steps of up to 30 images: the losses on 2, 4 and 8 ranks agree with those on 1, 1e-9 relative in double
#   resumed   a run goes on from its newest checkpoint, also where its ranks were killed: the same losses and log, bit by bit, and
#             on other meshes losses within 1e-9; so does one whose normalisations are by shard, on its mesh
#   errors    what a mesh of data alone does not have ends every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"
few_digits 96
training=(--batch 28)

# 30 images are uneven shards on 4 and 8 ranks, and 6, the last of an epoch, are empty ones on 8.
losses() {
  local ranks options="--batch 30 --steps 20 --epochs 5 --precision double"
  for ranks in 1 2 4 8; do
    "$launch" $ranks "$program" --mesh data=$ranks $options --losses "$folder/$ranks" > "$folder/log" || fail "$ranks ranks: $(cat "$folder/log")"
    agree "$ranks ranks" 20 1e-9 "$folder/1" "$folder/$ranks"
  done
  # By shard one rank computes the same, and two do not.
  for ranks in 1 2; do
    "$launch" $ranks "$program" --mesh data=$ranks $options --batch-norm shard --losses "$folder/shard" > "$folder/log" || fail "$ranks ranks, by shard: $(cat "$folder/log")"
    if [ $ranks = 1 ]; then
      agree "by shard, 1 rank" 20 1e-9 "$folder/1" "$folder/shard"
    elif agree_within "by shard, 2 ranks" 20 1e-3 "$folder/1" "$folder/shard"; then
      fail "by shard 2 ranks have the losses of 1"
    fi
  done
}

resumed() {
  goes_on data=2 data=1 data=4
  goes_on_killed data=2
  training+=(--batch-norm shard)
  goes_on data=2
}

errors() {
  refused 60 "need 3 ranks and the communicator has 2" --mesh data=3
  refused 60 "data=D, the only axis, with a size of 1 or more, found 'data=1,model=2'" --mesh data=1,model=2
  refused 60 "data=D, the only axis, with a size of 1 or more, found '0'" --mesh data=0
  refused 60 "help lists the options" --strategy data_parallel
  refused 60 "global or shard, found 'local'" --batch-norm local
  refused 60 "cannot be opened" --log "$folder/missing/file"
  refused 60 "cannot write" --losses "$folder/missing/file"
}

check_case
