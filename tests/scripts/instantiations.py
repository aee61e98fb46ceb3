#!/usr/bin/env python3
"""instantiations.py ROOT [--update | --first] CLANG FLAG...: compares the templates that programs instantiate with a baseline.

Counts are those of clang's trace, exact, of the examples in the baseline. The test fails if a count is more than 3 %
over the baseline, and skips (exit 77) where the compiler or a library is not of the version of the baseline. --update
writes the baseline. --first takes the first example alone.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

allowed = 1.03
programs = ["examples/01_sharded_sum.cpp", "examples/04_mnist_mlp.cpp"]
probe = """#include <version>
#include <mpi.h>
#include <Kokkos_Macros.hpp>
clang __clang_major__
libstdcxx _GLIBCXX_RELEASE
kokkos KOKKOS_VERSION
mpi MPI_VERSION MPI_SUBVERSION
open_mpi OMPI_MAJOR_VERSION
mpich MPICH_NUMVERSION
openmp _OPENMP
"""


def versions(compiler):
    done = subprocess.run([*compiler, "-E", "-P", "-x", "c++", "-"], input=probe, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()[-7:]
    return {name: value for name, value in (line.split(" ", 1) for line in lines)}


def counts(compiler, source):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "program.o")
        subprocess.run([*compiler, "-Xclang", "-fsyntax-only", "-c", "-ftime-trace", "-ftime-trace-granularity=0", str(source), "-o", str(out)], check=True)
        found = re.findall(r'"name":"Instantiate(Class|Function)"', out.with_suffix(".json").read_text())
    return {"classes": found.count("Class"), "functions": found.count("Function")}


def main():
    root, *compiler = sys.argv[1:]
    option = compiler.pop(0) if compiler[0].startswith("--") else None
    file = Path(root, "tests/data/instantiations.json")
    present = versions(compiler)
    if option == "--update":
        table = {"versions": present} | {p: counts(compiler, Path(root, p)) for p in programs}
        file.write_text(json.dumps(table, indent=2) + "\n")
        return 0
    baseline = json.loads(file.read_text())
    for name, version in baseline["versions"].items():
        if present[name] != version:
            print(f"skipped: the baseline is of {name} {version}, here is {present[name]}")
            return 77
    more = 0
    for program in programs[:1] if option == "--first" else programs:
        for kind, now in counts(compiler, Path(root, program)).items():
            before = baseline[program][kind]
            print(f"{program}: {now} {kind}, {before} in the baseline, ratio {now / before:.3f}")
            more += now > allowed * before
    if more:
        print("a program instantiates over 3 % more than the baseline; find out why, or write a new baseline with --update")
    return more > 0


sys.exit(main())
