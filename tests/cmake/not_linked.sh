#!/usr/bin/env bash
# not_linked.sh COMPILER FLAG...: passes if headers of ashlar::fft and ashlar::scalapack are refused by one sentence in a program that links other
# CMake targets of ashlar, and by at most one more error, which ends the compilation.
set -u
failed=0
refused() {
  local header=$1 sentence=$2 output
  output=$(echo "#include <$header>" | LC_ALL=C "${command[@]}" -DASHLAR_TARGETS -x c++ -fsyntax-only - 2>&1)
  if ! grep -qF "$sentence" <<< "$output" || [ "$(grep -cE '(fatal )?error: ' <<< "$output")" -gt 2 ]; then
    printf '%s:\n%s\n' "$header" "$output"
    failed=1
  fi
}
command=("$@")
refused ashlar/fft.hpp "ashlar::fft: the program does not link the transforms; link the CMake target ashlar::fft, too"
refused ashlar/scalapack.hpp "ashlar::linalg: the program does not link ScaLAPACK; link the CMake target ashlar::scalapack, too"
exit $failed
