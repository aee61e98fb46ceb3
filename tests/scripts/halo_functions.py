#!/usr/bin/env python3
"""halo_functions.py ROOT: passes if a test calls each public function of ops and tensor that takes a tensor in a source that has
halos, or OTHERS says why none does."""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
from public_names import blanked, head_of, public_declarations

root = pathlib.Path(sys.argv[1])
OTHERS = {
    "binary_cross_entropy": "composed of elementwise functions and mean",
    "binary_cross_entropy_from_logits": "composed of elementwise functions and mean",
    "element_index": "takes the result of argmax, which reads no halo",
    "element_value": "takes the result of argmax, which reads no halo",
    "global_average_pool": "composed of mean",
    "matmul_into": "its operands are those of matmul",
    "multi_head_attention": "composed of einsum and attention",
    "unpack": "takes the result of pack",
}
TAKES_A_TENSOR = re.compile(r"template\s*<[^;{]*?\b(?:(?:plain_)?tensor|stencil_field|class X)\b")

functions = set()
for folder in ("ops", "tensor"):
    for header in (root / "include" / "ashlar" / folder).rglob("*.hpp"):
        for name, declaration in public_declarations(blanked(header.read_text(encoding="utf-8"))):
            if TAKES_A_TENSOR.match(declaration) and re.match(r"(?!struct|class|using|concept)[^=]*\(", head_of(declaration)):
                functions.add(name)
sources = (source.read_text(encoding="utf-8") for source in (root / "tests").rglob("*.cpp"))
with_halos = "\n".join(text for text in sources if re.search(r"\bhalo\(|\bstale<", text))
called = {name for name in functions if re.search(rf"\b{name}\b(<[^;]*?>)?\(", with_halos)}

if len(functions) < 100:
    sys.exit(f"only {len(functions)} functions were found; TAKES_A_TENSOR no longer fits the headers")
faults = [f"{name}: no test calls it on a tensor with a halo" for name in sorted(functions - called - OTHERS.keys())]
faults += [f"{name}: is tested or gone; take it off the list" for name in sorted(OTHERS.keys() - (functions - called))]
if faults:
    sys.exit("\n".join(faults))
