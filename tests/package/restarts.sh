#!/usr/bin/env bash
# restarts.sh LAUNCH PROGRAM FOLDER: logistic regression goes on from its checkpoint on 1, 2, 3 and 4 ranks, one after the
# other.
set -u
launch=$1 program=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder" || exit 1
for ranks in 1 2 3 4; do
  said=$("$launch" $ranks "$program" "$folder" $((10 * ranks))) || { echo "$said"; exit 1; }
  echo "$said"
  if [[ "$said" != *"on $ranks ranks: steps $((10 * ranks - 10)) to $((10 * ranks)),"* ]]; then
    echo "the run on $ranks ranks has not gone on from the one before"
    exit 1
  fi
done
