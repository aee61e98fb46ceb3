#!/usr/bin/env python3
"""reference_weights.py [FOLDER]: writes the files of weights that tests/mpi/checkpoint/arrays.cpp loads into FOLDER, which is
tests/data/weights unless given. It needs NumPy, ml_dtypes, safetensors, h5py, Keras with SciPy, and JAX. The elements are those
of simple formulas, so that the tests know them."""

import json
import os
import pathlib
import sys

os.environ["KERAS_BACKEND"] = "numpy"
import h5py
import jax
import keras
import ml_dtypes
import numpy
import safetensors.flax
import safetensors.numpy

folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "tests" / "data" / "weights"
folder.mkdir(parents=True, exist_ok=True)


def counted(first, step, *extents):
    return (first + step * numpy.arange(numpy.prod(extents, dtype=int), dtype="f4")).reshape(extents)


# Two dense layers: kernels have inputs first, as in Keras, JAX and ashlar.
hidden = counted(0, 0.25, 6, 5), counted(100, 1, 5)
digits = counted(0, -0.25, 5, 4), counted(200, 1, 4)


# ---- PyTorch: a kernel has outputs first ----
def from_pytorch():
    state = {"fc1.weight": hidden[0].T, "fc1.bias": hidden[1], "fc2.weight": digits[0].T, "fc2.bias": digits[1]}
    state = {k: numpy.ascontiguousarray(x) for k, x in state.items()}
    steps = {"steps": numpy.array(7, dtype="i8")}
    safetensors.numpy.save_file(state | steps, folder / "torch.safetensors", metadata={"format": "pt"})
    brain = {k: x.astype(ml_dtypes.bfloat16) for k, x in state.items()}
    safetensors.numpy.save_file(brain, folder / "torch_bfloat16.safetensors", metadata={"format": "pt"})
    half = {k: x.astype("f2") for k, x in state.items()}
    files = [{k: x for k, x in half.items() if k.startswith(layer)} for layer in ("fc1", "fc2")]
    weight_map = {}
    for i, tensors in enumerate(files):
        name = f"torch-{i + 1:05}-of-00002.safetensors"
        safetensors.numpy.save_file(tensors, folder / name, metadata={"format": "pt"})
        weight_map |= {k: name for k in tensors}
    index = {"metadata": {"total_size": sum(x.nbytes for x in half.values())}, "weight_map": weight_map}
    (folder / "torch.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


# ---- Keras: save_weights ----
def from_keras():
    layer = keras.layers.Dense
    model = keras.Sequential([keras.Input((6,)), layer(5, activation="relu"), keras.layers.BatchNormalization(), layer(4)])
    ones = [counted(k, 1, 5) for k in (1, 2, 3, 4)]
    model.set_weights([*hidden, *ones, *digits])
    model.save_weights(folder / "keras.weights.h5")


# ---- JAX: a nested dictionary, as Flax has one, joined by '.' ----
def from_jax():
    parameters = {"params": {"Dense_0": {"kernel": hidden[0], "bias": hidden[1]}, "Dense_1": {"kernel": digits[0], "bias": digits[1]}}}
    leaves = jax.tree_util.tree_leaves_with_path(parameters)
    flat = {".".join(key.key for key in path): jax.numpy.asarray(x) for path, x in leaves}
    safetensors.flax.save_file(flat, folder / "jax.safetensors")


# ---- element types and ways to store them ----
def types():
    bits = [0, 0x8000, 1, 0x8001, 0x03FF, 0x0400, 0x3C00, 0x3555, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00]
    half = numpy.array(bits, dtype="u2").view("f2")
    brain = numpy.array([0, 0x8000, 1, 0x807F, 0x0080, 0x3F80, 0x3EAB, 0x7F7F, 0x7F80, 0xFF80, 0x7FC0], dtype="u2").view(ml_dtypes.bfloat16)
    arrays = {
        "half": half, "half_as_float": half.astype("f4"),
        "double": counted(0, 0.125, 3, 7).astype("f8"), "int16": numpy.arange(5, dtype="i2"), "uint64": numpy.array(2**64 - 1, dtype="u8"),
        "bool": numpy.array([True, False, True]), "none": numpy.zeros((0, 4), dtype="f4"), "scalar": numpy.array(2.5, dtype="f4"),
    }
    more = {"brain": brain, "brain_as_float": brain.astype("f4")}
    safetensors.numpy.save_file(arrays | more, folder / "types.safetensors")
    with h5py.File(folder / "types.h5", "w", libver="earliest") as f:
        for name, x in arrays.items():
            f.create_dataset("group/" + name, data=x)
        table = counted(0, 0.5, 40, 30)
        f.create_dataset("chunked", data=table, chunks=(7, 11), compression="gzip", shuffle=True)
        f.create_dataset("big_endian", data=table.astype(">f4"))
        f.create_dataset("big_endian_half", data=half.astype(">f2"))
        f.create_dataset("complex", data=(table + 1j * table)[:3, :3].astype("c8"))
        f.create_dataset("text", data="a text")
        f["link"] = h5py.SoftLink("/chunked")


from_pytorch()
from_keras()
from_jax()
types()
