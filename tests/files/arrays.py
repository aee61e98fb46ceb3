"""arrays.py LAYOUTS COMMAND...: NumPy writes operands and results of array functions, COMMAND FOLDER computes the results by itself, in so many layouts."""
import pathlib
import subprocess
import sys
import tempfile

import numpy

ROWS, COLUMNS = 301, 7


def results(x, y, holes, v):
    """The results that the program has to find, by name."""
    framed = numpy.pad(x, ((1, 2), (0, 3)), constant_values=0.5)
    later = numpy.zeros_like(x)
    later[3:] = x[:-3]
    row, column = numpy.indices(x.shape)
    pasted = y.copy()
    pasted[11:211, 2:5] = x[5:205, 1:4]
    yield from {
        "sum_0": x.sum(axis=0), "sum_1": x.sum(axis=1), "max_0": x.max(axis=0), "min_1": x.min(axis=1),
        "prod_1": numpy.sign(y).prod(axis=1), "mean_0": x.mean(axis=0), "keepdims": x - x.max(axis=1, keepdims=True),
        "product": (x * y).sum(axis=0),
        "argmax_0": x.argmax(axis=0), "argmin_1": x.argmin(axis=1), "argmax_holes": holes.argmax(axis=0),
        "cumsum_0": x.cumsum(axis=0), "cumsum_1": x.cumsum(axis=1),
        "slice": x[5:205, 1:4], "paste": pasted, "pad": framed, "concatenate_0": numpy.concatenate((x, y)),
        "concatenate_1": numpy.concatenate((x, y, x), axis=1), "shift": later,
        "sort_0": numpy.sort(x, axis=0), "sort_1": numpy.sort(x, axis=1), "sort_holes": numpy.sort(holes, axis=0),
        "sort_v": numpy.sort(v), "argsort_0": numpy.argsort(x, axis=0, kind="stable"),
        "argsort_holes": numpy.argsort(holes, axis=0, kind="stable"),
        "argsort_v": numpy.argsort(v, kind="stable"), "top_0": -numpy.sort(-x, axis=0)[:5],
        "top_of_v": numpy.argsort(-v, kind="stable")[:20],
        "roll": numpy.roll(x, 17, axis=0),
        "take_along": numpy.take_along_axis(y, numpy.argsort(x, axis=1, kind="stable"), axis=1),
        "where": numpy.where(x > y, x, -2 * y), "exp": numpy.exp(x / 9), "log": numpy.log(abs(x) + 1),
        "sqrt": numpy.sqrt(abs(y)), "tanh": numpy.tanh(x), "sin": numpy.sin(x), "cos": numpy.cos(y),
        "floor": numpy.floor(x / 3), "maximum": numpy.maximum(x, y), "minimum": numpy.minimum(x, y),
        "arithmetic": (x + y) * (x - 2 * y) / (abs(y) + 1), "indices": x + 100 * row - 7 * column, "matmul": x.T @ y,
    }.items()


def main():
    random = numpy.random.default_rng(2)
    x, y = (random.integers(-9, 10, (ROWS, COLUMNS)).astype("float64") for _ in range(2))
    holes = numpy.where(random.random(x.shape) < 0.1, numpy.nan, x)
    v = random.standard_normal(5003).round(2)
    with tempfile.TemporaryDirectory() as name:
        written = 0
        for key, array in [*{"x": x, "y": y, "holes": holes, "v": v}.items(), *results(x, y, holes, v)]:
            numpy.save(pathlib.Path(name) / f"{key}.npy", array)
            written += 1
        done = subprocess.run(sys.argv[2:] + [name], text=True, capture_output=True, timeout=200)
        assert done.returncode == 0, done.stdout + done.stderr
        # In each layout the program compares every result once.
        found = [line for line in done.stdout.splitlines() if line.startswith("right: ")]
        assert len(found) == int(sys.argv[1]) * (written - 4), done.stdout + done.stderr
        assert len(set(found)) == len(found), "a result was compared twice"
    print(f"{len(found)} results")


main()
