#!/usr/bin/env bash
# array_faults.sh LAUNCH SAVER FAULTY_DISK: a save of arrays over older files meets a fault in each write of each rank in turn. It ends
# with one sentence, or is killed. The older files are whole after it, and nothing unfinished is left unless the save was killed.
# With ASHLAR_FAULTS=few each fault meets one rank.
set -u
launch=$1 saver=$2 faulty_disk=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$faulty_disk" "$folder/faulty_disk.so"  # LD_PRELOAD is a list, which ends its items at spaces
faulty_disk=$folder/faulty_disk.so
failed=0
fail() { echo "FAILED: $*"; failed=1; }
out=$folder/out err=$folder/err seen=$folder/seen run=$folder/run
ranks=3

# start WORD...: the program on all ranks, with its output in $out and $err.
start() { timeout 100 "$launch" $ranks "$@" > "$out" 2> "$err"; }
with_fault() {
  local fault=$1 rank=$2 n=$3
  shift 3
  rm -f "$seen"
  start env LD_PRELOAD="$faulty_disk" ASHLAR_FAULT=$fault ASHLAR_FAULT_RANK=$rank ASHLAR_FAULT_AT=$n ASHLAR_FAULT_SEEN="$seen" \
    ASHLAR_FAULT_HIDDEN=1 "$@"
}

ways=("flip 1" "EIO 0" "ENOSPC 2" "KILL 1")
if [ "${ASHLAR_FAULTS:-all}" = all ]; then ways+=("flip 0" "flip 2"); fi
for file in a.safetensors a.safetensors.index.json a.h5; do
  for way in "${ways[@]}"; do
    mkdir "$run"
    start "$saver" "$run/$file" save 1 || fail "$file: the first save ends with $?: $(cat "$err")"
    files=$(ls "$run")
    for ((n = 1; ; ++n)); do
      with_fault $way $n "$saver" "$run/$file" save 2
      status=$?
      [ -e "$seen" ] || break  # it does not write so often
      if [[ $way != KILL* ]]; then
        [ $status = 3 ] && [ "$(grep -c '^array_saver: ashlar::io::save_arrays: ' "$err")" = 1 ] ||
          fail "$file, $way, write $n: expected one sentence, found $status: $(cat "$out" "$err")"
        [ "$(ls "$run")" = "$files" ] || fail "$file, $way, write $n: left behind: $(ls "$run")"
      fi
      "$saver" "$run/$file" check 1 > "$out" 2> "$err" || fail "$file, $way, write $n: the older file is read with $?: $(cat "$err")"
    done
    echo "$file, $way: $((n - 1)) writes"
    [ $n -ge 2 ] || fail "$file, $way: no write met the fault"
    start "$saver" "$run/$file" check 2 || fail "$file, $way: what is saved at last is read with $?: $(cat "$err")"
    [ "$(ls "$run")" = "$files" ] || fail "$file, $way: left behind: $(ls "$run")"
    rm -r "$run"
  done
done
exit $failed
