#!/usr/bin/env bash
# must_end_badly.sh REGEX COMMAND...: passes if COMMAND ends with an error within a minute and a line of its output
# matches.
regex=$1
shift
output=$(timeout 60 "$@" 2>&1)
result=$?
printf '%s\nexit %d\n' "$output" "$result"
[ $result != 0 ] && [ $result != 124 ] && grep -qE -- "$regex" <<< "$output"
