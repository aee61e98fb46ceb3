#!/usr/bin/env bash
# other_library.sh LIBRARY COMPILER FLAG...: passes if a source that is compiled otherwise than the library of functions that are no templates does
# not link, and the linker says how the source is compiled.
set -u
library=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo '#include "ashlar/tensor/environment.hpp"
int main() {}' > "$folder/program.cpp"
found=()
for assertions in -UNDEBUG -DNDEBUG; do
  "$@" -DASHLAR_COMPILED $assertions -c "$folder/program.cpp" -o "$folder/program.o" || exit 1
  missing=$(nm -C "$folder/program.o" | grep -o ' U .*library_compiled_with.*is_linked')
  if nm -C "$library" | grep -q " R ${missing# U }"; then found+=("$assertions"); fi
done
echo "the library serves sources with: ${found[*]}"
[ ${#found[@]} = 1 ]
