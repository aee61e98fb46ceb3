"""sbom.py SBOM ROOT: what scripts/sbom writes has the fields that SPDX 2.3 requires, all files of the checkout with the checksums that sha1sum
and sha256sum compute, and each library of docs/dependencies.md."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

script, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
faults = []
with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, SOURCE_DATE_EPOCH="1700000000")
    texts = []
    for name in ["first.json", "second.json"]:
        subprocess.run([sys.executable, script, f"{folder}/{name}"], check=True, env=environment)
        texts.append(pathlib.Path(folder, name).read_text(encoding="utf-8"))
if texts[0] != texts[1]:
    faults.append("two runs differ")
document = json.loads(texts[0])

required = {
    "document": ["spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"],
    "packages": ["SPDXID", "name", "versionInfo", "downloadLocation", "filesAnalyzed", "licenseDeclared"],
    "files": ["SPDXID", "fileName", "checksums"],
    "relationships": ["spdxElementId", "relationshipType", "relatedSpdxElement"]}
for kind, fields in required.items():
    for element in [document] if kind == "document" else document[kind]:
        faults += [f"{kind}: {element.get('SPDXID')} lacks {field}" for field in fields if field not in element]
if document["spdxVersion"] != "SPDX-2.3" or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"]):
    faults.append("the version of the format or the date")
names = ["SPDXRef-DOCUMENT"] + [e["SPDXID"] for e in document["packages"] + document["files"]]
faults += [f"{name}: no identifier of SPDX" for name in names if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name)]
if len(set(names)) != len(names):
    faults.append("an identifier stands twice")
for relation in document["relationships"]:
    faults += [f"a relationship of {relation[end]}, which is not there" for end in ["spdxElementId", "relatedSpdxElement"] if relation[end] not in names]

files = {e["fileName"]: {c["algorithm"]: c["checksumValue"] for c in e["checksums"]} for e in document["files"]}
listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True)
if listed.returncode == 0:
    expected = {"./" + name for name in listed.stdout.split("\0") if name and (root / name).is_file()}
    if expected != set(files):
        faults.append(f"files: {sorted(expected ^ set(files))[:5]} are on one side only")
for tool, algorithm in [("sha1sum", "SHA1"), ("sha256sum", "SHA256")]:
    lines = "".join(f"{sums[algorithm]}  {name}\n" for name, sums in files.items())
    checked = subprocess.run([tool, "--check", "--quiet"], input=lines, cwd=root, text=True, capture_output=True)
    if checked.returncode != 0:
        faults.append(f"{tool}: {checked.stdout.splitlines()[:3]}")
code = hashlib.sha1("".join(sorted(sums["SHA1"] for sums in files.values())).encode()).hexdigest()
if document["packages"][0]["packageVerificationCode"]["packageVerificationCodeValue"] != code:
    faults.append("the verification code of the package")

page = (root / "docs/dependencies.md").read_text(encoding="utf-8").partition("\n## Tools\n")[0]
libraries = {line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ") and not line.startswith("| library")}
if libraries != {p["name"] for p in document["packages"][1:]}:
    faults.append(f"libraries: {libraries ^ {p['name'] for p in document['packages'][1:]}} are on one side only")
print("\n".join(faults) or f"{len(files)} files, {len(libraries)} libraries")
sys.exit(bool(faults))
