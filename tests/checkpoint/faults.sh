#!/usr/bin/env bash
# faults.sh LAUNCH SAVER CASE [FAULTY_DISK]: nothing is lost but the save that did not finish. Whatever happens to a run, the next one
# finds in its folder the newest step whose save had returned, or a newer one, with the right elements.
#   kills       SIGKILL at random moments of saving, on 1 and 2 ranks, some of them asynchronous
#   calls       SIGKILL, EIO and ENOSPC at each system call by which a save writes, syncs, renames or removes, in turn: of one
#               rank, and of its threads; and at the first and the last of each of either of two ranks
#   reads       EIO at each system call by which the next run opens or reads the newest checkpoint, of one rank and of either of two:
#               that one is named, stays, and the one before it is taken
#   flips       a disk that writes another byte than it is given, in each write of each rank in turn, of which that rank's own
#               cache knows nothing: what is read back is not what was written, and the save an error
#   folders     a file system that cannot sync folders: a save ends well
#   pages       the ranks of a save write to no page in common
#   full        a limit on the size of files of one rank, by which writes are cut short
# With ASHLAR_FAULTS=few the calls and reads that are tried are the first and the last of each kind.
set -u
launch=$1 saver=$2 case=$3 faulty_disk=${4:-}
folder=$(mktemp -d)
if [ -n "$faulty_disk" ]; then  # LD_PRELOAD is a list, which ends its items at spaces
  ln -s "$faulty_disk" "$folder/faulty_disk.so"
  faulty_disk=$folder/faulty_disk.so
fi
trap 'rm -rf "$folder"' EXIT
failed=0
exec 2> >(grep -vE "^[^ ]*: line [0-9]+: +[0-9]+ Killed" >&2)  # which bash says of every child that was killed
fail() { echo "FAILED: $*"; failed=1; }
few=false
if [ "${ASHLAR_FAULTS:-all}" = few ]; then few=true; fi
# between N LAST: true if N is neither the first nor the last.
between() { [ $1 != 1 ] && [ $1 != $2 ]; }
run=$folder/run out=$folder/out err=$folder/err

# step WORD: the last step that the program's output has behind the word, or 0.
step() { sed -n "s/^$1 //p" "$out" | tail -n 1 | grep . || echo 0; }

# check NAME LEAST [MOST]: the folder's newest good checkpoint is of the step LEAST or a later one, and nothing lies beside but
# what a killed run left unfinished. There are at most MOST checkpoints: the two that are kept, and one if the run ended before it removed it.
check() {
  local found
  "$saver" "$run" 0 > "$out" 2> "$err" || { fail "$1: the next run ends with $?: $(cat "$out" "$err")"; return; }
  found=$(step resumed)
  [ "$found" -ge "$2" ] || fail "$1: step $2 was saved and step $found is found"
  [ -z "$(ls "$run" | grep -v '^step_[0-9]*\.h5$')" ] || fail "$1: left behind: $(ls "$run")"
  [ "$(ls "$run" | wc -l)" -le "${3:-3}" ] || fail "$1: not pruned: $(ls "$run")"
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
  # Each run may have ended between a save and the removal of the oldest checkpoint. Runs that go on remove all of these.
  check "after $count kills" "$saved" $((count + 3))
  "$saver" "$run" 3 > "$out" 2> "$err" || fail "three saves after the kills: $(cat "$out" "$err")"
  check "after three more saves" $((saved + 3)) 2
  echo "$killed of $count runs were killed, $interrupted of them while a file was unfinished; the last step saved is $saved"
  [ "$killed" = "$count" ] || fail "only $killed runs of $count were killed"
  [ "$interrupted" -ge $((count / 10)) ] || fail "only $interrupted kills met a save; is the range of moments too wide?"
}

# A folder with steps 1 and 2, so that step 3 removes the first.
prepare() {
  if [ ! -d "$folder/prepared" ]; then
    "$saver" "$folder/prepared" 2 > "$out" 2> "$err" || fail "the first two saves: $(cat "$err")"
  fi
  rm -rf "$run"
  cp -r "$folder/prepared" "$run"
}

name=$run/step_00000000000
# traced WAY [STRACE_OPTION]...: a run of $steps more steps of which $calls to $paths are traced, on one rank, also by threads
# (async), or on two of which one is traced (rank0, rank1).
traced() {
  local way=$1 program=("$saver" "$run" $steps) tracer
  shift
  tracer=(strace -f -qq -o "$folder/trace" -e trace=$calls "${paths[@]/#/--trace-path=}" "$@")
  case $way in
    rank*) timeout 100 "$launch" 2 bash -c 'rank=$1 words=$2; shift 2; [ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = "$rank" ] || shift "$words"; exec "$@"' \
             _ "${way#rank}" ${#tracer[@]} "${tracer[@]}" "${program[@]}" ;;
    *) timeout 100 "${tracer[@]}" "${program[@]}" $way ;;
  esac > "$out" 2> "$err"
}
needs_strace() {
  command -v strace > /dev/null && return
  fail "strace is not installed: scripts/setup --test installs it"
  return 1
}
times_of() { grep -cE "^[0-9]+ +$1\(" "$folder/trace"; }

