"""figures.py ROOT: a figure that stands in several places of the tree is the same in all of them. PLACES lists, for each, the files and patterns by
which to find it; a pattern occurs once in its file, and its groups are the numbers. The first place is where the figure comes from: a file of
measurements, the test that holds it, or the page of the run. Whatever CHANGELOG.md and README.md state as a ratio or a share is in the list."""

import json
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
N = r"(\d+(?:\.\d+)?)"
INTEGER = r"(\d+(?: \d{3})*)"  # with spaces between thousands, as pages write it


def text_of(name):
    return " ".join((root / name).read_text(encoding="utf-8").split())  # lines of pages break anywhere


def found(name, pattern, scale=1):
    """The numbers of the one place in a file where the pattern occurs, or an error."""
    matches = list(re.finditer(pattern, text_of(name)))
    if len(matches) != 1:
        return f"{name} has {len(matches)} places of {pattern}"
    return [round(scale * float(g.replace(" ", "")), 9) for g in matches[0].groups()]


def on_a_node():
    """From 64 KiB to 4 MiB: the least and the largest ratio of the first chart of the page of speed."""
    chart = next(c for c in json.loads(text_of("docs/explanation/speed.json")) if c["name"] == "speed_on_a_node")
    of = slice(1 + chart["columns"].index("64 KiB"), 2 + chart["columns"].index("4 MiB"))
    ratios = [x for row in chart["rows"] for x in row[of]]
    return [min(ratios), max(ratios)]


def einsum_tuples():
    """The first seven assertions about equations of the einsum rule: their tuples, and those that are accepted."""
    cases = re.findall(r"proven\((\d+), (\d+)\)\)?;", text_of("tests/static/layout/einsum.cpp"))[:7]
    return [sum(int(c[k]) for c in cases) for k in (0, 1)]


def heat():
    """Compiling example 14 with the library, over without: time and code, to two digits."""
    seconds = found("docs/records/compile_time.md", rf"takes {N} s of processor time at `-O0` instead of {N} s")
    code = found("docs/records/compile_time.md", rf"Its code fell from {N} KB to {N} KB")
    return [round(seconds[0] / seconds[1], 2), round(code[1] / code[0], 2)]


