"""tune.py SCRIPT: the table that benchmarks/tune/run makes of measurements: where it departs from the usual rows, and where not."""
import importlib.machinery
import importlib.util
import sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("tune", sys.argv[1])
tune = importlib.util.module_from_spec(importlib.util.spec_from_loader("tune", loader))
loader.exec_module(tune)


def rows(case, ranks, runs, mpi="Open MPI v9.9"):
    """runs: one {variant: (lower quartile, median, upper quartile)} a run; the first variant is the usual exchange."""
    return [{"case": case, "ranks": ranks, "run": i, "variant": name, "mpi": mpi, "cores": "2", "ratio_p25": q[0], "ratio": q[1], "ratio_p75": q[2]}
            for i, variants in enumerate(runs) for name, q in variants.items()]


def of(text):
    return [line.strip() for line in text.splitlines() if line.startswith("    ")]


one = (1.0, 1.0, 1.0)
usual = {"exchange": one, "mpi": (1.1, 1.2, 1.3), "persistent": (1.1, 1.2, 1.3)}
faster = {"exchange": one, "exchange_in_parts": (0.6, 0.7, 0.8), "mpi": (1.5, 1.6, 1.7), "persistent": (0.9, 1.0, 1.1)}
noisy = {**faster, "exchange_in_parts": (0.6, 0.7, 0.99)}

# Nothing departs: an empty table that says so.
name, text = tune.paragraph(rows("all_gather 64 B", 2, [usual, usual]))
assert name == "open_mpi_rows" and "Nothing departs." in text and "std::span<tuning_row const> open_mpi_rows;" in text, text

# What wins in every run by more than the spread, and what wins in one run only. Sizes that agree are one row; the rows of fewer
# ranks come along, those of a kind in which nothing departs do not.
measured = (rows("all_reduce 64 B", 2, [usual, usual]) + rows("all_reduce 256 B", 2, [usual, usual])
            + rows("all_reduce 64 B", 3, [usual, usual]) + rows("all_reduce 256 B", 3, [faster, faster])
            + rows("all_reduce 1 KiB", 3, [faster, faster]) + rows("all_reduce 4 KiB", 3, [{**usual, **{"exchange_in_parts": (0.5, 0.6, 0.7)}}, noisy])
            + rows("all_reduce 64 B", 4, [usual, usual]) + rows("all_to_all 64 B", 3, [usual, usual]))
_, text = tune.paragraph(measured)
assert of(text) == [
    "{collective::all_reduce, false, 2, any_bytes, algorithm::exchange, algorithm::mpi},",
    "{collective::all_reduce, false, 3, 128, algorithm::exchange, algorithm::mpi},",
    "{collective::all_reduce, false, 3, 2048, algorithm::exchange_in_parts, algorithm::persistent},",
    "{collective::all_reduce, false, 3, any_bytes, algorithm::exchange, algorithm::mpi},",
], text
assert text.startswith("// Open MPI v9.9, 2, 3 and 4 ranks of a node with 2 cores.\n"), text
assert tune.paragraph(list(measured))[1] == text

# MPI's own are never taken for ranks that may exchange; a limit is nobody's choice; in place the usual one is in place.
own = {"exchange": one, "mpi_in_place": (0.3, 0.4, 0.5), "mpi": (0.1, 0.2, 0.25), "limit: x": (0.01, 0.01, 0.01)}
name, text = tune.paragraph(rows("all_reduce in place 64 B", 2, [own], "MPICH Version:      4.0.2"))
assert name == "mpich_rows" and text.startswith("// MPICH 4.0.2, 2 ranks"), text
assert of(text) == ["{collective::all_reduce, true, 2, any_bytes, algorithm::exchange, algorithm::mpi},"], text
# Types that describe strided blocks may win at any size, larger than whole arrays too.
types = {"exchange": one, "exchange_by_types": (0.6, 0.7, 0.8)}
_, text = tune.paragraph(rows("all_gather strided 64 KiB", 4, [{"exchange": one, "exchange_by_types": one}]) + rows("all_gather strided 64 MiB", 4, [types]))
assert of(text) == [
    "{collective::all_gather, false, 4, 131072, algorithm::exchange, algorithm::mpi, true},",
    "{collective::all_gather, false, 4, any_bytes, algorithm::exchange_by_types, algorithm::mpi, true},",
], text
print("ok")
