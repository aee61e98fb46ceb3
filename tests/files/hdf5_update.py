"""hdf5_update.py COMMAND...: h5py writes datasets of all types and kinds of storage, COMMAND FOLDER writes a box of each, h5py reads them."""
import itertools
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
         "complex64", "complex128"]
STORAGE = [{}, {"chunks": (4, 3)}, {"chunks": (5, 2), "compression": "gzip", "shuffle": True, "fletcher32": True},
           {"chunks": (2, 9), "maxshape": (None, 50)}, {"chunks": True, "compression": "gzip", "maxshape": (None, None)}]
EXTENTS = (13, 11)


def main():
    random = numpy.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        expected = {}
        for kind, order, written, (number, storage) in itertools.product(TYPES, "<>", [True, False], enumerate(STORAGE)):
            array = random.integers(-99, 99, EXTENTS)
            box = numpy.arange(35).reshape(7, 5)
            if kind.startswith("complex"):
                array, box = array / 3 + 1j * random.integers(-99, 99, array.shape), box - 1j * box
            elif kind.startswith("float"):
                array = array / 7
            array = array.astype(kind)
            fill = numpy.array(1, kind) if number == 3 and not written else None
            file = f"{kind}_{'little' if order == '<' else 'big'}_{'written' if written else 'empty'}_{number}.h5"
            with h5py.File(folder / file, "w", userblock_size=512 if number == 0 else 0,
                           libver="latest" if number in (3, 4) else None) as out:
                out["before"] = numpy.arange(99)
                u = out.create_dataset("u", EXTENTS, numpy.dtype(kind).newbyteorder(order), fillvalue=fill, **storage)
                u.attrs["unit"] = "m"
                if written:
                    u[()] = array
                out.create_dataset("after", data=numpy.arange(999), chunks=(100,), compression="gzip")
            whole = array if written else numpy.full(EXTENTS, 0 if fill is None else fill, kind)
            whole[4:11, 3:8] = box.astype(kind)
            expected[file] = whole
        # MATLAB's complex numbers: records of real and imag.
        for part, storage in itertools.product(["<f8", ">f8"], STORAGE[:3]):
            array = random.integers(-99, 99, EXTENTS) / 3 + 1j * random.integers(-99, 99, EXTENTS)
            records = numpy.empty(EXTENTS, [("real", part), ("imag", part)])
            records["real"], records["imag"] = array.real, array.imag
            file = f"complex128_matlab_{part[0] == '<'}_{len(storage)}.h5"
            with h5py.File(folder / file, "w", userblock_size=512) as out:
                out["before"], out["after"] = numpy.arange(99), numpy.arange(999)
                out.create_dataset("u", data=records, **storage).attrs["unit"] = "m"
            whole = records.astype([("real", "f8"), ("imag", "f8")])
            whole["real"][4:11, 3:8] = numpy.arange(35).reshape(7, 5)
            whole["imag"][4:11, 3:8] = -numpy.arange(35).reshape(7, 5)
            expected[file] = whole
        with h5py.File(folder / "float16_half.h5", "w") as out:
            out["u"] = numpy.zeros(EXTENTS, "float16")
        with h5py.File(folder / "float64_lzf.h5", "w") as out:
            out.create_dataset("u", EXTENTS, "float64", compression="lzf")
        done = subprocess.run(sys.argv[1:] + [name], text=True, capture_output=True, timeout=200)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(lines) == 2 and all(line.startswith("ashlar::io::hdf5_file: ") for line in lines), lines
        assert "float16_half.h5: expected elements of type float32 in u, found float16; no tensor has these" in lines[0], lines
        assert "float64_lzf.h5: expected filters that HDF5 can apply in u, found filter 32000 ('lzf')" in lines[1], lines
        for file, whole in expected.items():
            with h5py.File(folder / file, "r+") as found:
                u = found["u"]
                assert u.dtype.newbyteorder("=") == whole.dtype and u.shape == whole.shape, (file, u.dtype, u.shape)
                assert u[()].astype(whole.dtype).tobytes() == whole.tobytes(), (file, u[()], whole)
                assert u.attrs["unit"] == "m" and (found["before"][()] == numpy.arange(99)).all(), file
                assert (found["after"][()] == numpy.arange(999)).all(), file
                if u.maxshape[0] is None:  # h5py goes on with the file
                    u.resize((20, 11))
                    assert (u[13:] == u.fillvalue).all() and u[:13].astype(whole.dtype).tobytes() == whole.tobytes(), file
                u[0] = u[1]
                found["new"] = numpy.arange(5)
            with h5py.File(folder / file) as found:
                assert (found["u"][0] == whole[1]).all() and (found["new"][()] == numpy.arange(5)).all(), file
    print(f"{len(expected)} arrays")


main()
