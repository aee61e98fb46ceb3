"""umbrellas.py ROOT: the header ashlar/<part>.hpp of each target ashlar::<part> includes no header of a library that the target does not link,
and the headers of a part reach none either. ashlar/blas.hpp includes what ashlar/tensor.hpp does. ashlar/layout.hpp includes all layers below comm,
ashlar/scalapack.hpp all of linalg with a public name, and ashlar/ashlar.hpp everything else with one but what needs HDF5 or FFTW."""

import functools
import pathlib
import re
import runpy
import sys

include = pathlib.Path(sys.argv[1]).resolve() / "include"
needs = {"mpi.h": "tensor", "Kokkos_Core.hpp": "tensor", "cblas.h": "blas", "oneapi/dnnl/dnnl.h": "blas", "zlib.h": "io", "hdf5.h": "hdf5", "fftw3.h": "fft",
         "ashlar/linalg/scalapack.hpp": "scalapack"}
links = {"layout": [], "tensor": ["layout"], "blas": ["tensor"], "io": ["tensor"], "data": ["io"], "train": ["data", "blas"], "ashlar": ["train"], "hdf5": ["io"],
         "checkpoint": ["hdf5", "ashlar"], "fft": ["tensor"], "scalapack": ["ashlar"]}


def all_of(part):
    return {part}.union(*(all_of(p) for p in links[part]))


@functools.cache
def included(name):
    header = include / name
    return re.findall(r'^ *# *include *["<]([^">]+)', header.read_text(encoding="utf-8"), re.M) if header.is_file() else []


def reached(name, seen):
    if name not in seen:
        seen.add(name)
        for other in included(name):
            reached(other, seen)
    return seen


faults = []
for part in links:
    seen = reached(f"ashlar/{part}.hpp", set())
    faults += [f"ashlar/{part}.hpp includes {h}, which ashlar::{part} does not link" for h, p in needs.items() if h in seen and p not in all_of(part)]
    missing = {"tensor": "mpi.h", "blas": "cblas.h", "io": "zlib.h", "hdf5": "hdf5.h", "fft": "fftw3.h", "scalapack": "ashlar/linalg/scalapack.hpp"}.get(part)
    if missing and missing not in seen:
        faults.append(f"ashlar/{part}.hpp does not include {missing}")
faults += [f"ashlar/blas.hpp does not include {h}, as ashlar/tensor.hpp does" for h in sorted(reached("ashlar/tensor.hpp", set()) - reached("ashlar/blas.hpp", set()))
           if h != "ashlar/tensor.hpp"]
all_layouts = reached("ashlar/layout.hpp", set())
for header in sorted(include.glob("ashlar/*/**/*.hpp")):
    layer = header.relative_to(include).parts[1]
    if layer in ("meta", "mesh", "layout", "plan", "ops", "autodiff") and str(header.relative_to(include)) not in all_layouts:
        faults.append(f"ashlar/layout.hpp does not include {header.relative_to(include)}")
    if layer in ("io", "data") and header.parent.name != "hdf5":
        for h in reached(str(header.relative_to(include)), set()) & {"cblas.h", "hdf5.h"}:
            faults.append(f"{header.relative_to(include)} includes {h}, which ashlar::{layer} does not link")
public_names = runpy.run_path(str(pathlib.Path(__file__).parent / "public_names.py"))
all_headers = reached("ashlar/ashlar.hpp", set())
all_solvers = reached("ashlar/scalapack.hpp", set())
for header in sorted(include.glob("ashlar/*/**/*.hpp")):
    name = str(header.relative_to(include))
    has_names = list(public_names["public_names"](public_names["blanked"](header.read_text(encoding="utf-8"))))
    if header.parent.name == "linalg" and has_names and name not in all_solvers:
        faults.append(f"ashlar/scalapack.hpp does not include {name}")
    other_target = reached(name, set()) & {"hdf5.h", "fftw3.h", "ashlar/linalg/descriptor.hpp"} or re.search(r"/(checkpoint/|linalg/|fft|dct|safetensors|xdmf)", name)
    if not other_target and name not in all_headers and has_names:
        faults.append(f"ashlar/ashlar.hpp does not include {name}")
print("\n".join(faults))
sys.exit(bool(faults))