# in_order WAY: in the trace of a save nothing is written behind the fsync, the file has its name after that, the folder is synced
# then, and only after it an old file goes. On a rank that is not the first there is the fsync alone.
in_order() {
  awk -v names="$([ "$1" = rank1 ] || echo yes)" '
    / pwrite64\(/ { written = NR }
    / fsync\(/ { if (renamed) synced_name = NR; else synced = NR }
    / rename\(/ { renamed = NR; if (synced < written || !synced) bad = 1 }
    / unlink\(/ { if (renamed) { if (!synced_name) bad = 1; removed = NR } }
    END { exit !(written && synced > written && !bad && (!names || (renamed && synced_name && removed && written < renamed))) }' "$folder/trace" ||
    fail "${1:-one rank}: not written, synced, renamed, synced and removed in this order: $(cut -c1-100 "$folder/trace")"
}

calls() {
  local call n how status way tried=0
  local steps=1 calls=pwrite64,fsync,ftruncate,rename,unlink,sync_file_range paths=("$run" "${name}3.h5.part" "${name}3.h5" "${name}1.h5")
  needs_strace || return
  declare -A times
  for way in "" async rank0 rank1; do
    prepare
    traced "$way" || fail "strace does not run here: $(cat "$err")"
    in_order "$way"
    for call in ${calls//,/ }; do times[$call]=$(times_of $call); done
    echo "calls of a save${way:+, $way}: $(for call in ${calls//,/ }; do printf '%s %s, ' $call ${times[$call]}; done)"
    if [ "$way" != rank1 ]; then
      for call in pwrite64 fsync rename unlink; do [ "${times[$call]}" -ge 1 ] || fail "a save never calls $call"; done
    fi
    [ "${times[pwrite64]}" -ge 1 ] || fail "$way never writes"
    for call in ${calls//,/ }; do
      # strace counts each thread's calls apart: writes of threads are counted by the preloaded disk, and of others' calls the
      # last numbers may meet none.
      for ((n = 1; n <= times[$call]; ++n)); do
        if { $few || [[ $way == rank* ]]; } && between $n ${times[$call]}; then continue; fi
        for how in signal=KILL error=EIO error=ENOSPC; do
          prepare
          if [ "$way $call" = "async pwrite64" ]; then
            by_faulty_disk "${how#*=}" $n 1 0 async
            status=$?
            [ -e "$folder/seen" ] || fail "$how at $call $n $way: not met"
            [ $status != 0 ] || fail "$how at $call $n $way: ended well"
          else
            traced "$way" -e "inject=$call:$how:when=$n"
            status=$?
          fi
          tried=$((tried + 1))
          [ $status = 124 ] && fail "$how at $call $n $way: hung"
          if [ $status = 0 ]; then
            [ "$way" = async ] && ! grep -q INJECTED "$folder/trace" || fail "$how at $call $n $way: ended well"
          elif [ $how != signal=KILL ]; then
            [ $status = 3 ] && [ "$(grep -c '^saver: ashlar::' "$err")" = 1 ] || fail "$how at $call $n $way: expected one sentence, found $status: $(cat "$err")"
          fi
          check "$how at $call $n $way" 2
        done
      done
    done
    if [[ $way == rank* ]]; then continue; fi
    # A disk that stays full.
    for ((n = 1; n <= times[pwrite64]; ++n)); do
      if $few && between $n ${times[pwrite64]}; then continue; fi
      prepare
      traced "$way" -e "inject=pwrite64:error=ENOSPC:when=$n+"
      status=$?
      [ $status = 0 ] && [ "$way" = async ] && continue
      [ $status = 3 ] && grep -q 'No space left' "$err" || fail "full from write $n on $way: $status $(cat "$err")"
      check "full from write $n on $way" 2
    done
  done
  echo "$tried injections"
}

reads() {
  local call n times way tried=0
  local steps=0 calls=openat,pread64 paths=("${name}2.h5")
  needs_strace || return
  for call in ${calls//,/ }; do
    for way in "" rank0 rank1; do
      prepare
      traced "$way" || fail "strace does not run here: $(cat "$err")"
      times=$(times_of $call)
      echo "calls of a load${way:+, $way}: $call $times"
      [ "$times" -ge 1 ] || fail "${way:-one rank}: a load never calls $call"
      for ((n = 1; n <= times; ++n)); do
        if $few && between $n $times; then continue; fi
        prepare
        traced "$way" -e "inject=$call:error=EIO:when=$n" || fail "EIO at $call $n $way: ended with $?: $(cat "$out" "$err")"
        tried=$((tried + 1))
        [ "$(step resumed)" = 1 ] || fail "EIO at $call $n $way: step $(step resumed) is found"
        [ "$(grep -c "${name}2.h5: cannot be [a-z]*: Input/output error.*; the checkpoint before it is tried\$" "$err")" = 1 ] ||
          fail "EIO at $call $n $way: expected one sentence, found: $(cat "$err")"
        check "EIO at $call $n $way" 2
      done
    done
  done
  echo "$tried injections"
}

# by_faulty_disk FAULT N RANKS RANK [ARGUMENT]...: a save on so many ranks; one's write N meets a fault, which others alone see.
by_faulty_disk() {
  local fault=$1 n=$2 ranks=$3 rank=$4
  shift 4
  rm -f "$folder/seen"
  timeout 100 "$launch" $ranks env LD_PRELOAD="$faulty_disk" ASHLAR_FAULT=$fault ASHLAR_FAULT_RANK=$rank ASHLAR_FAULT_AT=$n ASHLAR_FAULT_SEEN="$folder/seen" \
    ASHLAR_FAULT_HIDDEN=$((ranks > 1)) "$saver" "$run" 1 "$@" > "$out" 2> "$err"
}

flips() {
  local n way status
  for way in "1 0" "2 0 async" "2 1 async" "4 0" "4 1" "4 2" "4 3"; do
    for ((n = 1; ; ++n)); do
      prepare
      by_faulty_disk flip $n $way
      status=$?
      [ -e "$folder/seen" ] || break  # it does not write so often
      [ $status = 3 ] && [ "$(grep -c '^saver: ashlar::io::save_checkpoint: ' "$err")" = 1 ] || fail "write $n on $way: expected one sentence, found $status: $(cat "$out" "$err")"
      check "write $n on $way" 2
      [ "$(step resumed)" = 2 ] || fail "write $n on $way: a save that failed has its name"
    done
    echo "$way: $((n - 1)) writes"
    [ $n -ge 2 ] || fail "$way: $((n - 1)) of a save's writes were flipped"
  done
}

folders() {
  local reason way steps=1 calls=fsync paths=("$run")
  needs_strace || return
  for way in "" async rank0; do
    for reason in EINVAL EOPNOTSUPP; do
      prepare
      traced "$way" -e "inject=fsync:error=$reason" || fail "$reason $way: ended with $?: $(cat "$out" "$err")"
      grep -q INJECTED "$folder/trace" || fail "$reason $way: not met"
      check "$reason $way" 3
    done
  done
}

# pages_of WAY: the pages that the traced rank writes in a save.
pages_of() {
  local steps=1 calls=pwrite64 paths=("${name}3.h5.part")
  prepare
  traced "$1" || fail "strace does not run here: $(cat "$err")"
  awk 'match($0, /, [0-9]+, [0-9]+\) += [0-9]+$/) {
         split(substr($0, RSTART + 2), part, /, |\)/)
         for (page = int(part[2] / 4096); page * 4096 < part[1] + part[2]; ++page) print page
       }' "$folder/trace" | sort -u
}
pages() {
  local first second
  needs_strace || return
  first=$(pages_of rank0) second=$(pages_of rank1)
  echo "pages of rank 0: $(wc -l <<< "$first"), of rank 1: $(wc -l <<< "$second")"
  [ -n "$first" ] && [ -n "$second" ] || fail "a rank writes no page"
  [ -z "$(comm -12 <(echo "$first") <(echo "$second"))" ] || fail "both write to the pages $(comm -12 <(echo "$first") <(echo "$second") | paste -sd ' ')"
}

full() {
  local bytes
  for bytes in 0 100 4096 5000 60000 110000 119000; do
    for ranks in 1 2; do
      prepare
      timeout 100 "$launch" $ranks "$saver" "$run" 1 limit $bytes > "$out" 2> "$err"
      [ $? = 124 ] && fail "$bytes bytes on $ranks ranks: hung"
      [ "$(grep -c '^saver: .*File too large' "$err")" = 1 ] || fail "$bytes bytes on $ranks ranks: expected one sentence, found: $(cat "$out" "$err")"
      check "$bytes bytes on $ranks ranks" 2
    done
  done
}

"$case"
exit $failed