CHANGES, SPEED, PLANNER = "CHANGELOG.md", "docs/explanation/speed.md", "docs/decisions/planner.md"
CANDIDATES, LINKS = "tests/unit/plan/candidates.cpp", "tests/unit/plan/links.cpp"
BARS = "tests/examples/{}.sh"
PLACES = {
    "messages over memory of a node": [on_a_node, (CHANGES, rf"the best use of MPI's messages takes {N} to {N} times as long"),
                                       ("docs/decisions/node_transport.md", rf"the best use of MPI's messages takes {N} to {N} times as long")],
    "plans that extents choose": [(CANDIDATES, rf"check_stated\(t, \{{(1940), {N}, {N}, {N}, {N}\}}\)"),
                                  (PLANNER, rf"Over {INTEGER} pairs the bytes are {N} times the least on average and {N} times at most\. The one plan "
                                            rf"alone has {N} and {N}\.")],
    "the same for uneven extents": [(CANDIDATES, rf"check_stated\(t, \{{(2621), {N}, {N}, {N}, {N}\}}\)"),
                                    (PLANNER, rf"three axes, {INTEGER} pairs, they are {N} and {N} times the least, and {N} and {N} by the one plan")],
    "the one plan, at most": [(CANDIDATES, rf"check_stated\(t, \{{1940, .*?, {N}\}}\)"), (CHANGES, rf"first dimension cost up to {N} times the least")],
    "plans where messages cost, two axes": [(LINKS, rf"check\(2, \{{3, 5\}}, {N}, 1\.24\); check\(3, \{{3, 5\}}, {N}, {N}\);"),
                                            (PLANNER, rf"on two in {N} % of rank 2 \(3 x 5 ranks; all on 4 x 4\) and {N} % of rank 3, else at most {N} times")],
    "the same, three axes": [(LINKS, rf"check\(1, \{{2, 3, 5\}}, {N}, 2\); check\(2, \{{2, 3, 4\}}, {N}, 2\); .*? check\(3, \{{2, 3, 4\}}, {N}, 2\);"),
                             (PLANNER, rf"on three axes in at least {N} % \(rank 1\), {N} % \(rank 2\) and {N} % \(rank 3\)")],
    "tuples of the einsum rule": [einsum_tuples, ("docs/explanation/rules.md", rf"tries {N} tuples of seven einsum equations, of which {N} are accepted"),
                                  ("tests/static/layout/einsum.cpp", rf"// {N} tuples, {N} accepted, none unsound, none missed")],
    "library of compiled functions": [heat, (CHANGES, rf"compiles in {N} of the time with it, and its code is {N} of the size")],
    "example 04 by that library": [("docs/records/compile_time.md", rf"Example 04 takes {N} of the time before"),
                                   (CHANGES, rf"Example 04 at `-O0` compiles in {N} of the time with the library")],
    "functions for each type": [("docs/records/compile_time.md", rf"example 12 takes {N} of the processor time before and [\d.]+ of the compiler's memory\. Example 04 takes {N}"),
                                (CHANGES, rf"Example 12 compiles in {N} of the time with the library, and example 04 in {N}\.")],
    "parse of the umbrella": [("docs/records/compile_time.md", rf"`ashlar/ashlar.hpp` then takes {N} of the"), (CHANGES, rf"is parsed in {N} of the time before")],
    "conjugate gradients by hand": [("docs/records/conjugate_gradients.md", rf"Without both they are at {N} \([^)]*\) on 2 ranks and {N} \([^)]*\) on 4"),
                                    (CHANGES, rf"fused loops take {N} of the time on 2 ranks and {N} on 4")],
    "blocks written by pwrite": [(SPEED, rf"save .npy, blocks \| {N} \| .*? save HDF5, blocks \| {N} \|"),
                                 (CHANGES, rf"pwrite of the same blocks takes {N} and {N} times as long")],
    "example 04, digits": [(BARS.format("mnist_mlp"), rf"then least={N}", 100), (BARS.format("mnist_mlp"), rf"on 2 x 2 ranks reach {N} % on MNIST")],
    "example 06, digits": [(BARS.format("mirrored"), rf"then least={N}", 100), (BARS.format("mirrored"), rf"on 4 ranks reach {N} % of the test set")],
    "example 07, digits": [(BARS.format("tf_dtensor"), rf"then least={N}", 100), (BARS.format("tf_dtensor"), rf"on 4 ranks reach {N} % on MNIST"),
                           ("docs/how_to/from_dtensor.md", rf"Its test requires {N} %")],
    "example 07, digits that are usual": [(BARS.format("tf_dtensor"), rf"About {N} % is usual"), ("docs/how_to/from_dtensor.md", rf"knows about {N} % of them after")],
    "example 05, bar": [(BARS.format("keras_jax_convnet"), rf"t >= {N} &&", 100), (BARS.format("keras_jax_convnet"), rf"the second recognises {N} % of its images")],
    "example 05, least of any seed": [("docs/how_to/from_keras_jax.md", rf"second epoch recognises {N} to [\d.]+ % of its own images"),
                                      (BARS.format("keras_jax_convnet"), rf"below the least of # any seed, {N} %")],
    "calls until a comparison": [("include/ashlar/comm/collectives/tuning.hpp", rf"agree_every = {N};"), (CHANGES, rf"1, 2, 4, 8, 16 and every {N}nd"),
                                 ("docs/how_to/when_ranks_disagree.md", rf"1, 2, 4, 8, 16 and every {N}nd"), ("docs/decisions/desync.md", rf"1, 2, 4, 8, 16 and every {N}nd"),
                                 (SPEED, rf"compare before every {N}nd")],
    "a comparison on 17 ranks": [("docs/records/collectives.md", rf"a comparison before every collective takes {N} % of an all_reduce of 64 KiB, .*? and {N} % of a reduce_scatter"),
                                 ("docs/how_to/when_ranks_disagree.md", rf"takes {N} to {N} % of a collective of 64 KiB")],
    "ranks that exchange": [("include/ashlar/comm/collectives/tuning.hpp", rf"exchange_ranks = {N};"), ("docs/how_to/when_ranks_disagree.md", rf"Beyond {N} ranks of an axis"),
                            ("docs/decisions/desync.md", rf"where exchanges serve \(up to {N} ranks")],
}
# What no other place states.
ALONE = ["2^21 doubles in 0.36 of the time before"]

faults, count = [], 0
for what, places in PLACES.items():
    values = []
    for place in places:
        value = place() if callable(place) else found(*place)
        if isinstance(value, str):
            faults.append(f"{what}: {value}")
        values.append((place[0] if isinstance(place, tuple) else place.__doc__, value))
        count += 1
    for name, value in values[1:]:
        if value != values[0][1] and not isinstance(value, str):
            faults.append(f"{what}: {value} in {name}, {values[0][1]} in {values[0][0]}")

ratio = re.compile(r"\b\d+(?:\.\d+)? (?:%|times (?:as|the)|of the (?:time|size|bytes))")
for name in (CHANGES, "README.md"):
    text = text_of(name)
    known = [m.span() for places in PLACES.values() for p in places if isinstance(p, tuple) and p[0] == name for m in re.finditer(p[1], text)]
    known += [m.span() for words in ALONE for m in re.finditer(re.escape(words), text)]
    for m in ratio.finditer(text):
        if not any(begin <= m.start() and m.end() <= end for begin, end in known):
            faults.append(f"{name}: tests/scripts/figures.py does not know where this comes from: ...{text[max(0, m.start() - 60):m.end() + 30]}...")

print("\n".join([*faults, f"{len(PLACES)} figures in {count} places, {len(faults)} faults"]))
sys.exit(len(faults) > 0)
