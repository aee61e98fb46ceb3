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

# An example has 100 lines at most. Those named here are longer today: they may shrink and must not grow.
declare -A longer=([05_keras_jax_convnet.cpp]=115 [06_keras_distribution.cpp]=150 [08_mirrored.cpp]=128 [10_fsdp.cpp]=120
                   [11_pipeline.cpp]=170)
for source in examples/*.cpp; do
  name=$(basename "$source") lines=$(wc -l < "$source")
  if [ "$lines" -gt "${longer[$name]:-100}" ]; then
    echo "$source has $lines lines, more than ${longer[$name]:-100}: give users what they would copy as part of the library"
    failed=1
  fi
  if [ -n "${longer[$name]:-}" ] && [ "$lines" -le 100 ]; then
    echo "$source has 100 lines or less: take it off the list of longer ones"
    failed=1
  fi
  unset "longer[$name]"
done
for name in "${!longer[@]}"; do
  echo "there is no examples/$name: take it off the list of longer ones"
  failed=1
done
# The headers that examples share are to have 150 lines at most, after the parts of programs 09 and 12 have moved.
most=223
lines=$(cat examples/*.hpp | wc -l)
if [ "$lines" -gt $most ]; then
  echo "the headers of the examples have $lines lines, more than $most"
  failed=1
fi
exit $failed
