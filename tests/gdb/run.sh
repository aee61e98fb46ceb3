#!/usr/bin/env bash
# run.sh GDB PRINTERS PROGRAM: the program's values as gdb prints them are those that a program would write.
set -u
found=$("$1" --batch -nx -iex 'set auto-load no' -ex "source $2" -ex 'set breakpoint pending on' -ex 'set print frame-arguments none' -ex 'break stop' -ex run \
  -ex 'print product' -ex 'print whole' -ex 'print rows' -ex 'print terms' -ex 'print filled' -ex 'print old' -ex 'print extents' -ex 'print x' -ex 'print u' "$3" 2>&1 |
  sed -n 's/^\$[0-9]* = \((.*&) @0x[0-9a-f]*: \)\{0,1\}//p')
expected='"ik,kj->ij"
none
layout<"data", none>
partial<layout<none, "data">, "model">
fresh<layout<halo("data", 1), halo("model", 1, 2, boundary::periodic), none>>
layout<halo(none, 0, 2, boundary::given, boundary::zero)>
(6, 4)
sharded_tensor<double, layout<"data", none>> (6, 4)
sharded_tensor<float, layout<halo("data", 1), none>> (5, 3)'
if [ "$found" != "$expected" ]; then
  printf 'expected:\n%s\nfound:\n%s\n' "$expected" "$found"
  exit 1
fi
