"""documents.py ROOT [SITE]: the pages name what the tree has. Every public name is on a page of the reference; docs/README.md links every page;
each page for users begins with what the reader can do after it; each decision begins with a summary;
the page of settings has the rows of the source, which has one for each environment variable; every wrong program has a right one; every sentence of the headers is on a page, and few have no test. In SITE, which scripts/docs built, every public name has a
declaration, every wrong program an entry, and nothing is fetched from elsewhere."""

import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
root = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(root / "docs" / "site"))
import errors
import families
import sentences
import settings

MOST_WITHOUT_A_TEST = 20  # new sentences of include/ that no test names; docs/site/sentences.py lists those that none can have

faults = []

# ---- Reference ----
pages = families.pages(root)
shown = set(re.findall(r"``([\w:]+)``", "\n".join(line for text in pages.values() for line in text.splitlines() if line.startswith("Names: "))))
public = set((root / "tests" / "public_names.txt").read_text(encoding="utf-8").split())
faults += [f"{name} is on no page of the reference" for name in sorted(public - shown)]
faults += [f"the family {name} has no names" for name, text in pages.items() if "Names: " not in text]

# ---- Index ----
docs = root / "docs"
linked = set(re.findall(r"\]\(([^)#]+\.md)", (docs / "README.md").read_text(encoding="utf-8")))
there = {str(p.relative_to(docs)) for p in docs.rglob("*.md")} - {"README.md"}
faults += [f"docs/README.md does not link {page}" for page in sorted(there - linked)]
for page in [root / "README.md", root / "CONTRIBUTING.md", *docs.rglob("*.md")]:
    prose = re.sub(r"^```.*?^```|^    .*?$|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for target in re.findall(r"\[[^\]]+\]\((?!\w+:)([^)#\s]+)", prose):
        if not (page.parent / target).exists():
            faults.append(f"{page.relative_to(root)} links {target}, which is not there")

# ---- Beginnings ----
for page in sorted(p for folder in ("tutorial", "how_to", "explanation") for p in (docs / folder).glob("*.md")):
    if not re.match(r"# .*\n\nAfter this page ", page.read_text(encoding="utf-8")):
        faults.append(f"{page.relative_to(root)} does not begin with what the reader can do after it: After this page ...")

# ---- Coined words ----
# A page that uses one links it once, to the concepts or the glossary, or explains it in italics or bold letters.
coined = ["partial", "ledgers?", "halos?", "invariant", "dry runs?", "cotangents?", "bundles?", "block-cyclic"]
for page in sorted(p for folder in ("tutorial", "how_to", "explanation") for p in (docs / folder).glob("*.md")):
    text = re.sub(r"<!--.*?-->|^```.*?^```|^    .*?$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    links = re.findall(r"\[([^\]]*)\]\(([^)]*)\)", text)
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)
    for word in coined if page.name != "concepts.md" else []:
        linked_or_explained = any(re.search(rf"\b{word}\b", shown, re.I) for shown, _ in links) or re.search(rf"\*[^*\n]*\b{word}\b[^*\n]*\*", text, re.I)
        if re.search(rf"\b{word}\b", prose, re.I) and not linked_or_explained:
            faults.append(f"{page.relative_to(root)} uses the word {word.removesuffix('s?')} and does not link it")

# ---- Decisions ----
for page in sorted((docs / "decisions").glob("*.md")):
    begin = page.read_text(encoding="utf-8").split("\n\n")[1]
    if not begin.startswith("**Summary.** ") or not 3 <= len(re.findall(r"[.](?:\s|$)", begin.removeprefix("**Summary.** "))) <= 4:
        faults.append(f"{page.relative_to(root)} does not begin with a summary of 3 sentences")

# ---- Settings ----
page = (docs / "how_to" / "settings.md").read_text(encoding="utf-8")
if settings.written(root, page) != page:
    faults.append("docs/how_to/settings.md does not have the rows of the source: run docs/site/settings.py")
