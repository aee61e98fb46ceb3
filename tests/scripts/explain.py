"""explain.py PROGRAM ROOT [--all] COMPILER FLAG...: scripts/explain begins with the sentence, the user's line, and the axis and
layouts of a mistake, in the user's words. It reads what COMPILER prints about programs of tests/fail: some, or all with --all."""

import pathlib
import re
import subprocess
import sys

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
every = sys.argv[3] == "--all"
compiler = sys.argv[4 if every else 3:]

# What the explanation holds after the sentence. {} is the path of the program.
EXPECTED = {
    "ops/one_sided_contraction": ['  at {}:16: constexpr auto y = einsum<"ik,kj->ij">(a, b);', '  axis "data"',
                                  '  layouts layout<none, "data"> and layout<none, none>'],
    "ops/max_of_a_partial_sum": None,
    "ops/all_gather_of_one_of_two_block_cyclic_axes": None,
    "ops/operands_on_two_meshes": None,
    "ops/result_of_a_collective_dropped": None,
    "mesh/size_of_unknown_axis": ['  at {}:10: inline constexpr int n = grid.size<"modle">();', '  axis "modle"',
                                  '  mesh mesh<axis<"data">, axis<"model">>'],
    "mesh/axis_of_two_names": None,
    "layout/axis_shards_two_dimensions": ['  at {}:9: using square = layout<"data", "data">;', '  layout layout<"data", "data">'],
    "layout/names_joined_by_a_comma": None,
    "layout/equation_without_arrow": [
        '  at {}:10: inline constexpr layout_detail::einsum_equation product = layout_detail::parse("ik,kj");'],
    "plan/negative_extent": ['  at {}:12: constexpr auto x = make<float, layout<"data">>(m, {{-1}});', '  layout layout<"data">'],
    "plan/draw_svg_of_three_dimensions": ['  at {}:14: void show(std::ostream& out) {{ draw_svg<batch>(out, mesh<axis<"x">>{{{{2}}}}, extents); }}',
                                          '  layout layout<"x", none, none>'],
    "autodiff/loss_is_replicated": None,
    "autodiff/parameter_partial_by_a_maximum": None,
}
# clang names no layout in notes about calls of constexpr functions.
NAMED_BY_GCC_ALONE = {"plan/negative_extent"}
INTERNAL = re.compile(r"basic_|_detail|axis_name|literal<|split<|\d{7}|whole[,>]")


def explain(text):
    return subprocess.run([sys.executable, program], input=text, capture_output=True, text=True, check=True).stdout.splitlines()


def faults(name):
    source = root / "tests" / "fail" / (name + ".cpp")
    printed = subprocess.run(compiler + ["-fsyntax-only", str(source)], capture_output=True, text=True).stderr
    lines = explain(printed)
    head = lines[:lines.index("")]
    types = "\n".join(head[:1] + head[2:])  # without the user's own line
    sentences = set(re.findall(r"ashlar::[\w:<>]+: .*?(?=\"|$)", printed, re.M))
    # The test of the sentence itself is must_fail.sh; where a mistake has several, the first error's is explained.
    regexes = re.findall(r"^ *// EXPECT: (.*)$", source.read_text(encoding="utf-8"), re.M)
    if head[0].startswith("ashlar::") and len(sentences) == 1 and not any(re.search(regex, head[0]) for regex in regexes):
        yield "the first line is not the sentence"
    if len(head) > 5:
        yield "more than 5 lines precede the compiler's"
    if not head[1].startswith((f"  at {source}:", f"  in {source};")):
        yield "the second line does not name the program"
    if INTERNAL.search(types):
        yield "an internal spelling: " + INTERNAL.search(types)[0]
    errors = [line for line in printed.splitlines() if re.search("static assertion failed due|evaluates to false", line)]
    if re.search(r"basic_(layout|partial)<", "".join(errors[:1])) and "layout" not in "\n".join(head[2:]):
        yield "no layout"
    exact = [line.format(source) for line in EXPECTED.get(name) or []]
    if name in NAMED_BY_GCC_ALONE and len(head) == 2:
        exact = exact[:1]
    if exact and head[1:] != exact:
        yield "not the expected lines:\n" + "\n".join(exact)


names = sorted(EXPECTED)
if every:
    names = sorted(str(p.relative_to(root / "tests" / "fail").with_suffix("")) for p in (root / "tests" / "fail").glob("*/*.cpp"))
    names = [name for name in names if not name.startswith("without_")]
failed = 0
for name in names:
    for fault in faults(name):
        failed += 1
        print(f"{name}: {fault}")
if explain("ok\n") != ["ok"]:
    failed += 1
    print("output without an error does not pass unchanged")
print(f"{len(names)} programs, {failed} faults")
sys.exit(failed > 0)
