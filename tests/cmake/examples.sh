#!/usr/bin/env bash
# examples.sh ROOT: passes if no example names a detail namespace, and none is too long.
set -u
cd "$1" || exit 1
failed=0
sources=$(find examples -name '*.cpp' -o -name '*.hpp')
if [ "$(wc -w <<< "$sources")" -lt 10 ]; then
  echo "examples.sh: too few examples found: $sources"
  failed=1
fi
if grep -nE '[a-z]*_detail\b|\bdetail::' $sources; then
  echo "an example names a detail namespace: give what it needs a public name"
  failed=1
fi

# An example has 100 lines at most, and the headers that examples share have 150 together.
for source in $(find examples -name '*.cpp'); do
  lines=$(wc -l < "$source")
  if [ "$lines" -gt 100 ]; then
    echo "$source has $lines lines, more than 100: give users what they would copy as part of the library"
    failed=1
  fi
done
most=150
lines=$(find examples -name '*.hpp' -exec cat {} + | wc -l)
if [ "$lines" -gt $most ]; then
  echo "the headers of the examples have $lines lines, more than $most"
  failed=1
fi
exit $failed
