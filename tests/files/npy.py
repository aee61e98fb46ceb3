"""npy.py COMMAND...: NumPy writes arrays of all types and orders, COMMAND FOLDER copies them, NumPy reads the copies."""
import itertools
import pathlib
import subprocess
import sys
import tempfile

import numpy

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64", "complex64", "complex128"]


def main():
    random = numpy.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "in").mkdir()
        (folder / "out").mkdir()
        expected = {}
        for kind, order, memory, extents in itertools.product(TYPES, "<>", "CF", [(0, 3), (13, 7), (3, 9001)]):
            array = random.integers(-99, 99, extents)
            if kind.startswith("complex"):
                array = array / 3 + 1j * random.integers(-99, 99, extents)
            elif kind.startswith("float"):
                array = array / 7
            array = numpy.asarray(array.astype(kind), numpy.dtype(kind).newbyteorder(order), order=memory)
            file = f"{kind}_{'little' if order == '<' else 'big'}_{memory}_{extents[0]}.npy"
            with open(folder / "in" / file, "wb") as out:
                numpy.lib.format.write_array(out, array, version=[(1, 0), (2, 0), (3, 0)][len(expected) % 3])
            expected[file] = array.astype("float32") if kind == "float16" else array.astype(kind)
        numpy.save(folder / "in" / "other_records.npy", numpy.zeros((2, 2), [("a", "f8")]))
        numpy.save(folder / "in" / "other_dates.npy", numpy.zeros((2, 2), "M8[s]"))
        numpy.save(folder / "in" / "other_texts.npy", numpy.full((2, 2), "ab"))
        numpy.save(folder / "in" / "other_long.npy", numpy.zeros((2, 2), "longdouble"))
        done = subprocess.run(sys.argv[1:] + [name], text=True, capture_output=True, timeout=200)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(lines) == 4 and all(line.startswith("ashlar::load_npy: ") for line in lines), lines
        assert sum("expected elements of bool, i1 to u8, f2, f4, f8, c8 or c16, found '" in line for line in lines) == 3
        assert sum("expected elements of one type, found records" in line for line in lines) == 1
        assert sorted(path.name for path in (folder / "out").iterdir()) == sorted(expected)
        for file, array in expected.items():
            found = numpy.load(folder / "out" / file)
            assert found.dtype == array.dtype and found.shape == array.shape, (file, found.dtype, found.shape)
            assert found.tobytes() == array.tobytes(), file
    print(f"{len(expected)} arrays")


main()
