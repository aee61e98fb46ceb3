#!/usr/bin/env bash
# readers.sh LAUNCH SAVER: h5dump reads what two ranks saved, and h5py too where Python has it.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
"$1" 2 "$2" "$folder/run" 1 > /dev/null || fail "the program that saves"
file=$folder/run/step_000000000001.h5
command -v h5dump > /dev/null || fail "h5dump is not installed: scripts/setup --test installs it"

# A row of each tensor: element (i, j) of step s is 1000000 s + 64 i + j.
row() { h5dump -y -m %.0f -d "/state/$1" -s "$2,0" -c 1,64 "$file" | awk '/ DATA [{]/ { inside = 1; next } inside && /[}]/ { exit } inside' | grep -oE -- '-?[0-9]+' | paste -sd ' '; }
expected() { seq -s ' ' $(($1 + 64 * $2)) $(($1 + 64 * $2 + 63)); }
for i in 0 1 100 202; do
  [ "$(row rows $i)" = "$(expected 1000000 $i)" ] || fail "row $i of state/rows: $(row rows $i)"
done
[ "$(row whole 8)" = "$(expected -1000000 8)" ] || fail "row 8 of state/whole: $(row whole 8)"
h5dump -y -d /counted "$file" | grep -qE '^ *1 *$' || fail "the number: $(h5dump -y -d /counted "$file")"
h5dump -A -d /state/rows "$file" | grep -qF 'layout<none, "x">' || fail "the layout: $(h5dump -A -d /state/rows "$file")"

python=
for candidate in python3 /usr/bin/python3; do
  if [ -z "$python" ] && "$candidate" -c 'import h5py' 2> /dev/null; then python=$candidate; fi
done
if [ -n "$python" ]; then
  "$python" - "$file" << 'END' || fail "h5py"
import sys
import h5py
with h5py.File(sys.argv[1]) as f:
    rows = f["state/rows"]
    assert rows.shape == (203, 64) and rows.dtype == "<f8"
    assert (rows[()].ravel() == [1000000 + k for k in range(203 * 64)]).all()
    assert f["counted"][()] == 1 and f.attrs["step"] == 1
    assert rows.attrs["layout"] == 'layout<none, "x">' and rows.attrs["mesh"] == "copies=1, x=2"
END
else
  echo "left out: reading by h5py, which Python has not here"
fi
