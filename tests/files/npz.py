"""npz.py COMMAND...: NumPy writes .npz files, COMMAND FOLDER copies their arrays, and NumPy and zipfile read the copies."""
import io
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import warnings
import zipfile

import numpy

SENTENCES = {  # of the files other_*.npz, in the order of their names
    "array": "expected a .npz file, which ends with the directory of a zip file, found other bytes",
    "bzip2": "expected 'u.npy' stored or deflated, found it compressed by method 12; write it by numpy.savez",
    "damaged": ": u: the array is damaged: its CRC-32 is not the one in the file's directory",
    "deflated": ": u: the array is damaged: its CRC-32 is not the one in the file's directory",
    "names": "expected an array 'u', found 'arr_0', 'arr_1'",
    "several": ": u: expected one array, found others after it",
    "short": "expected a .npz file, which ends with the directory of a zip file, found other bytes",
    "type": "expected elements of bool, i1 to u8, f2, f4, f8, c8 or c16, found '<U2'",
}


def bytes_of(array):
    out = io.BytesIO()
    numpy.save(out, array)
    return out.getvalue()


class Pipe(io.RawIOBase):
    """A file that cannot seek: zipfile writes the sizes after each member."""
    written = b""

    def writable(self):
        return True

    def write(self, more):
        self.written += bytes(more)
        return len(more)


def archives(one):
    """Archives with the array u, of which numpy.load and unzip take `one`."""
    def of(*members, out=None, **options):
        out = io.BytesIO() if out is None else out
        with zipfile.ZipFile(out, "w") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, content in members:
                if options:
                    with archive.open(name, "w", **options) as member:
                        member.write(content)
                else:
                    archive.writestr(name, content)
        return out.written if isinstance(out, Pipe) else out.getvalue()

    array, other = bytes_of(one), bytes_of(one + 1)
    plain = of(("u.npy", array))
    end = len(plain) - 22
    count, size, begin = struct.unpack("<HII", plain[end + 10:end + 20])
    large = struct.pack("<IQHHIIQQQQIIQI", 0x06064b50, 44, 45, 45, 0, 0, count, count, size, begin,
                        0x07064b50, 0, end, 1)
    compressed = io.BytesIO()
    numpy.savez_compressed(compressed, u=numpy.asfortranarray(one), v=one)
    deflated = io.BytesIO()
    with zipfile.ZipFile(deflated, "w") as archive:
        archive.writestr("notes.txt", 1000 * "x", zipfile.ZIP_DEFLATED)
        archive.writestr("u.npy", array)
    yield "another archive before it", of(("u.npy", other)) + plain
    yield "bytes before it", b"PK\x03\x04 and more" + plain
    yield "bytes after it", plain + b"more" + bytes(1000)
    yield "a comment that is cut off", plain[:-2] + b"\x10\x00abc"
    yield "written to a pipe", of(("u.npy", array), out=Pipe())
    yield "sizes of 64 bits, written to a pipe", of(("u.npy", array), out=Pipe(), force_zip64=True)
    yield "sizes of 64 bits", of(("u.npy", array), force_zip64=True)
    yield "a directory of 64 bits", plain[:end] + large + plain[end:end + 4] + 16 * b"\xff" + bytes(2)
    yield "the last of two counts", of(("u.npy", other), ("u.npy", array))
    yield "no suffix", of(("u", array))
    yield "no suffix is nearer", of(("u.npy", other), ("u", array))
    yield "a folder", of(("d/", b""), ("u.npy", array), ("d/v.npy", other))
    yield "a deflated text", deflated.getvalue()
    yield "deflated arrays", compressed.getvalue()
    yield "numbers of disks", plain[:end + 4] + b"\x01\0\x01\0" + plain[end + 8:]


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
        with zipfile.ZipFile(folder / "in/numpy.npz", "w") as archive:  # numpy.savez and numpy.savez_compressed write such members
            for number, (array, value) in enumerate(arrays.items()):
                archive.writestr(f"{array}.npy", bytes_of(value), zipfile.ZIP_DEFLATED if number % 2 else zipfile.ZIP_STORED)
        one = random.random((6, 5))
        numpy.savez(folder / "in/other_damaged.npz", u=one)
        whole = bytearray((folder / "in/other_damaged.npz").read_bytes())
        whole[whole.index(one.tobytes()) + 100] ^= 1
        (folder / "in/other_damaged.npz").write_bytes(whole)
        (folder / "in/other_short.npz").write_bytes(whole[:-1])
        numpy.savez_compressed(folder / "in/other_deflated.npz", u=one)
        wrong = bytearray((folder / "in/other_deflated.npz").read_bytes())
        wrong[wrong.index(b"PK\x01\x02") + 16] ^= 1
        (folder / "in/other_deflated.npz").write_bytes(wrong)
        with zipfile.ZipFile(folder / "in/other_bzip2.npz", "w", zipfile.ZIP_BZIP2) as other:
            other.writestr("u.npy", bytes_of(one))
        numpy.savez(folder / "in/other_names.npz", one, one)
        with zipfile.ZipFile(folder / "in/other_several.npz", "w") as several:
            several.writestr("u.npy", 2 * bytes_of(one))
        read = 0
        for read, (what, content) in enumerate(archives(one), 1):
            file = folder / f"in/read_{read:02}.npz"
            file.write_bytes(content)
            with numpy.load(file) as found:
                assert (found["u"] == one).all(), what
            unzip = shutil.which("unzip")  # its answer 1 is a warning
            assert not unzip or subprocess.run([unzip, "-tq", file], capture_output=True).returncode < 2, what
        numpy.savez(folder / "in/other_type.npz", u=numpy.full((2, 2), "ab"))
        numpy.save(folder / "in/array.npy", one)
        (folder / "in/array.npy").rename(folder / "in/other_array.npz")
        done = subprocess.run(sys.argv[1:] + [name], text=True, capture_output=True, timeout=200)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        assert done.returncode == 0, done.stdout + done.stderr
        assert lines[len(SENTENCES):] == read * ["read"], lines
        for line, (file, sentence) in zip(lines, SENTENCES.items()):
            assert line.startswith(f"ashlar::io::load_npz: {folder}/in/other_{file}.npz") and sentence in line, line
        for number in range(1, read + 1):
            assert (numpy.load(folder / f"out/read_{number:02}.npy") == one).all(), number
        with zipfile.ZipFile(folder / "out/ashlar.npz") as found:
            assert found.testzip() is None
            assert found.namelist() == [f"{array}.npy" for array in arrays], found.namelist()
        with numpy.load(folder / "out/ashlar.npz") as found:
            for array, value in arrays.items():
                expected = value.astype("float32") if array == "half" else value.astype(value.dtype.newbyteorder("="))
                assert found[array].dtype == expected.dtype and found[array].shape == expected.shape, array
                assert found[array].tobytes() == expected.tobytes(), array
    print(f"{len(arrays)} arrays, {read} archives")


main()
