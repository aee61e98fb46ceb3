#!/usr/bin/env bash
# must_fail.sh [--without-control] SOURCE COMPILER FLAG...: passes if SOURCE compiles with ASHLAR_CONTROL defined, and does not
# compile without it. The option leaves the first to controls.sh, which tries many sources at once. Each "// EXPECT: <extended regex>" in it must match one line of the diagnostics: an error, a note, or the
# quoted line of a throw, or of a call of fail, in a constexpr function. With a line "// ONE ERROR" there is no second error, and with
# "// ERRORS: N" there are N.
set -u
control=yes
if [ "$1" = --without-control ]; then
  control=
  shift
fi
source=$1
shift
compiler=("$@")
case $1 in *clang*) compiler+=(-ferror-limit=0) ;; esac
compile() { LC_ALL=C "${compiler[@]}" -fsyntax-only -Werror=unused-result "$@" "$source" 2>&1; }

mapfile -t expected < <(sed -n 's|^ *// EXPECT: ||p' "$source")
if [ ${#expected[@]} = 0 ]; then echo "$source has no line '// EXPECT: <regex>'"; exit 1; fi
if grep -q '^// CONTROL ALONE' "$source"; then control=yes; fi
if [ -n "$control" ] && ! output=$(compile -DASHLAR_CONTROL); then
  printf 'the control branch does not compile:\n%s\n' "$output"
  exit 1
fi
if output=$(compile); then echo "the mistake compiles"; exit 1; fi
diagnostics=$(grep -E ' (fatal )?error: | note: |\b(throw +|fail(_other)?(_extents|_number)?\()"' <<< "$output")
for regex in "${expected[@]}"; do
  if ! grep -qE -- "$regex" <<< "$diagnostics"; then
    printf 'no diagnostic matches: %s\n%s\n' "$regex" "$output"
    exit 1
  fi
done
wanted=$(sed -n 's|^ *// ERRORS: ||p; s|^ *// ONE ERROR.*|1|p' "$source")
found=$(grep -cE ' (fatal )?error: ' <<< "$output")
if [ -n "$wanted" ] && [ "$found" != "$wanted" ]; then
  printf 'there are %s errors, not %s:\n%s\n' "$found" "$wanted" "$output"
  exit 1
fi
printf '%s\n' "$output"
