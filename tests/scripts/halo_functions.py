#!/usr/bin/env python3
"""halo_functions.py ROOT: passes if a test calls each public function of ops and tensor that takes a tensor in a source that has
halos, or OTHERS says why none does."""

import pathlib
import re
import sys

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
HEAD = re.compile(r"template\s*<[^;{]*?\b(?:(?:plain_)?tensor\b|stencil_field\b|class X\b)[^;{]*?>\s*(?:requires[^;{]*\n)?\s*"
                  r"(?:\[\[nodiscard\]\]\s*)?(?:constexpr |inline )*(?:auto|void|decltype\(auto\)|[\w:<>, ]+?)&? (\w+)\(")

public = set((root / "tests" / "public_names.txt").read_text(encoding="utf-8").split())
functions = set()
for folder in ("ops", "tensor"):
    for header in (root / "include" / "ashlar" / folder).rglob("*.hpp"):
        functions |= public & set(HEAD.findall(header.read_text(encoding="utf-8")))
sources = (source.read_text(encoding="utf-8") for source in (root / "tests").rglob("*.cpp"))
with_halos = "\n".join(text for text in sources if re.search(r"\bhalo\(|\bstale<", text))
called = {name for name in functions if re.search(rf"\b{name}\b(<[^;]*?>)?\(", with_halos)}

if len(functions) < 100:
    sys.exit(f"only {len(functions)} functions were found; the expression HEAD no longer fits the headers")
faults = [f"{name}: no test calls it on a tensor with a halo" for name in sorted(functions - called - OTHERS.keys())]
faults += [f"{name}: is tested or gone; take it off the list" for name in sorted(OTHERS.keys() - (functions - called))]
if faults:
    sys.exit("\n".join(faults))
