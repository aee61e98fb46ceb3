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
        # MATLAB's complex numbers: records of real and imag, after a user block of 512 bytes.
        for kind, part in itertools.product(["complex64", "complex128"], "<>"):
            array = random.integers(-99, 99, (13, 11)) / 3 - 1j * random.integers(-99, 99, (13, 11))
            part += "f4" if kind == "complex64" else "f8"
            file = f"{kind}_matlab_{part[0] == '<'}.h5"
            records = numpy.empty(array.shape, [("real", part), ("imag", part)])
            records["real"], records["imag"] = array.real, array.imag
            with h5py.File(folder / "in" / file, "w", userblock_size=512) as out:
                out["u"] = records
            expected[file] = array.astype(kind)
        refused = {}

        def refuse(name, found, write):
            with h5py.File(folder / "in" / (name + ".h5"), "w") as out:
                write(out)
            refused[name] = found

        def of_type(name, found, kind):
            refuse(name, found, lambda out: h5py.h5d.create(out.id, b"u", kind, h5py.h5s.create_simple((2, 2))))

        def fill(array):
            return lambda out: out.__setitem__("u", array)

        kinds = h5py.h5t
        int24 = kinds.STD_I32LE.copy()
        int24.set_size(3)
        int12 = kinds.STD_U16BE.copy()
        int12.set_precision(12)
        of_type("other_int24", "int24; write them as int32, in h5py by astype", int24)
        of_type("other_int12", "uint12 in 2 bytes; write them as uint16, in h5py by astype", int12)
        of_type("other_bits", "bit field; write them as uint8 to uint64, in h5py by astype", kinds.STD_B8LE)
        of_type("other_opaque", "opaque bytes; write them as uint8, in h5py by astype", kinds.create(kinds.OPAQUE, 5))
        of_type("other_rows", "rows of unequal lengths, of float64; write rows of one length as dimensions",
                kinds.vlen_create(kinds.IEEE_F64LE))
        of_type("other_arrays", "array of float32; write the array's extents as dimensions",
                kinds.array_create(kinds.IEEE_F32LE, (3,)))
        of_type("other_references", "reference; name the object that it refers to", kinds.STD_REF_OBJ)
        of_type("other_enum", "enum of int16; write its numbers, in h5py by astype",
                kinds.py_create(h5py.enum_dtype({"A": 0, "B": 1}, "i2"), logical=True))
        refuse("other_long_double", "float80 in 16 bytes; write them as float64, in h5py by astype",
               fill(numpy.zeros((2, 2), "longdouble")))
        refuse("other_texts", "text; write numbers, or load an attribute as std::string", fill(numpy.array([[b"ab"]])))
        refuse("other_strings", "text; write numbers, or load an attribute as std::string", fill([["ab"]]))
        refuse("other_records", "compound{a, b}; write each member as an array of its own",
               fill(numpy.zeros((2, 2), [("a", "f8"), ("b", "i4")])))
        refuse("other_complex_integers", "compound{real, imag}; write each member as an array of its own",
               fill(numpy.zeros((2, 2), [("real", "i4"), ("imag", "i4")])))
        refuse("other_many", "compound{a, b, c, d, ...}; write each member as an array of its own",
               fill(numpy.zeros((2, 2), [(letter, "f8") for letter in "abcdef"])))
        refuse("other_nothing", "no elements (an empty dataspace); write an array, whose extents may be 0",
               fill(h5py.Empty("f8")))
        refuse("other_int32", "int32; make a tensor of that type and cast it", fill(numpy.zeros((2, 2), "i4")))
        refuse("other_complex", "complex128; make a tensor of that type and cast it",
               fill(numpy.zeros((2, 2), [("real", "f8"), ("imag", "f8")])))
        refuse("int32_of_halves", "float16; make a tensor of float or double and cast it",
               fill(numpy.zeros((2, 2), "f2")))
        refuse("other_group", None, lambda out: out.create_group("u"))
        done = subprocess.run(sys.argv[1:] + [name], text=True, capture_output=True, timeout=200)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(lines) == len(refused), lines
        for (file, found), line in zip(sorted(refused.items()), lines):
            begin = f"ashlar::io::hdf5_file: {folder}/in/{file}.h5: "
            wanted = "int32" if file.startswith("int32") else "float64"
            sentence = f"expected elements of type {wanted} in u, found {found} (on rank 0); called at "
            assert line.startswith(begin + (sentence if found else "HDF5 cannot open the dataset u: ")), (line, sentence)
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
