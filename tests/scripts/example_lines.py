"""example_lines.py ROOT COMPILER FLAG...: compiles the lines "Example: EXPRESSION -> LAYOUT" of comments in include/ as static_asserts. An operand
is NAME<LAYOUT> or NAME<LAYOUT, ELEMENT> where it is first named; its elements are float otherwise. m is a mesh with the axes of the line. Lines
without the arrow are prose. Only headers that need neither MPI nor Kokkos may have such lines."""

import pathlib
import re
import subprocess
import sys

UPPER = {"comm", "kernels", "tensor", "io", "data", "checkpoint", "train"}
FIELD = re.compile(r"(?:Shape|Pre|Post|Collective|Cost|Error|Source|Example):")
OPERAND = re.compile(r"\b(?!to_layout<)([a-z_]\w*)<(?=(?:layout|partial|fresh|halo_sums)<)")
WRAPPERS = {"layout", "partial", "fresh", "halo_sums"}


def examples(path):
    """Pairs of a line number and the text of an Example with an arrow."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        found = re.match(r"\s*///.*?\bExample: (.*)", line)
        if not found:
            continue
        text = found[1]
        for more in lines[number:]:
            comment = re.match(r"\s*/// ?(.*)", more)
            if not comment or FIELD.match(comment[1]):
                break
            text += " " + comment[1].strip()
        parts = re.fullmatch(r"(.*\S) -> ((?:layout|partial|fresh|halo_sums)<.*>)", text)
        if parts:
            yield number, parts[1], parts[2]


def end_of_arguments(text, begin):
    """The position after the > that closes the < before `begin`."""
    depth, quoted = 1, False
    for i in range(begin, len(text)):
        quoted ^= text[i] == '"'
        if not quoted:
            depth += (text[i] == "<") - (text[i] == ">")
        if depth == 0:
            return i + 1
    raise ValueError(f"no end of template arguments: {text}")


def split(arguments):
    """The layout and the element of an operand."""
    depth = 0
    for i, c in enumerate(arguments):
        depth += (c in "<(") - (c in ">)")
        if depth == 0 and c == ",":
            return arguments[:i], arguments[i + 1:].strip()
    return arguments, "float"


def parsed(expression):
    """The expression with bare operands, and a list of name, layout and element."""
    operands, at = [], 0
    while found := OPERAND.search(expression, at):
        end = end_of_arguments(expression, found.end())
        at = found.end()
        if found[1] not in WRAPPERS and not expression[end:].startswith("("):
            operands.append((found[1], *split(expression[found.end():end - 1])))
            expression = expression[:found.end() - 1] + expression[end:]
            at = found.end() - 1
    return expression, operands


def test_of(path, number, expression, layout):
    expression, operands = parsed(expression)
    axes = dict.fromkeys(re.findall(r'"(\w+)"', " ".join([layout, expression] + [o[1] for o in operands])))
    mesh = "mesh<" + ", ".join(f'axis<"{a}">' for a in axes) + ">"
    head = "".join(f", operand<M, {element}, {layout_of}> const& {name}" for name, layout_of, element in operands)
    unused = "".join(f" (void){name};" for name, *_ in operands)
    return (f'#line {number} "{path}"\n'
            f"template <class M> void example_{path.stem}_{number}(M const& m{head}) {{ (void)m;{unused} "
            f"static_assert(std::is_same_v<layout_t<decltype({expression})>, {layout}>); }}\n"
            f"template void example_{path.stem}_{number}<{mesh}>({mesh} const&"
            + "".join(f", operand<{mesh}, {element}, {layout_of}> const&" for _, layout_of, element in operands) + ");\n")


PROLOGUE = """#include <functional>
#include <type_traits>
#include "ashlar/layout/layouts.hpp"
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/fft/fft.hpp"
#include "ashlar/ops/fft/to_layout.hpp"
#include "ashlar/ops/fft/fftshift.hpp"
#include "ashlar/ops/ops.hpp"
using namespace ashlar;
template <class M, class T, class L, std::size_t... I>
auto made(std::index_sequence<I...>) -> decltype(make<T, L>(std::declval<M const&>(), {(void(I), index_t{8})...}));
template <class M, class T, class L>
using operand = decltype(made<M, T, L>(std::make_index_sequence<L::rank>()));
"""


def main(root, compiler):
    source, found, failed = PROLOGUE, 0, 0
    for path in sorted((root / "include").rglob("*.hpp")):
        for number, expression, layout in examples(path):
            found += 1
            if path.parent.name in UPPER:
                failed += 1
                print(f"{path}:{number}: an example with -> in a layer that needs MPI or Kokkos; write prose")
            else:
                source += test_of(path, number, expression, layout)
    if found < 30:
        failed += 1
        print(f"only {found} examples found")
    done = subprocess.run([*compiler, "-fsyntax-only", "-x", "c++", "-"], input=source, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        print(done.stderr)
    print(f"{found} examples compiled")
    return 1 if failed or done.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
