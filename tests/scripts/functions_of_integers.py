#!/usr/bin/env python3
"""functions_of_integers.py ROOT: passes if each public function of ops, linalg and autodiff that takes a tensor has a row in
tests/mpi/ops/functions_of_integers.cpp, the values of NumPy for int, bytes and masks, or a sentence that refuses integers in a program of
tests/fail, or if OTHERS says why neither is needed."""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
import must_fail
from public_names import blanked, head_of, public_declarations

root = pathlib.Path(sys.argv[1])
# Functions whose sentence is that of another one.
AS = {
    "ashlar::fft": "fft inverse_fft rfft inverse_rfft "
                   "transforms::dct transforms::inverse_dct transforms::dst transforms::inverse_dst",
    "ashlar::linalg": "linalg::cholesky linalg::eigh linalg::lstsq linalg::lu linalg::qr linalg::solve linalg::svd linalg::tall_skinny_qr "
                      "linalg::trace linalg::triangular_solve",
    "ashlar::nn::attention": "nn::multi_head_attention",
}
OTHERS = {
    "moves elements, whatever their type; tests/mpi/tensor/element_types.cpp has the collectives":
        "all_gather all_gather_async all_to_all all_to_all_async as_partial as_replicated as_replicated_async redistribute "
        "redistribute_async redistribute_into reduce_scatter reduce_scatter_async all_reduce all_reduce_async roll roll_async",
    "is a product and a sum": "matmul_into",
    "moves cells": "add_halo exchange_halo exchange_halo_async owned update_halo",
    "calls a function of the program": "apply chain stencil stencil_and_reduce update assign_and_reduce",
    "does what an operator does": "assign",
    "has a case in tests/mpi/linalg/norm.cpp": "linalg::dot",
}
TAKES_A_TENSOR = re.compile(r"template\s*<[^;{]*?\b(?:(?:plain_)?tensor|stencil_field|active_value|class (?:X|A|Table|Update))\b")

functions = set()
for folder in ("ops", "linalg", "autodiff"):
    for header in (root / "include" / "ashlar" / folder).rglob("*.hpp"):
        for name, declaration in public_declarations(blanked(header.read_text(encoding="utf-8"))):
            if TAKES_A_TENSOR.match(declaration) and re.match(r"(?!struct|class|using|concept)[^=]*\(", head_of(declaration)):
                functions.add(name)

values = set(re.findall(r'\brow\("([\w:]+)"', (root / "tests/mpi/ops/functions_of_integers.cpp").read_text(encoding="utf-8")))
texts = [text for source in (root / "tests/fail").rglob("*.cpp") for mistake in must_fail.mistakes(source)[1] for text in mistake.texts]
sentences = {found[1] for found in (re.match(r"(ashlar::[\w:]+): .*(?:integers|are float|are real)", text) for text in texts) if found}
refused = {name.removeprefix("ashlar::") for name in sentences}
refused |= {name for sentence, names in AS.items() if sentence in sentences for name in names.split()}
others = {name for names in OTHERS.values() for name in names.split()}

if len(functions) < 100:
    sys.exit(f"only {len(functions)} functions were found; TAKES_A_TENSOR no longer fits the headers")
faults = [f"{name}: no row of functions_of_integers.cpp has its values of integers, and no program of tests/fail a sentence that refuses them"
          for name in sorted(functions - values - refused - others)]
faults += [f"{name}: has a row or a sentence, or is gone; take it off the list" for name in sorted(others & (values | refused) | others - functions)]
if faults:
    sys.exit("\n".join(faults))
