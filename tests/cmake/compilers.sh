#!/usr/bin/env bash
# compilers.sh COMPILER FLAG...: passes if a program that includes ashlar is refused by one sentence below C++20, without exceptions, and
# by a compiler that is not known, and compiles otherwise.
set -u
failed=0
# refused SENTENCE OPTION...: at most one more error, the header that ends the compilation.
refused() {
  local sentence=$1 output
  shift
  for header in ashlar/config.hpp ashlar/layout.hpp; do
    output=$(echo "#include <$header>" | LC_ALL=C "${command[@]}" "$@" -x c++ -fsyntax-only - 2>&1)
    if ! grep -qF "$sentence" <<< "$output" || [ "$(grep -cE '(fatal )?error: ' <<< "$output")" -gt 2 ]; then
      printf '%s with %s:\n%s\n' "$header" "$*" "$output"
      failed=1
    fi
  done
}
command=("$@")
refused "ashlar::config: C++20 is needed; compile with -std=c++20" -std=c++17
refused "ashlar::config: errors are exceptions; compile without" -fno-exceptions
refused "ashlar::config: this compiler has never been tried; use g++ 12" -U__GNUC__ -U__clang__
if ! echo '#include <ashlar/config.hpp>' | "${command[@]}" -x c++ -fsyntax-only -; then failed=1; fi
exit $failed
