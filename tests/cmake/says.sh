#!/usr/bin/env bash
# says.sh REGEX COMMAND...: passes if COMMAND ends well, after a line that matches.
regex=$1
shift
output=$("$@" 2>&1)
result=$?
printf '%s\nexit %d\n' "$output" "$result"
[ $result = 0 ] && grep -qE -- "$regex" <<< "$output"
