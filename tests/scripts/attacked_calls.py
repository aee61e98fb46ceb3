#!/usr/bin/env python3
"""attacked_calls.py INCLUDE_DIR NAMES CALLS: passes if each public function that all ranks call is one that the attacks disturb.
NAMES is the list of public names, and CALLS the header of the attacks' calls. A function counts if its comment says by "Collective:"
which ranks call it. A function that CALLS does not name needs a reason below."""

import pathlib
import re
import sys

from public_names import blanked, head_of, name_of

# The functions that the attacks leave out, by reason.
left_out = {
    "send nothing themselves": "as_partial as_replicated as_replicated_async",
    "are made of calls that are attacked": """nn::batch_norm nn::sharded_cross_entropy nn::multi_head_attention stencil_and_reduce update
        training::dense training::conv2d training::embedding training::step training::trainer datasets::tensor_batches
        training::place linalg::norm linalg::dot linalg::trace io::run_checkpoints training::training_run
        training::test_accuracy""",
    "has attacked members, by tests/support/hdf5_file.hpp": "io::hdf5_file",
    "call functions of the program": """training::accumulate training::mean_over overlap_chunks remat value_and_grad vjp training::gpipe
        training::one_forward_one_backward training::through_stages training::unpipelined""",
    "need ScaLAPACK or FFTW, which the attacks do not link; tests/harness/solver_culprit.cpp attacks solvers": """linalg::cholesky linalg::eigh
        linalg::lstsq linalg::lu linalg::qr linalg::solve linalg::svd linalg::tall_skinny_qr linalg::triangular_solve linalg::scalapack_descriptor fft""",
    "begin or end what calls run on": "environment mpi_environment communicator run_program",
}


def functions(include, names):
    """The public functions and classes whose comments say that ranks call them together."""
    found = set()
    for header in sorted(include.rglob("*.hpp")):
        text = header.read_text(encoding="utf-8")
        spaces = {space + "::" for space in re.findall(r"^namespace ashlar::(\w+) \{", text, re.M)} | {""}
        for comment in re.finditer(r"(^///[^\n]*\n)+", text, re.M):
            ranks = re.search(r"^/// Collective: (.*)", comment[0], re.M)
            if not ranks or re.match(r"(no|none)\b", ranks[1]):
                continue
            declaration = re.split(r"[;{]\s*\n", blanked(text[comment.end():]), maxsplit=1)[0]
            name = name_of(head_of(declaration) + "{")
            found |= {n for n in (space + (name or "") for space in spaces) if n in names}
    return found


def main(include, names, calls):
    listed = set(pathlib.Path(names).read_text(encoding="utf-8").split())
    all_ranks_call = functions(pathlib.Path(include), listed)
    text = blanked(pathlib.Path(calls).read_text(encoding="utf-8"))
    attacked = set(re.findall(r"(?<![.\w:])(?:\w+::)?\w+", text))
    attacked |= {f"{space}::{name}" for space in re.findall(r"using namespace ashlar::(\w+);", text) for name in attacked}
    reasons = {name for group in left_out.values() for name in group.split()}
    missing = all_ranks_call - attacked - reasons
    for name in sorted(missing):
        print(f"ashlar::{name} is a call of all ranks that no attack disturbs: add it to {calls}, or say in {__file__} why not")
    needless = reasons - (all_ranks_call - attacked)
    for name in sorted(needless):
        print(f"ashlar::{name} has a reason in {__file__}, and needs none: take it off")
    sys.exit(bool(missing or needless))


if __name__ == "__main__":
    main(*sys.argv[1:])
