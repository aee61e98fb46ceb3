#!/usr/bin/env python3
"""reference_arrays.py [FOLDER]: writes the arrays with which tests/mpi/train compares into FOLDER, which is tests/data
unless given, and the seeds of the fuzz tests into fuzz/npy beside it. It needs PyTorch. All numbers are double and of
fixed seeds, so a second run writes the same bytes."""

import pathlib
import sys

import numpy
import torch

folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "tests" / "data"
STEPS = 10
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def save(name, array):
    array = numpy.ascontiguousarray(array.detach().numpy() if isinstance(array, torch.Tensor) else array)
    numpy.save(folder / f"{name}.npy", array)


def numbers(seed, *extents):
    return torch.from_numpy(numpy.random.default_rng(seed).standard_normal(extents))


# ---- optimizers: a kernel and a bias, 10 steps along given gradients ----
start = {"kernel": numbers(1, 7, 5), "bias": numbers(2, 5)}
gradients = {"kernel": numbers(3, STEPS, 7, 5), "bias": numbers(4, STEPS, 5)}


def steps(name, make, schedule=None, max_norm=None):
    p = {k: x.clone().requires_grad_() for k, x in start.items()}
    optimizer = make(p.values())
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, schedule) if schedule else None
    norms = []
    for step in range(STEPS):
        for k, x in p.items():
            x.grad = gradients[k][step].clone()
        if max_norm:
            norms.append(torch.nn.utils.clip_grad_norm_(p.values(), max_norm))
        optimizer.step()
        if scheduler:
            scheduler.step()
    for k, x in p.items():
        save(f"{name}_{k}", x)
    if max_norm:
        save(f"{name}_norms", torch.stack(norms))


def warm_up_then_cosine(step):  # 4 steps up to the rate, then down to 10 % of it over 8 more steps
    if step < 4:
        return (step + 1) / 4
    return 0.1 + 0.9 * 0.5 * (1 + numpy.cos(numpy.pi * min(step - 4, 8) / 8))


def optimizers():
    optim = torch.optim
    for k in start:
        save(f"start_{k}", start[k])
        save(f"gradients_{k}", gradients[k])
    steps("sgd", lambda p: optim.SGD(p, lr=0.1))
    steps("sgd_momentum", lambda p: optim.SGD(p, lr=0.1, momentum=0.9))
    steps("sgd_nesterov", lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True))
    steps("sgd_schedule", lambda p: optim.SGD(p, lr=0.1, momentum=0.9), warm_up_then_cosine)
    steps("rmsprop", lambda p: optim.RMSprop(p, lr=0.01, alpha=0.9, eps=1e-3))
    steps("rmsprop_momentum", lambda p: optim.RMSprop(p, lr=0.01, alpha=0.9, eps=1e-3, momentum=0.8))
    steps("rmsprop_centered", lambda p: optim.RMSprop(p, lr=0.01, alpha=0.9, eps=1e-3, centered=True))
    steps("rmsprop_both", lambda p: optim.RMSprop(p, lr=0.01, alpha=0.9, eps=1e-3, momentum=0.8, centered=True))
    steps("adam", lambda p: optim.Adam(p, lr=0.01, betas=(0.9, 0.99), eps=1e-3))
    steps("adamw", lambda p: optim.AdamW(p, lr=0.01, betas=(0.9, 0.99), eps=1e-3, weight_decay=0.1))
    steps("adamw_schedule", lambda p: optim.AdamW(p, lr=0.01, betas=(0.9, 0.99), eps=1e-3, weight_decay=0.1), warm_up_then_cosine)
    steps("clipped", lambda p: optim.SGD(p, lr=0.1), max_norm=6.0)


# ---- metrics, of 13 rows ----
def metrics():
    rows, classes = 13, 6
    logits = numbers(7, rows, classes) * 3
    save("loss_logits", logits)
    labels = torch.from_numpy(numpy.random.default_rng(11).integers(0, classes, rows).astype(numpy.int32))
    save("metric_labels", labels)
    order = logits.argsort(1, descending=True)
    place = (order == labels.long()[:, None]).double().argmax(1)
    save("metric_top", numpy.array([(place < k).sum() for k in range(1, classes + 1)], dtype=numpy.int64))
    confusion = numpy.zeros((classes, classes), dtype=numpy.int64)
    for label, found in zip(labels.tolist(), order[:, 0].tolist()):
        confusion[label, found] += 1
    save("metric_confusion", confusion)


# ---- the seeds of tests/fuzz: types, formats and numbers of dimensions ----
def seeds():
    seeds_folder = folder.parent / "fuzz" / "npy"
    seeds_folder.mkdir(parents=True, exist_ok=True)
    for name, version, array in (
        ("dimensions", (1, 0), numpy.arange(4, dtype=numpy.uint8).reshape(1, 2, 1, 1, 2, 1, 1, 1)),
        ("format_2", (2, 0), numpy.arange(3, dtype=numpy.float32)),
        ("format_3", (3, 0), numpy.arange(6, dtype=numpy.int32).reshape(2, 3)),
        ("empty", (1, 0), numpy.zeros((0, 9999999), dtype=numpy.int64)),
        ("scalar", (1, 0), numpy.array(0.5)),
    ):
        with open(seeds_folder / f"{name}.npy", "wb") as file:
            numpy.lib.format.write_array(file, array, version=version)


folder.mkdir(parents=True, exist_ok=True)
optimizers()
metrics()
seeds()
