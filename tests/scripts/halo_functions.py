#!/usr/bin/env python3
"""halo_functions.py ROOT: passes if a test calls each public function of ops and tensor that takes a tensor in a source that has
halos, or OTHERS says why none does. Functions of ops are also called in a dry run: by a static test, or by a program of tests/fail
if they refuse a halo."""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
from public_names import blanked, head_of, public_declarations

root = pathlib.Path(sys.argv[1])
OTHERS = {
    "element_index": "takes the result of argmax, which reads no halo",
    "element_value": "takes the result of argmax, which reads no halo",
    "nn::global_average_pool": "composed of mean",
    "nn::multi_head_attention": "composed of einsum and attention",
    "unpack": "takes the result of pack",
}
CHAINS = {"chain": "calls the functions of the program"}  # in dry runs
TAKES_A_TENSOR = re.compile(r"template\s*<[^;{]*?\b(?:(?:plain_)?tensor|stencil_field|class (?:X|Table|Update))\b")

functions, of_ops = set(), set()
for folder in ("ops", "tensor"):
    for header in (root / "include" / "ashlar" / folder).rglob("*.hpp"):
        for name, declaration in public_declarations(blanked(header.read_text(encoding="utf-8"))):
            if TAKES_A_TENSOR.match(declaration) and re.match(r"(?!struct|class|using|concept)[^=]*\(", head_of(declaration)):
                functions.add(name)
                if folder == "ops":
                    of_ops.add(name)


def called_in(*folders):
    sources = (source.read_text(encoding="utf-8") for folder in folders for source in (root / "tests" / folder).rglob("*.cpp"))
    with_halos = "\n".join(text for text in sources if re.search(r"\bhalo\(|\bfresh<", text))
    return {name for name in functions if re.search(rf"\b{name.rpartition('::')[2]}\b(<[^;]*?>)?\(", with_halos)}


called, dry = called_in("."), called_in("static", "fail")

if len(functions) < 100:
    sys.exit(f"only {len(functions)} functions were found; TAKES_A_TENSOR no longer fits the headers")
faults = [f"{name}: no test calls it on a tensor with a halo" for name in sorted(functions - called - OTHERS.keys())]
faults += [f"{name}: no static test and no program of tests/fail calls it on a tensor with a halo"
           for name in sorted(of_ops - dry - OTHERS.keys() - CHAINS.keys())]
faults += [f"{name}: is tested or gone; take it off the list" for name in sorted(OTHERS.keys() - (functions - called))]
if faults:
    sys.exit("\n".join(faults))
