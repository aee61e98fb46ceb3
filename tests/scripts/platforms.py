"""platforms.py ROOT: the tables of platforms on pages are those of docs/records/platforms.json; each leg of scripts/platforms has one run there, and each cell has
one of four words."""

import importlib.machinery
import importlib.util
import json
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
root = pathlib.Path(sys.argv[1]).resolve()
loader = importlib.machinery.SourceFileLoader("platforms", str(root / "scripts" / "platforms"))
platforms = importlib.util.module_from_spec(importlib.util.spec_from_loader("platforms", loader))
loader.exec_module(platforms)

faults = []
rows = json.loads(platforms.record_file.read_text(encoding="utf-8"))
runs = [run for row in rows for run in row["runs"]]
in_table = sorted(run["leg"] for run in runs if "leg" in run)
if in_table != sorted(platforms.legs):
    faults.append(f"docs/records/platforms.json has the legs {in_table}, and scripts/platforms has {sorted(platforms.legs)}")
for run in runs:
    if not re.fullmatch(r"each change|\d{4}-\d\d-\d\d" if run["passed"] else r"never|\d{4}-\d\d-\d\d", run["date"]) or bool(run["what"]) < run["passed"]:
        faults.append(f"docs/records/platforms.json: a run has no date or says nothing: {run}")
    if not set(run["shows"]) <= set(platforms.columns) or not set(run["shows"].values()) <= {"tested", "compiled"}:
        faults.append(f"docs/records/platforms.json: a run shows what no cell has: {run['shows']}")
words = {platforms.cell(row, column) for row in rows for column in platforms.columns}
if not words <= set(platforms.words):
    faults.append(f"the cells have the words {sorted(words)}, and expected were {platforms.words}")
# A run that fails shows nothing, and a better word of another run counts.
works, fails = ({"passed": passed, "shows": {"a": word}} for passed, word in [(True, "compiled"), (False, "tested")])
for row, expected in [({"runs": [works, fails]}, "compiled"), ({"runs": [fails]}, "expected"), ({"runs": [works, {**fails, "passed": True}]}, "tested"),
                      ({"runs": [fails], "otherwise": "not supported"}, "not supported")]:
    if platforms.cell(row, "a") != expected:
        faults.append(f"the cell of {row} is {platforms.cell(row, 'a')}, and expected was {expected}")
for page in platforms.pages:
    text = (root / page).read_text(encoding="utf-8")
    if platforms.with_table(text) != text:
        faults.append(f"{page}: the table of platforms is another than that of docs/records/platforms.json; run scripts/platforms --tables")
# A leg that fails is recorded, and one that passes again.
with tempfile.TemporaryDirectory() as folder:
    platforms.record_file = pathlib.Path(folder) / "platforms.json"
    platforms.record_file.write_text(json.dumps(rows), encoding="utf-8")
    hip, layouts = next(i for i, row in enumerate(rows) if any(run.get("leg") == "hip" for run in row["runs"])), platforms.columns[0]
    for passed, word, sentence in [(False, "expected", "`scripts/platforms hip` failed on"), (True, "compiled", ": versions: these sources.")]:
        platforms.record("hip", passed, "versions", "these sources")
        recorded = json.loads(platforms.record_file.read_text(encoding="utf-8"))
        if platforms.cell(recorded[hip], layouts) != word or sentence not in "\n".join(platforms.list_of_runs(recorded)):
            faults.append(f"a leg with the result {passed} is not recorded: {recorded[hip]}")
print("\n".join(faults))
sys.exit(bool(faults))
