#!/usr/bin/env bash
# says.sh REGEX COMMAND...: passes if COMMAND ends without an error and a line of its output matches.
regex=$1
shift
output=$("$@" 2>&1)
result=$?
printf '%s\nexit %d\n' "$output" "$result"
[ $result = 0 ] && grep -qE -- "$regex" <<< "$output"
