"""housekeeping.py ROOT: CITATION.cff has the version of config.hpp, LICENSES has the licence of LICENSE, each header names it, and docs/dependencies.md has the header
of each library that ashlar or its tests include."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()


def read(name):
    return (root / name).read_text(encoding="utf-8")


faults = []
version = ".".join(re.search(rf"define ASHLAR_VERSION_{part} (\d+)", read("include/ashlar/config.hpp"))[1] for part in ["MAJOR", "MINOR", "PATCH"])
if f"\nversion: {version}\n" not in read("CITATION.cff"):
    faults.append(f"CITATION.cff lacks the version {version} of config.hpp")
if read("LICENSE") != read("LICENSES/BSL-1.0.txt"):
    faults.append("LICENSES/BSL-1.0.txt is another text than LICENSE")

faults += [f"{header.relative_to(root)} does not begin with the line of its licence" for header in sorted((root / "include").rglob("*.[hi]pp"))
           if not header.read_text(encoding="utf-8").startswith("// SPDX-" "License-Identifier: BSL-1.0\n")]  # in two parts, which a reader of licences does not take for one

page = read("docs/dependencies.md")
listed = {header for row in re.findall(r"^\|(?: *[^|]*\|)+$", page, re.M) for header in re.findall(r"`([\w/.]+)`", row)}
systems = re.compile(r"^(sys/|linux/|sanitizer/|missing/|ashlar/|(fcntl|unistd|signal|sched|dlfcn|pthread|omp|execinfo|mpi-ext|time|poll|pty|dirent|emmintrin|arm_neon)\.h$)")
for folder in ["include", "examples", "tests"]:
    for source in (root / folder).rglob("*.[hc]pp"):
        for header in re.findall(r"^ *# *include *<([^>]*[./][^>]*)>", source.read_text(encoding="utf-8"), re.M):
            known = any(header == h or header.startswith(h + "/") for h in listed) or header.startswith("Kokkos_")
            if not known and not systems.match(header):
                faults.append(f"docs/dependencies.md lacks {header}, which {source.relative_to(root)} includes")
# Each row of the tables of scripts/setup: a library or a tool.
words = re.sub(r"[-_]", " ", page).lower()
for name in re.findall(r"^([\w./]+)\?? +\|", read("scripts/setup"), re.M):
    if re.split(r"[./]", name)[0].removesuffix("_of_mpich").replace("_", " ").lower() not in words:
        faults.append(f"docs/dependencies.md lacks {name}, which scripts/setup installs")
print("\n".join(faults))
sys.exit(bool(faults))
