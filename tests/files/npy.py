"""npy.py COMMAND...: NumPy writes arrays of all types and orders, COMMAND FOLDER copies them, NumPy reads the copies."""
import itertools
import pathlib
import subprocess
import sys
import tempfile
import warnings

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
        # Headers that numpy.load reads, of Python 2 and of other programs; and several arrays in one file.
        rest = "'fortran_order': False, 'shape': (13, 7)}"
        for number, (kind, text) in enumerate([
                ("float64", "{u'descr': u'<f8', u'fortran_order': False, u'shape': (13L, 7L), }"),
                ("float64", "{'descr': '=f8', " + rest), ("complex128", "{'descr': 'D',\t" + rest + "\t"),
                ("float32", "\n{'descr': 'float32',\n" + rest + "\n\n"), ("int64", "{'descr': '|i8'," + rest + "   "),
                ("uint8", "{'descr': '>u1', " + rest), ("bool", "{'descr': '?', " + rest),
                ("float16", "{'descr': '=e', " + rest), ("int32", "{'descr': '>i'," + rest),
                ("uint64", "{'descr':'L', " + rest.replace("False", "True")), ("int16", "{'descr': 'h', " + rest)]):
            elements = random.integers(0, 2 if kind == "bool" else 99, (13, 7)).astype(kind)
            if "'>" in text:
                elements = elements.byteswap()
            file = f"{kind}_header_{number}.npy"
            with open(folder / "in" / file, "wb") as out:
                out.write(b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode() + elements.tobytes())
                for _ in range(number % 3):
                    numpy.save(out, numpy.arange(number))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of Python 2
                array = numpy.load(folder / "in" / file)
            assert array.shape == (13, 7) and array.dtype.newbyteorder("=") == kind, file
            expected[file] = array.astype("float32" if kind == "float16" else kind)
        numpy.save(folder / "in" / "other_records.npy", numpy.zeros((2, 2), [("a", "f8")]))
        numpy.save(folder / "in" / "other_dates.npy", numpy.zeros((2, 2), "M8[s]"))
        numpy.save(folder / "in" / "other_texts.npy", numpy.full((2, 2), "ab"))
        numpy.save(folder / "in" / "other_long.npy", numpy.zeros((2, 2), "longdouble"))
        done = subprocess.run(sys.argv[1:] + [name], text=True, capture_output=True, timeout=200)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(lines) == 4 and all(line.startswith("ashlar::io::load_npy: ") for line in lines), lines
        assert sum("expected elements of bool, i1 to u8, f2, f4, f8, c8 or c16, found '" in line for line in lines) == 3
        assert sum("expected elements of one type, found records" in line for line in lines) == 1
        assert sorted(path.name for path in (folder / "out").iterdir()) == sorted(expected)
        for file, array in expected.items():
            found = numpy.load(folder / "out" / file)
            assert found.dtype == array.dtype and found.shape == array.shape, (file, found.dtype, found.shape)
            assert found.tobytes() == array.tobytes(), file
    print(f"{len(expected)} arrays")


main()
