"""plot.py PROGRAM ROOT: the dots that plot draws are the numbers of the file, read back from the picture by its own ticks; the pictures and tables of
docs/explanation/speed.md are those of speed.json; results of scripts/bench are charts; what is no chart is refused in one sentence."""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
program, root = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments):
    return subprocess.run([sys.executable, program, *map(str, arguments)], capture_output=True, text=True, check=False)


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def dots_of(path):
    """The numbers of the dots, by the ticks at the vertical lines, and a list per row."""
    picture = xml.parse(path).getroot()
    ticks = sorted({float(e.get("x1")) for e in picture.iter(SVG + "line") if e.get("x1") == e.get("x2")})
    names = {float(e.get("x")): e.text for e in picture.iter(SVG + "text") if e.get("text-anchor") == "middle"}
    a, b = ticks[0], ticks[-1]
    low, high = float(names[a]), float(names[b])
    rows = {}
    for dot in picture.iter(SVG + "circle"):
        if dot.get("class") == "dot":
            rows.setdefault(float(dot.get("cy")), []).append(low * (high / low) ** ((float(dot.get("cx")) - a) / (b - a)))
    return [rows[y] for y in sorted(rows)]


def numbers(cells):
    return [float(c) for c in cells if c.replace(".", "", 1).isdigit()]


def same(found, expected):
    return len(found) == len(expected) and all(math.isclose(f, e, rel_tol=2e-3) for f, e in zip(found, expected))


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    data = root / "docs" / "explanation" / "speed.json"
    done = run(data, folder)
    check(done.returncode == 0, done.stderr)
    page = (root / "docs" / "explanation" / "speed.md").read_text(encoding="utf-8")
    tables = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")]
    # A page with a wrong number, and without a row, becomes the committed one.
    copy, numbers_of_page = folder / "speed.md", re.findall(r"\| (\d+\.\d+) \|", page)
    wrong = re.sub(r"\n\| roll, dimension 0, 4 ranks.*", "", page.replace(f"| {numbers_of_page[0]} |", "| 99 |", 1))
    check(wrong != page, "the copy has no mistake")
    copy.write_text(wrong, encoding="utf-8")
    done = run("--tables", copy)
    check(done.returncode == 0 and copy.read_text(encoding="utf-8") == page, f"speed.md does not have the tables of speed.json; run scripts/plot --tables {done.stderr}")
    entries = json.loads(data.read_text(encoding="utf-8"))
    check(sorted(re.findall(r"<!-- table: (\w+) -->", page)) == sorted(e["name"] for e in entries), "speed.md does not show each entry of speed.json once")
    by_hand = re.findall(r"^\|.*", re.sub(r"<!-- table: \w+ -->.*?<!-- end -->", "", page, flags=re.S), re.M)
    check(not by_hand, f"speed.md has a table that speed.json does not have: {by_hand[:1]}")
    for chart in (e for e in entries if "head" not in e):
        drawn = folder / f"{chart['name']}.svg"
        committed = root / "docs" / "pictures" / drawn.name
        check(drawn.read_bytes() == committed.read_bytes(), f"{committed} is not what plot draws; run scripts/plot docs/explanation/speed.json docs/pictures")
        check(f"../pictures/{drawn.name}" in page, f"speed.md shows no {drawn.name}")
        found = dots_of(drawn)
        check(len(found) == len(chart["rows"]), f"{len(found)} rows of dots")
        for (label, *cells), dots in zip(chart["rows"], found):
            values = [v for v in cells if v is not None]
            check(same(dots, values), f"{chart['name']}, {label}: {dots}")
            check(any(numbers(row)[-len(values):] == values for row in tables), f"no row of a table of speed.md has the numbers of {label}")

    entries = [{"bench": "step", "case": c, "ranks": 2, "variant": v, "ratio": r} for c, v, r in
               [("batch 16", "ashlar", 1), ("batch 16", "hand", 1.5), ("batch 16", "PyTorch", 3), ("batch 128", "hand", 0.75)]]
    (folder / "step.json").write_text(json.dumps(entries), encoding="utf-8")
    check(run(folder / "step.json").returncode == 0, "the results of a benchmark")
    check(all(map(same, dots_of(folder / "step_2.svg"), [[1.5, 3], [0.75]])), "the ratios of a benchmark")

    for text, sentence in [("{", "cannot be read"), ("[]", "a list of charts"), ('[{"name": "x"}]', "no list of charts"),
                           ('[{"name": "x", "title": "", "axis": "", "columns": ["a"], "rows": [["r", -1]]}]', "above 0")]:
        (folder / "wrong.json").write_text(text, encoding="utf-8")
        done = run(folder / "wrong.json")
        check(done.returncode != 0 and sentence in done.stderr and done.stderr.count("\n") == 1, f"{text}: {done.stderr}")
    check(run().returncode == 2, "no argument is an error")
print("ok")
