"""npz.py COMMAND...: NumPy writes .npz files, COMMAND FOLDER copies their arrays, and NumPy and zipfile read the copies."""
import pathlib
import subprocess
import sys
import tempfile
import warnings
import zipfile

import numpy

SENTENCES = {  # of the files other_*.npz, in the order of their names
    "array": "expected a .npz file, which ends with the directory of a zip file, found other bytes",
    "compressed": "expected 'u.npy' without compression, found it compressed; write it by numpy.savez",
    "damaged": ": u: the array is damaged: its CRC-32 is not the one in the file's directory",
    "names": "expected an array 'u', found 'arr_0', 'arr_1'",
    "short": "expected a .npz file, which ends with the directory of a zip file, found other bytes",
    "twice": "expected one array 'u', found two of this name",
    "type": "expected elements of bool, i1 to u8, f2, f4, f8, c8 or c16, found '<U2'",
}


def main():
    random = numpy.random.default_rng(1)
    arrays = {
        "bool": random.integers(0, 2, (13, 7)).astype("bool"),
        "int16": numpy.asfortranarray(random.integers(-99, 99, (13, 7)).astype(">i2")),
        "uint64": random.integers(0, 2**63, (5, 9)).astype("uint64"),
        "half": (random.integers(-99, 99, (13, 7)) / 7).astype("float16"),
        "float": (random.integers(-99, 99, (4, 31)) / 7).astype(">f4"),
        "\u00fc/double": random.random((13, 7)),
        "complex": numpy.asfortranarray(random.random((13, 7)) + 1j * random.random((13, 7))),
        "large": random.random((100, 9001)),
        "empty": numpy.zeros((0, 3), "float32"),
        "scalar": numpy.float64(2.5),
    }
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "in").mkdir()
        (folder / "out").mkdir()
        numpy.savez(folder / "in/numpy.npz", **arrays)
        one = random.random((6, 5))
        numpy.savez(folder / "in/other_damaged.npz", u=one)
        whole = bytearray((folder / "in/other_damaged.npz").read_bytes())
        whole[whole.index(one.tobytes()) + 100] ^= 1
        (folder / "in/other_damaged.npz").write_bytes(whole)
        (folder / "in/other_short.npz").write_bytes(whole[:-1])
        numpy.savez_compressed(folder / "in/other_compressed.npz", u=one)
        numpy.savez(folder / "in/other_names.npz", one, one)
        with zipfile.ZipFile(folder / "in/other_twice.npz", "w") as twice, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(2):
                twice.writestr("u.npy", b"")
        numpy.savez(folder / "in/other_type.npz", u=numpy.full((2, 2), "ab"))
        numpy.save(folder / "in/array.npy", one)
        (folder / "in/array.npy").rename(folder / "in/other_array.npz")
        done = subprocess.run(sys.argv[1:] + [name], text=True, capture_output=True, timeout=200)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(lines) == len(SENTENCES), lines
        for line, (file, sentence) in zip(lines, SENTENCES.items()):
            assert line.startswith(f"ashlar::load_npz: {folder}/in/other_{file}.npz") and sentence in line, line
        with zipfile.ZipFile(folder / "out/ashlar.npz") as found:
            assert found.testzip() is None
            assert found.namelist() == [f"{array}.npy" for array in arrays], found.namelist()
        with numpy.load(folder / "out/ashlar.npz") as found:
            for array, value in arrays.items():
                expected = value.astype("float32") if array == "half" else value.astype(value.dtype.newbyteorder("="))
                assert found[array].dtype == expected.dtype and found[array].shape == expected.shape, array
                assert found[array].tobytes() == expected.tobytes(), array
    print(f"{len(arrays)} arrays")


main()
