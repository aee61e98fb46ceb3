#!/usr/bin/env bash
# examples.sh ROOT: passes if no example names a detail namespace, none is too long, and no header of the library is quoted by marks.
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

# A reader reads an example from top to bottom.
for source in $(find examples -name '*.cpp'); do
  lines=$(wc -l < "$source")
  if [ "$lines" -gt 200 ]; then
    echo "$source has $lines lines, more than 200"
    failed=1
  fi
done
# Demo code is in examples/support, and pages quote examples and tests: a header of the library has no region to quote.
if grep -rnE '^ *// \[[^]]+\]$' include; then
  echo "a header has a mark of a quotation: quote an example or a test, or its lines"
  failed=1
fi
exit $failed
