"""hdf5_attributes.py COMMAND...: h5py writes attributes of all kinds, COMMAND FOLDER loads them, and h5py reads COMMAND's."""
import pathlib
import re
import subprocess
import sys
import tempfile

import h5py
import numpy


def hexadecimal(value):
    return numpy.asarray(value).tobytes().hex()


def texts(values):
    values = [v if isinstance(v, bytes) else v.encode() for v in values]
    return " ".join([str(len(values))] + [v.hex() for v in values])


def main():
    random = numpy.random.default_rng(2)
    expected, names = {}, []

    def give(to, name, value, kind, answer, **storage):
        if storage:
            to.attrs.create(name, value, **storage)
        else:
            to.attrs[name] = value
        names.append(f"{to.name} {name} {kind}")
        expected[name] = answer

    with tempfile.TemporaryDirectory() as folder_name:
        folder = pathlib.Path(folder_name)
        with h5py.File(folder / "in.h5", "w") as out:
            u = out.create_dataset("fields/u", data=numpy.zeros(3))
            for kind in ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
                         "float32", "float64", "complex64", "complex128"]:
                values = random.integers(0, 120, 4) / (7 if kind[0] in "fc" else 1)
                values = (values + 1j * values[::-1] if kind[0] == "c" else values).astype(kind)
                wide = {"float16": "float32"}.get(kind, kind)
                for order in "<>":
                    stored = values.astype(numpy.dtype(kind).newbyteorder(order))
                    name = kind + ("little" if order == "<" else "big")
                    give(u, name + "_one", stored[0], wide, hexadecimal(values[0].astype(wide)))
                    give(out, name + "_many", stored, wide + "s",
                         " ".join(["4"] + [hexadecimal(v) for v in values.astype(wide)]))
            give(out["fields"], "of_group", 2.5, "float64", hexadecimal(2.5))
            give(u, "widened", numpy.float32(0.1), "float64", hexadecimal(numpy.float64(numpy.float32(0.1))))
            give(u, "python_int", 7, "int64", hexadecimal(7))
            give(u, "python_bool", True, "bool", "01")
            give(u, "one_of_array", numpy.array([[3.5]]), "float64", hexadecimal(3.5))
            give(u, "scalar_as_vector", 3.5, "float64s", "1 " + hexadecimal(3.5))
            give(u, "no_numbers", numpy.zeros(0), "float64s", "0")
            give(u, "nothing", h5py.Empty("f8"), "float64s", "0")
            give(u, "long", numpy.arange(7000.), "float64s", " ".join(["7000"] + [hexadecimal(v) for v in numpy.arange(7000.)]))
            give(u, "python_text", "gr\u00f6\u00dfe", "text", "gr\u00f6\u00dfe".encode().hex())
            give(u, "fixed_text", numpy.bytes_(b"m/s"), "text", b"m/s".hex())
            give(u, "padded_text", b"ab", "text", b"ab".hex(), dtype="S9")
            give(u, "python_texts", ["a", "bc", ""], "texts", texts(["a", "bc", ""]))
            give(u, "fixed_texts", numpy.array([b"abc", b"d"]), "texts", texts([b"abc", b"d"]))
            give(u, "empty_text", "", "text", "empty")
            for name, padding, value, answer in (("spaces", h5py.h5t.STR_SPACEPAD, b"K     ", b"K"),
                                                 ("ended", h5py.h5t.STR_NULLTERM, b"K  \0xy", b"K  ")):
                kind = h5py.h5t.C_S1.copy()
                kind.set_size(len(value))
                kind.set_strpad(padding)
                one = h5py.h5a.create(u.id, name.encode(), kind, h5py.h5s.create(h5py.h5s.SCALAR))
                one.write(numpy.array(value, f"S{len(value)}"), mtype=kind)
                names.append(f"/fields/u {name} text")
                expected[name] = answer.hex()
            other = "ashlar::io::hdf5_file: {}: expected {}"
            file = folder / "in.h5"
            give(u, "number_as_text", 1.5, "text", other.format(file, "text in number_as_text of /fields/u, found float64; load it as that type"))
            give(u, "text_as_number", "x", "float64",
                 other.format(file, "elements of type float64 in text_as_number of /fields/u, found text; load it as std::string"))
            give(u, "int_as_float", 1, "float64",
                 other.format(file, "elements of type float64 in int_as_float of /fields/u, found int64; load it as that type"))
            give(u, "record", numpy.zeros((), [("a", "f8"), ("b", "i4")]), "float64",
                 other.format(file, "elements of type float64 in record of /fields/u, found compound{a, b}; "
                              "write each member as an array of its own"))
            give(u, "reference", u.ref, "int64",
                 other.format(file, "elements of type int64 in reference of /fields/u, found reference; "
                              "name the object that it refers to"))
            give(u, "vector_as_scalar", [1., 2.], "float64",
                 other.format(file, "1 element in vector_as_scalar of /fields/u, found 2"))
            give(u, "nothing_as_scalar", h5py.Empty("f8"), "float64",
                 other.format(file, "1 element in nothing_as_scalar of /fields/u, found 0"))
            give(u, "matrix_as_vector", numpy.ones((2, 3)), "float64s",
                 other.format(file, "at most 1 dimension in matrix_as_vector of /fields/u, found 2 x 3"))
            names += ["/fields/u lacking float64", "/fields/v lacking_object float64"]
            begins = {"lacking": "HDF5 cannot open the attribute lacking of /fields/u: ",
                      "lacking_object": "HDF5 cannot open the object /fields/v: "}
            out.attrs["names"] = names
        done = subprocess.run(sys.argv[1:] + [folder_name], text=True, capture_output=True, timeout=200)
        assert done.returncode == 0, done.stdout + done.stderr
        found = dict(line.split(" ", 1) if " " in line else (line, "") for line in done.stdout.splitlines() if line.strip())
        for name, begin in begins.items():
            assert found.pop(name).startswith(f"ashlar::io::hdf5_file: {file}: {begin}"), name
        assert found.keys() == expected.keys(), found.keys() ^ expected.keys()
        for name, answer in expected.items():
            assert re.sub(r"; called at hdf5_file.hpp:\d+$", "", found[name]) == answer, (name, found[name], answer)
        with h5py.File(folder / "out.h5") as file:
            a = file["fields/u"].attrs
            assert a["text"] == "m/s" and a["umlaut"] == "gr\u00f6\u00dfe" and a["empty"] == ""
            assert a["count"] == 7 and a["count"].dtype == "<i8" and a["least"] == -2**63
            assert a["time"] == 0.25 and a["time"].dtype == "<f8"
            assert a["texts"].tolist() == ["a", "", "long one"]
            assert a["counts"].tolist() == [1, -2, 3] and a["counts"].dtype == "<i8"
            assert a["spacing"].tolist() == [0.5, 0.25]
            assert a["no_texts"].shape == a["no_counts"].shape == a["no_numbers"].shape == (0,)
            assert (a["many"] == numpy.arange(20000) / 4).all()
    print(f"{len(expected)} attributes")


main()
