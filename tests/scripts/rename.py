"""rename.py PROGRAM ROOT: scripts/rename brings a source to headers that exist and to the current names, and changes
nothing else."""

import pathlib
import re
import subprocess
import sys
import tempfile

program, root = sys.argv[1], pathlib.Path(sys.argv[2])

OLD = """#include <ashlar/plan/softmax.hpp>
#include "ashlar/train/npy.hpp"
#include <ashlar/comm/node_memory.hpp>
#include <ashlar/ashlar.hpp>
// a verb of ours is no pad::verb
int n = l.count(verb::all_reduce) + adverb + m.verbs();
auto f = flat(merge<1, 3>(x), explain(x), plain(x));
ashlar::comm::algorithm way = ashlar::comm::algorithm::collective;
void g(where w = where::current());
"""
NEW = """#include <ashlar/ops/softmax.hpp>
#include "ashlar/io/npy.hpp"
#include <ashlar/comm/node/memory.hpp>
#include <ashlar/ashlar.hpp>
// a collective of ours is no pad::collective
int n = l.count(collective::all_reduce) + adverb + m.collectives_run();
auto f = flat(flatten<1, 3>(x), explain(x), stop_gradient(x));
ashlar::comm::algorithm way = ashlar::comm::algorithm::mpi;
void g(call_site w = call_site::current());
"""


def run(*arguments):
    return subprocess.run([sys.executable, program, *map(str, arguments)], capture_output=True, text=True, check=False)


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "program.cpp"
    source.write_text(OLD, encoding="utf-8")
    check(run(source).returncode == 0, "it ends well")
    check(source.read_text(encoding="utf-8") == NEW, "renamed: " + source.read_text(encoding="utf-8"))
check(run().returncode != 0, "without a file it says what it does")

table = (root / "CHANGELOG.md").read_text(encoding="utf-8").split("### Renamed", 1)[1].split("\n#", 1)[0]
found = 0
for new in re.findall(r"^\| `[^`]+` \| `(ashlar/[^`]+)` \|$", table, re.M):
    braces = re.fullmatch(r"(.*)\{(.*)\}(.*)", new)
    for path in [braces[1] + n + braces[3] for n in braces[2].split(",")] if braces else [new]:
        check((root / "include" / path).is_file(), f"{path} of the table exists")
        found += 1
check(found > 100, "the table names headers")
