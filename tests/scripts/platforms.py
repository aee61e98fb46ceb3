"""platforms.py ROOT: the tables of platforms on pages are those of docs/platforms.json; each leg of scripts/platforms has one row."""

import importlib.machinery
import importlib.util
import json
import pathlib
import sys

sys.dont_write_bytecode = True
root = pathlib.Path(sys.argv[1]).resolve()
loader = importlib.machinery.SourceFileLoader("platforms", str(root / "scripts" / "platforms"))
platforms = importlib.util.module_from_spec(importlib.util.spec_from_loader("platforms", loader))
loader.exec_module(platforms)

faults = []
rows = json.loads(platforms.record_file.read_text(encoding="utf-8"))
in_table = sorted(row["leg"] for row in rows if "leg" in row)
if in_table != sorted(platforms.legs):
    faults.append(f"docs/platforms.json has the legs {in_table}, and scripts/platforms has {sorted(platforms.legs)}")
faults += [f"{row['platform']}: {row['state']} without a run" for row in rows if row["state"].split()[0] in ("tested", "compiled") and "never" in row["date"]]
for page in platforms.pages:
    text = (root / page).read_text(encoding="utf-8")
    if platforms.with_table(text) != text:
        faults.append(f"{page}: the table of platforms is another than that of docs/platforms.json; run scripts/platforms --tables")
print("\n".join(faults))
sys.exit(bool(faults))
