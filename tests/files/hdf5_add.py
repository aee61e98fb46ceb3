"""hdf5_add.py COMMAND...: h5py writes files of several kinds, COMMAND FOLDER adds datasets to each, h5py reads and extends them."""
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy

KINDS = {"plain": {}, "user_block": {"userblock_size": 1024}, "latest": {"libver": "latest"}, "ordered": {"track_order": True}}
# HDF5 gives room of the old description away in these files, so nothing is added to them.
REFUSED = {"paged": {"fs_strategy": "page"}, "paged_list": {"fs_strategy": "page", "fs_persist": True},
           "list": {"fs_strategy": "fsm", "fs_persist": True}}


def check_old(file):
    assert (file["old_group/old"][()] == numpy.arange(300)).all()
    assert (file["chunks"][()] == numpy.arange(3000).reshape(50, 60)).all()
    assert file["old_group"].attrs["text"] == "stays" and file.attrs["texts"].tolist() == ["a", "b" * 500]


def check_new(file):
    numbers = numpy.arange(143).reshape(13, 11)
    new, packed, z = file["new"], file["old_group/sub/packed"], file["new_group/complex"]
    assert new.dtype == "<f8" and (new[()] == numbers).all() and new.chunks is None
    assert (new.attrs["long"] == numpy.arange(10000)).all()  # too long for HDF5's oldest format
    assert new.attrs["unit"] == "m/s" and new.attrs["count"] == 7 and new.attrs["box"].tolist() == [0.5, 0.25]
    assert packed.dtype == "<i2" and (packed[()] == numbers).all() and packed.chunks == (4, 3) and packed.shuffle
    assert packed.compression == "gzip" and packed.attrs["texts"].tolist() == ["a", ""]
    assert z.dtype == "<c8" and (z[()] == numbers - 1j * numbers).all() and z.chunks == (5, 11)
    assert file["new_group/flags"].dtype == bool and (file["new_group/flags"][()] == (numbers > 40)).all()
    assert file["empty"].shape == (0,) and file["empty"].dtype == "<f4"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind, options in (KINDS | REFUSED).items():
            with h5py.File(folder / f"{kind}.h5", "w", **options) as out:
                out["old_group/old"] = numpy.arange(300)
                out.create_dataset("chunks", data=numpy.arange(3000).reshape(50, 60), chunks=(7, 9), compression="gzip")
                out["old_group"].attrs["text"] = "stays"
                out.attrs["texts"] = ["a", "b" * 500]
                out["removed"] = numpy.zeros(5000)
                del out["removed"]  # its room is free
        before = {kind: (folder / f"{kind}.h5").read_bytes() for kind in REFUSED}
        done = subprocess.run(sys.argv[1:] + [name], text=True, capture_output=True, timeout=200)
        assert done.returncode == 0, done.stdout + done.stderr
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        assert len(lines) == len(KINDS | REFUSED), lines
        for kind, line in zip(sorted(KINDS | REFUSED, key=lambda kind: f"{kind}.h5"), lines):
            expected = "expected no object of the name old_group/old, found one; write its elements by update"
            if kind in REFUSED:
                expected = "expected a file that grows at its end, found one with pages or a list of free room (fs_strategy, fs_persist)"
            assert line.startswith(f"ashlar::io::hdf5_file: {folder / kind}.h5: {expected}"), line
        for kind in REFUSED:
            assert (folder / f"{kind}.h5").read_bytes() == before[kind], kind
        for kind in KINDS:
            with h5py.File(folder / f"{kind}.h5", "r+") as file:
                check_old(file)
                check_new(file)
                file["later"] = numpy.arange(4000)  # h5py goes on with the file
                del file["new_group/flags"]
                file["new_group/flags"] = file["new"][()] > 40
            with h5py.File(folder / f"{kind}.h5") as file:
                check_old(file)
                check_new(file)
                assert (file["later"][()] == numpy.arange(4000)).all()
    print(f"{len(KINDS | REFUSED)} files")


main()