rows = set(re.findall(r"^\| `(ASHLAR_\w+)` \|", page, re.M))
sources = [p for folder in ["include", "scripts", "tests", "benchmarks", "examples"] for p in (root / folder).rglob("*")
           if p.suffix in {".hpp", ".cpp", ".sh", ""} and p.is_file()]
code = {source: re.sub(r"^(//|#) \|.*$", "", source.read_text(encoding="utf-8", errors="ignore"), flags=re.M) for source in sources}
variables = set()
for source, text in code.items():
    variables |= set(re.findall(r'(?:read_setting|getenv)\(\s*"(ASHLAR_\w+)"', text)) if "tests/checkpoint" not in str(source) else set()
    variables |= set(re.findall(r"\$\{?(ASHLAR_(?:BENCH_RANKS|PYTHON|DATA))\b", text)) if source.parent.name == "scripts" else set()
options = {name for name, _, _ in settings.options(root)}
everything = "\n".join(code.values())
faults += [f"no row of the settings has the variable {name}" for name in sorted(variables - rows)]
faults += [f"a row of the settings has {name}, which nothing reads" for name in sorted(rows - options) if name not in everything]

# ---- Errors ----
for source in sorted((root / "tests" / "fail").glob("*/*.cpp")):
    wrong, right = errors.branches(source.read_text(encoding="utf-8"))
    if wrong == right or "ASHLAR_CONTROL" in wrong + right:
        faults.append(f"{source.relative_to(root)}: the wrong program and the right one do not differ")

# ---- Sentences ----
known = sentences.provoked(root)
unnamed = [s for s in known if not s["compiler"] and not s["test"]]
excused = [s for s in unnamed if sentences.reason_of(s["text"])]
without = [s for s in unnamed if s not in excused]
faults += [f"docs/site/sentences.py excuses a sentence that a test names, or that is not there: {begin}" for begin in sentences.NOT_TESTED
           if not any(s["text"].startswith(begin) for s in excused)]
begins = sum(len(re.findall(r'[^\s"]\s*"ashlar::[\w:]+: \w+ \w+ \w+', path.read_text(encoding="utf-8"))) for path in (root / "include").rglob("*.hpp"))
if len(known) < begins:
    faults.append(f"the pages have {len(known)} sentences and the headers {begins}")
if len(without) > MOST_WITHOUT_A_TEST:
    faults += [f"{s['header']}:{s['line']}: no test names this sentence: {s['text']}" for s in without]
with tempfile.TemporaryDirectory() as folder:
    sentences.write_pages(root, pathlib.Path(folder), known)
    written = "\n".join(p.read_text(encoding="utf-8") for p in pathlib.Path(folder).iterdir())
    faults += [f"{s['header']}:{s['line']}: the sentence is on no page" for s in known if sentences.plain(s["text"]) not in written]

# ---- Site ----
if len(sys.argv) > 2:
    site = pathlib.Path(sys.argv[2])
    declared = set()
    for page in (site / "reference").glob("*.html"):
        declared |= set(re.findall(r'<span class="sig-name descname"><span class="n"><span class="pre">(\w+)', page.read_text(encoding="utf-8")))
    faults += [f"{name} has no declaration in the site" for name in sorted(public) if name.rpartition("::")[2] not in declared]
    entries = "\n".join(p.read_text(encoding="utf-8") for p in (site / "errors").glob("*.html"))
    faults += [f"{source.name} is on no page of errors" for source in (root / "tests" / "fail").glob("*/*.cpp")
               if f"<h2>{source.stem.replace('_', ' ')}<" not in entries]
    for page in (site / "reference").glob("*.html"):
        if re.search(r"\\&lt;|&amp;[lg]t;", page.read_text(encoding="utf-8")):
            faults.append(f"{page} shows an escape of Doxygen's")
    for page in site.rglob("*.html"):
        if re.search(r'<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?//', page.read_text(encoding="utf-8")):
            faults.append(f"{page} fetches something from elsewhere")

print("\n".join(faults + [f"{len(public)} names, {len(there)} pages, {len(variables)} variables, {len(options)} options, {len(known)} sentences, {len(without)} of them without a test and {len(excused)} that none can have, {len(faults)} faults"]))
sys.exit(len(faults) > 0)
