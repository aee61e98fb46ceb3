#!/usr/bin/env bash
# faults.sh LAUNCH SAVER CASE: nothing is lost but the save that did not finish. Whatever happens to a run, the next one
# finds in its folder the newest step whose save had returned, or a newer one, with the right elements.
#   kills       SIGKILL at random moments of saving, on 1 and 2 ranks, some of them asynchronous
#   calls       SIGKILL, EIO and ENOSPC at each system call by which a save writes, syncs, renames or removes, in turn
#   full        a limit on the size of files, where each write may be cut short
set -u
launch=$1 saver=$2 case=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
run=$folder/run out=$folder/out err=$folder/err

# step WORD: the last step that the program's output has behind the word, or 0.
step() { sed -n "s/^$1 //p" "$out" | tail -n 1 | grep . || echo 0; }

# check NAME LEAST: the folder's newest good checkpoint is of the step LEAST or a later one, and nothing lies beside but
# what a killed run left unfinished.
check() {
  local found
  "$saver" "$run" 0 > "$out" 2> "$err" || { fail "$1: the next run ends with $?: $(cat "$out" "$err")"; return; }
  found=$(step resumed)
  [ "$found" -ge "$2" ] || fail "$1: step $2 was saved and step $found is found"
  [ -z "$(ls "$run" | grep -v '^step_[0-9]*\.h5$')" ] || fail "$1: left behind: $(ls "$run")"
  [ "$(ls "$run" | wc -l)" -le 3 ] || fail "$1: not pruned: $(ls "$run")"
}

kills() {
  local i moment saved=0 before killed=0 interrupted=0
  local count=${ASHLAR_KILLS:-200}
  for ((i = 0; i < count; ++i)); do
    # Saves take some milliseconds; every moment of several of them is as likely as another.
    moment=$((RANDOM % 400 * 100))
    before=$saved
    case $((i % 4)) in
      0) "$saver" "$run" 1000 kill $moment > "$out" 2> "$err" ;;
      1) "$saver" "$run" 1000 async kill $moment > "$out" 2> "$err" ;;
      2) "$launch" 2 "$saver" "$run" 1000 kill $moment > "$out" 2> "$err" ;;
      3) "$launch" 2 "$saver" "$run" 1000 async kill $moment > "$out" 2> "$err" ;;
    esac
    [ $? != 0 ] && killed=$((killed + 1))
    grep -q '^wrong' "$out" && fail "kill $i: wrong elements of step $(step wrong)"
    grep -q '^resumed' "$out" || { fail "kill $i: did not resume: $(cat "$out" "$err")"; continue; }
    [ "$(step resumed)" -ge "$before" ] || fail "kill $i: step $before was saved and step $(step resumed) is found"
    saved=$(step resumed)
    [ "$(step saved)" -gt "$saved" ] && saved=$(step saved)
    ls "$run" | grep -q '\.part$' && interrupted=$((interrupted + 1))
  done
  check "after $count kills" "$saved"
  echo "$killed of $count runs were killed, $interrupted of them while a file was unfinished; the last step saved is $saved"
  [ "$killed" = "$count" ] || fail "only $killed runs of $count were killed"
  [ "$interrupted" -ge $((count / 10)) ] || fail "only $interrupted kills met a save; is the range of moments too wide?"
}

# The system calls of one save, in a folder that holds two, so that the third is removed.
calls=pwrite64,fsync,ftruncate,rename,unlink,sync_file_range
prepare() {
  rm -rf "$run"
  "$saver" "$run" 2 > "$out" 2> "$err" || fail "the first two saves: $(cat "$err")"
}
traced() { strace -f -qq -o "$folder/trace" -e trace=$calls "$@" "$saver" "$run" 1 > "$out" 2> "$err"; }

calls() {
  local call n all how status tried=0
  if ! command -v strace > /dev/null; then
    fail "strace is not installed: scripts/setup --test installs it"
    return
  fi
  prepare
  traced || fail "strace does not run here: $(cat "$err")"
  declare -A times
  for call in ${calls//,/ }; do times[$call]=$(grep -cE "^[0-9]+ +$call\(" "$folder/trace"); done
  echo "calls of a save: $(for call in ${calls//,/ }; do printf '%s %s, ' $call ${times[$call]}; done)"
  for call in pwrite64 fsync rename; do [ "${times[$call]}" -ge 1 ] || fail "a save never calls $call"; done
  for call in ${calls//,/ }; do
    for ((n = 1; n <= times[$call]; ++n)); do
      for how in signal=KILL error=EIO error=ENOSPC; do
        prepare
        timeout 60 strace -f -qq -o "$folder/trace" -e trace=$calls -e "inject=$call:$how:when=$n" "$saver" "$run" 1 > "$out" 2> "$err"
        status=$?
        tried=$((tried + 1))
        [ $status = 124 ] && fail "$how at $call $n: hung"
        if [ $how = signal=KILL ]; then
          [ $status != 0 ] || fail "$how at $call $n: was not killed"
        elif [ $status = 3 ]; then
          [ "$(grep -c '^saver: ashlar::' "$err")" = 1 ] || fail "$how at $call $n: expected one sentence, found: $(cat "$err")"
        elif [ $status != 0 ] || [ $call = pwrite64 ] || [ $call = fsync ] || [ $call = rename ]; then
          fail "$how at $call $n: ended with $status: $(cat "$err")"
        fi
        check "$how at $call $n" 2
      done
    done
  done
  # A disk that stays full.
  for ((n = 1; n <= times[pwrite64]; ++n)); do
    prepare
    timeout 60 strace -f -qq -o "$folder/trace" -e trace=$calls -e "inject=pwrite64:error=ENOSPC:when=$n+" "$saver" "$run" 1 > "$out" 2> "$err"
    [ $? = 3 ] && grep -q 'No space left' "$err" || fail "full from write $n on: $(cat "$err")"
    check "full from write $n on" 2
  done
  echo "$tried injections"
}

full() {
  local blocks
  for blocks in 1 4 8 16 40 80; do
    for ranks in 1 2; do
      prepare
      (ulimit -f $blocks && trap '' XFSZ && timeout 60 "$launch" $ranks "$saver" "$run" 1 > "$out" 2> "$err")
      [ $? = 124 ] && fail "$blocks blocks on $ranks ranks: hung"
      grep -q 'File too large' "$err" || fail "$blocks blocks on $ranks ranks: expected a sentence, found: $(cat "$out" "$err")"
      [ "$(grep -c '^saver: ' "$err")" = 1 ] || fail "$blocks blocks on $ranks ranks: expected one sentence, found: $(cat "$err")"
      check "$blocks blocks on $ranks ranks" 2
    done
  done
}

"$case"
exit $failed
