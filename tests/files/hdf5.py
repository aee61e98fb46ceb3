"""hdf5.py COMMAND...: h5py writes datasets of all types and kinds of storage, COMMAND FOLDER copies them, h5py reads the copies."""
import itertools
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64", "complex64", "complex128"]
STORAGE = [{}, {"chunks": (4, 3)}, {"chunks": (5, 2), "compression": "gzip", "shuffle": True, "fletcher32": True},
           {"chunks": (2, 9), "maxshape": (None, 50)}]


def main():
    random = numpy.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "in").mkdir()
        (folder / "out").mkdir()
        expected = {}
        for kind, order, (number, storage) in itertools.product(TYPES, "<>", enumerate(STORAGE)):
            array = random.integers(-99, 99, (13, 11))
            if kind.startswith("complex"):
                array = array / 3 + 1j * random.integers(-99, 99, array.shape)
            elif kind.startswith("float"):
                array = array / 7
            file = f"{kind}_{'little' if order == '<' else 'big'}_{number}.h5"
            with h5py.File(folder / "in" / file, "w", userblock_size=512 if number == 0 else 0,
                           libver="latest" if number == 3 else None) as out:
                out.create_dataset("u", data=array.astype(kind).astype(numpy.dtype(kind).newbyteorder(order)), **storage)
            expected[file] = array.astype(kind).astype("float32" if kind == "float16" else kind)
        with h5py.File(folder / "in" / "other_texts.h5", "w") as out:
            out["u"] = numpy.array([[b"ab"]])
        with h5py.File(folder / "in" / "other_records.h5", "w") as out:
            out["u"] = numpy.zeros((2, 2), [("a", "f8"), ("b", "i4")])
        with h5py.File(folder / "in" / "other_group.h5", "w") as out:
            out.create_group("u")
        with h5py.File(folder / "in" / "other_nothing.h5", "w") as out:
            out["u"] = h5py.Empty("f8")
        done = subprocess.run(sys.argv[1:] + [name], text=True, capture_output=True, timeout=200)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(lines) == 4 and all(line.startswith("ashlar::load_hdf5: ") for line in lines), lines
        assert sum("expected elements of type float64 in u, found another type" in line for line in lines) == 3, lines
        assert sum("HDF5 cannot open the dataset u" in line for line in lines) == 1, lines
        assert len(list((folder / "out").iterdir())) == 2 * len(expected)
        for number, (file, array) in enumerate(sorted(expected.items())):
            for path, dataset, whole in [(file, "group/u", array), (file + ".box", "u", array[:, 1:3])]:
                with h5py.File(folder / "out" / path) as found:
                    u = found[dataset]
                    assert u.dtype == whole.dtype and u.shape == whole.shape, (path, u.dtype, u.shape)
                    assert u[()].tobytes() == whole.tobytes(), path
                    if number % 4 == 0:
                        assert u.chunks is None and u.attrs["unit"] == "m/s", dict(u.attrs)
                        assert u.attrs["step"] == 7 and u.attrs["time"] == 0.25
                    if number % 4 in (0, 2):
                        for i in range(12):
                            assert u.attrs[f"long{i}"] == "x" * (10000 * i if i % 4 == 3 else 10), (path, i)
                    assert number % 4 != 2 or (u.shuffle and u.compression == "gzip" and u.compression_opts == 4)
                    assert number % 4 != 3 or (u.compression == "gzip" and u.chunks == u.shape)
    print(f"{len(expected)} arrays")


main()
