#!/usr/bin/env bash
# setup.sh ROOT WORK CMAKE: scripts/setup --check counts a Boost and a cxxopts that CMake finds in a prefix, and no others.
set -euo pipefail
root=$1 work=$2
PATH=$(dirname "$3"):$PATH
unset CMAKE_PREFIX_PATH CMAKE_INCLUDE_PATH Boost_ROOT BOOST_ROOT CMAKE_TOOLCHAIN_FILE
rm -rf "$work"
mkdir -p "$work/prefix/include/boost" "$work/old_prefix/include/boost" "$work/old_cmake"
touch "$work/prefix/include/cxxopts.hpp" "$work/prefix/include/boost/"{config,mp11}.hpp "$work/old_prefix/include/boost/"{config,mp11}.hpp
printf '#define BOOST_VERSION 108000\n#define BOOST_LIB_VERSION "1_80"\n' > "$work/prefix/include/boost/version.hpp"
printf '#define BOOST_VERSION 107000\n#define BOOST_LIB_VERSION "1_70"\n' > "$work/old_prefix/include/boost/version.hpp"
# A system without them: CMake reads this file in every project.
cat > "$work/hidden.cmake" << 'END'
file(GLOB CMAKE_IGNORE_PATH /usr/include /usr/local/include /opt/homebrew/include /usr/lib*/cmake/[Bb]oost* /usr/lib/*/cmake/[Bb]oost* /lib*/cmake/[Bb]oost*
  /lib/*/cmake/[Bb]oost* /usr/local/lib*/cmake/[Bb]oost* /opt/homebrew/lib/cmake/[Bb]oost*)
END
printf '#!/bin/sh\necho cmake version 3.20.0\n' > "$work/old_cmake/cmake"
chmod +x "$work/old_cmake/cmake"

# names WANTED NOT_WANTED [VARIABLE=VALUE]...: the packages that setup names, with these variables.
names() {
  local wanted=$1 not_wanted=$2 output
  shift 2
  output=$(env "$@" "$root/scripts/setup" --check) || true
  for name in $wanted; do
    if ! grep -q "^  [^ ]*$name" <<< "$output"; then echo "with $*: $name is not named in: $output"; exit 1; fi
  done
  for name in $not_wanted; do
    if grep -q "^  [^ ]*$name" <<< "$output"; then echo "with $*: $name is named in: $output"; exit 1; fi
  done
  if grep -q installing <<< "$output"; then echo "with $*: setup --check installs"; exit 1; fi
}
hidden=CMAKE_TOOLCHAIN_FILE=$work/hidden.cmake
names 'boost cxxopts' cmake "$hidden"
names '' 'boost cxxopts' "$hidden" "CMAKE_PREFIX_PATH=$work/prefix"
names cxxopts boost "$hidden" "Boost_ROOT=$work/prefix"
# The examples that train need it, and nothing else.
if { env "$hidden" "$root/scripts/setup" --check || true; } | sed '/^setup: optional:/,$d' | grep cxxopts; then echo 'setup asks for cxxopts'; exit 1; fi
names 'boost cxxopts' '' "$hidden" "Boost_ROOT=$work/old_prefix"
# An older CMake cannot say; then the compiler's own paths count.
names cmake 'boost cxxopts' "PATH=$work/old_cmake:$PATH" "CPATH=$work/prefix/include"
echo 'setup asks CMake'
