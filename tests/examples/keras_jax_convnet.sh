#!/usr/bin/env bash
# keras_jax_convnet.sh LAUNCH PROGRAM CASE: checks the convolutional network as a user would run it, on few images.
#   losses    20 steps of up to 30 images: the losses on 2, 4 and 8 ranks agree with those on 1, 1e-9 relative in double, and so do
#             those of ranks that split the rows of images
#   resumed   a run goes on from its newest checkpoint, also where its ranks were killed: the same losses and log, bit by bit, and
#             on other meshes losses within 1e-9; so does one whose normalisations are by shard, on its mesh alone
#   accuracy  2 epochs of MNIST on 2 ranks, by seeds 1 to 3: the second recognises 96.5 % of its images. The bar is below the least of
#             any seed, 96.8 %. The three runs together recognise 90 % of the test images. Single runs have 92 to 97 %, because the
#             moving averages lag, and PyTorch's have 84 to 98 % (docs/how_to/from_keras_jax.md): so no run has a bar of its own
#   errors    what a mesh of data alone does not have ends every rank with one sentence
source "$(dirname "${BASH_SOURCE[0]}")/training"
[ "$case" = accuracy ] || few_digits 96
training=(--batch 28)

# 30 images are uneven shards on 4 and 8 ranks, and 6, the last of an epoch, are empty ones on 8.
losses() {
  local ranks options="--batch 30 --steps 20 --epochs 5 --precision double"
  for ranks in 1 2 4 8; do
    "$launch" $ranks "$program" --mesh data=$ranks $options --losses "$folder/$ranks" > "$folder/log" || fail "$ranks ranks: $(cat "$folder/log")"
    agree "$ranks ranks" 20 1e-9 "$folder/1" "$folder/$ranks"
  done
  for ranks in 1 2 3 4 8; do  # 28, 14 and 7 rows
    "$launch" $ranks "$program" --mesh data=$ranks $options --strategy spatial --losses "$folder/rows" > "$folder/log" || fail "$ranks ranks, by rows: $(cat "$folder/log")"
    agree "by rows, $ranks ranks" 20 1e-9 "$folder/1" "$folder/rows"
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
  precision=(--precision float)  # other convolutions
  goes_on_killed data=2
  precision=(--precision double)
  training+=(--batch-norm shard)
  goes_on data=2
  refused "shards: expected 2, as in the run of the checkpoint, found 1;" --precision double --batch 28 --checkpoint "$folder/kept"
  train_on data=4 "$folder/run.losses" --checkpoint "$folder/kept" && fail "by the shards of another mesh"
  grep -q "shards: expected 2, as in the run of the checkpoint, found 4;" "$folder/err" || fail "by the shards of another mesh: $(cat "$folder/err")"
}

accuracy() {
  local seed reached trained sum=0
  [ -n "${ASHLAR_DATA:-}" ] || fail "ASHLAR_DATA names no folder with MNIST"
  for seed in 1 2 3; do
    "$launch" 2 "$program" --mesh data=2 --seed $seed --log "$folder/log.csv" > "$folder/log" 2>&1 || fail "seed $seed: $(cat "$folder/log")"
    reached=$(sed -n 's/^test accuracy: //p' "$folder/log")
    trained=$(tail -n 1 "$folder/log.csv" | cut -d, -f3)
    rm "$folder/log.csv"
    echo "seed $seed: training accuracy $trained, test accuracy $reached"
    awk -v t="$trained" 'BEGIN { exit !(t >= 0.965 && t <= 1) }' || fail "seed $seed: $trained of the images of the second epoch"
    sum=$(awk -v s="$sum" -v r="$reached" 'BEGIN { print s + r }')
  done
  awk -v s="$sum" 'BEGIN { exit !(s >= 2.7 && s <= 3) }' || fail "the test accuracies of 3 seeds sum up to $sum"
}

errors() {
  refused "expected sizes whose product is 2, the number of ranks, found 'data=3'" --mesh data=3
  refused "expected the axis data, found 'model'" --mesh data=1,model=2
  refused "expected an integer of 1 or more, found '0'" --mesh data=0
  refused "expected data_parallel or spatial, found 'model_parallel'" --strategy model_parallel
  refused "global or shard, found 'local'" --batch-norm local
  refused "cannot be opened" --log "$folder/missing/file"
  refused "cannot be opened" --losses "$folder/missing/file"
}

check_case
