"""documents.py ROOT [SITE]: the pages name what the tree has. Every public name is on a page of the reference; docs/README.md links every page;
each code block says what checks it, indented blocks hold commands and say whether they run, and commands name what the tree has; each page for users begins with what the reader can do after it; each decision begins with a summary;
the page of settings has the rows of the source, which has one for each environment variable; every wrong program has a right one; every sentence of the headers is on a page, few have no test, and errors of the run time say what to write instead. In SITE, which scripts/docs built, every public name has a
declaration, every overload an entry with its constraint and links, every wrong program an entry, and nothing is fetched from elsewhere."""

import pathlib
import re
import sys
import tempfile
from collections import Counter

sys.dont_write_bytecode = True
root = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(root / "docs" / "site"))
import commands
import errors
import families
import names
import pictures
import related
import sentences
import settings
from errors import must_fail

MOST_WITHOUT_A_TEST = 5  # sentences of include/ that no test names; docs/site/sentences.py lists those that none can have

faults = []

# ---- Reference ----
pages = families.pages(root)
shown = set(re.findall(r"``([\w:]+)``", "\n".join(line for text in pages.values() for line in text.splitlines() if line.startswith("Names: "))))
public = set((root / "tests" / "public_names.txt").read_text(encoding="utf-8").split())
faults += [f"{name} is on no page of the reference" for name in sorted(public - shown)]
faults += [f"the family {name} has no names" for name, text in pages.items() if "Names: " not in text]
faults += families.missing_lines(root)
faults += [f"docs/site/related.py: {name} is in no group" for name in sorted(public - related.all_names())]
faults += [f"docs/site/related.py: no header declares {name}" for name in sorted(related.all_names() - public)]
faults += [f"docs/site/related.py: {name} is alone in its groups" for name in sorted(public) if not related.related(name)]

# The page of all names has a meaning for each.
named = {name: what for name, _, what in names.rows(root)}
faults += [f"the page of all names lacks {name}" for name in sorted(public - set(named))]
faults += [f"no comment of {name} begins with a sentence that says what it is; docs/site/names.py makes a page of these" for name, what in named.items() if not what]

# The cheat sheet calls what the headers declare.
without_space = {name.rpartition("::")[2] for name in public}
cheat_sheet = (root / "docs" / "cheat_sheet.md").read_text(encoding="utf-8")
without_space |= set(re.findall(r"`using (\w+) =", cheat_sheet))
for code in re.findall(r"`([^`]+)`", cheat_sheet):
    for name in re.findall(r"(?<![.:\w])((?:\w+::)*[a-z]\w+)(?=[<({])", re.sub(r'"[^"]*"', "", code)):
        if name not in (public if "::" in name else without_space):
            faults.append(f"docs/cheat_sheet.md calls {name}, which no header declares")

# ---- Targets ----
# A program that includes a header of a family and links the family's target finds each header behind it.
parts, links = families.parts_of_headers(root), families.links_of_parts(root)


def behind(header):
    return {h.removeprefix("ashlar/") for h in families.included(root, f"ashlar/{header}")}


for header in families.names_by_header(root):
    target = re.search(r"Link ``ashlar::(\w+)``", pages[families.family_of(header)])[1]
    faults += [f"the family {families.family_of(header)} links ashlar::{target}, which lacks {h}" for h in sorted(behind(header)) if parts[h] not in links[target]]

# A how-to or a step of the tutorial with code names the headers that it needs, by "Include `ashlar/...`" or in its code, and they declare the public names that the code calls.
declared = {}
for header, found in families.names_by_header(root).items():
    for name in found:
        declared.setdefault(name.rpartition("::")[2], set()).add(header)
for page in sorted([*(root / "docs" / "how_to").glob("*.md"), *(root / "docs" / "tutorial").glob("*.md")]):
    text = page.read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```cpp\n(.*?)^```", text, re.M | re.S))
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    named = set(re.findall(r"#include <ashlar/([^>]+)>", code))
    for sentence in re.findall(r"\bInclude ((?:[^.]|\.hpp)+)\.\s", prose):
        named |= set(re.findall(r"`ashlar/([\w/]+\.hpp)`", sentence.partition("which")[0]))
    faults += [f"{page.relative_to(root)} includes ashlar/{h}, which is not there" for h in sorted(named - set(parts))]
    if code and not named:
        faults.append(f"{page.relative_to(root)} does not say which headers its code needs: Include `ashlar/...`.")
    if code and named <= set(parts):
        reached = set().union(*map(behind, named))
        calls = set(re.findall(r"(?<![.:\w])(\w+)\s*[<({]", re.sub(r"//.*|\"[^\"\n]*\"", "", code))) & set(declared)
        quoted = "".join((root / f).read_text(encoding="utf-8") for f in set(re.findall(r"^<!-- (\S+) \[", text, re.M)))
        own = {name for name in calls if re.search(rf"^\S.* {name}\(.*\) {{$|\b(?:auto|int|C) (?:const )?{name}\b|test::{name}\b", code + quoted, re.M)}  # of the page, or of the test that is quoted
        faults += [f"{page.relative_to(root)} names no header that declares {name}" for name in sorted(calls - own) if not declared[name] & reached]
        if re.search(r"\b(einsum|matmul|conv2d|transpose)\s*<", code) and not {"kernels/products/einsum.hpp", "ops/products/einsum.hpp"} & reached:
            faults.append(f"{page.relative_to(root)} names no header with the kernel of products")

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

# ---- Pictures ----
for name, svg in pictures.drawn().items():
    if (docs / "pictures" / name).read_text(encoding="utf-8") != svg:
        faults.append(f"docs/pictures/{name} is not what docs/site/pictures.py draws: run it")
all_pages = "\n".join(page.read_text(encoding="utf-8") for page in [root / "README.md", *docs.rglob("*.md")])
faults += [f"no page shows docs/pictures/{picture.name}" for picture in sorted((docs / "pictures").glob("*.svg")) if f"pictures/{picture.name})" not in all_pages]

# ---- Tools ----
tools = (docs / "tools.md").read_text(encoding="utf-8")
scripts = [p for p in sorted((root / "scripts").iterdir()) if p.suffix in ("", ".py") and p.is_file() and p.name != "common"]
faults += [f"docs/tools.md does not have scripts/{script.name}" for script in scripts if f"`scripts/{script.name}`" not in tools]

# ---- Code ----
# A comment above each block says what checks it: a region of a file (tree.quotes), a command that prints it (outputs.PAGE), lines of a file, or
# "sketch" and why nothing does. Runs of lines are separated by "// ...". "sentence": each sentence of the block begins with ashlar:: and has all parts
# of one sentence of the headers that are not values, in their order, at least three words in all.
CHECKED = re.compile(r"<!-- (?:output: .*|\S+ \[[^\]]+\]|lines: (\S+)|(sentence)|sketch: \S.*) -->")
known = sentences.provoked(root)
parts_of_sentences = [[p for p in sentences.words(s["text"]).split("...") if p.strip()] for s in known]
parts_of_sentences = [p for p in parts_of_sentences if sum(map(sentences.number_of_words, p)) >= 3]


def stripped(text):
    return "\n".join(line.strip() for line in text.strip("\n").splitlines())


for page in [root / "README.md", root / "CONTRIBUTING.md", root / "SECURITY.md", *sorted(docs.rglob("*.md"))]:
    text, name = page.read_text(encoding="utf-8"), page.relative_to(root)
    for block in re.finditer(r"^ *```\w*\n(.*?)^ *```$", text, re.M | re.S):
        above = text[:block.start()].rstrip("\n").rpartition("\n")[2]
        where, marked = f"{name}:{text.count(chr(10), 0, block.start()) + 1}", CHECKED.fullmatch(above)
        if not marked:
            faults.append(f"{where}: nothing checks this block; write <!-- FILE [region] -->, <!-- output: COMMAND -->, <!-- lines: FILE -->, <!-- sentence --> "
                          "or <!-- sketch: WHY --> above it")
        elif marked[2]:
            shown = [sentences.words(s) for s in re.split(r"^(?=ashlar::)", block[1].strip(), flags=re.M) if s]
            faults += [f"{where}: no sentence of the headers is: {s}" for s in shown if not s.startswith("ashlar::") or
                       not any(re.search(".*".join(map(re.escape, parts)), s) for parts in parts_of_sentences)]
        elif marked[1]:
            source = f"\n{stripped((root / marked[1]).read_text(encoding='utf-8'))}\n" if (root / marked[1]).exists() else ""
            faults += [f"{where}: {marked[1]} does not have the lines: {run.strip()}" for run in block[1].split("// ...\n") if f"\n{stripped(run)}\n" not in source]

# ---- Commands ----
# Indented blocks hold commands of a shell. A comment above each says that tests/scripts/commands.py runs it, or why nothing does.
A_COMMAND = re.compile(r"(?:\w+=\S+ )*(?:(?:cmake|cd|module|mpiexec|srun|salloc|spack|python3|h5dump|plan_explorer) |scripts/|build/)")
for page in [root / "README.md", root / "CONTRIBUTING.md", root / "SECURITY.md", *sorted(docs.rglob("*.md"))]:
    name = page.relative_to(root)
    for block in commands.blocks(page.read_text(encoding="utf-8")):
        if not block.mark:
            faults.append(f"{name}:{block.number}: nothing runs these commands; write <!-- run -->, <!-- run: in FOLDER --> or <!-- not run: WHY --> above them")
        elif block.mark["folder"] and not (root / block.mark["folder"]).is_dir():
            faults.append(f"{name}:{block.number}: the tree has no folder {block.mark['folder']}")
        faults += [f"{name}:{number}: {command} is no command that tests/scripts/documents.py knows; other text is in a block between ```"
                   for number, command in block.commands() if not A_COMMAND.match(command)]
    marks = len(re.findall(r"^<!-- (?:not )?run\b", page.read_text(encoding="utf-8"), re.M))
    if marks != sum(bool(block.mark) for block in commands.blocks(page.read_text(encoding="utf-8"))):
        faults.append(f"{name}: a comment <!-- run --> or <!-- not run: WHY --> is above no indented block")

# Lines of a shell name what the tree has: scripts, presets, options and programs.
presets = set(re.findall(r'"name": "([^"]+)"', (root / "CMakePresets.json").read_text(encoding="utf-8")))
known_options = {name for name, _, _ in settings.options(root)}
for page in [root / "README.md", root / "CONTRIBUTING.md", *sorted(docs.rglob("*.md"))]:
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for line in re.findall(r"^    (\S.*)$|`([^`\n]+)`|^<!-- output: (.*) -->$", text, re.M):
        line = "".join(line)
        wrong = [path for path in re.findall(r"(?<![\w/.])scripts/[\w.-]*\w", line) if not (root / path).exists()]
        wrong += [preset for preset in re.findall(r"--preset[ =](\w\S*)", line) if preset not in presets]
        wrong += [option for option in re.findall(r"-D(ASHLAR_\w+)", line if "cmake" in line else "") if option not in known_options]
        programs = re.findall(r"build/\w+/examples/(\w+)", line)
        wrong += [program for program in programs if not list((root / "examples").rglob(f"*{program.removeprefix('tutorial_')}.cpp"))]
        faults += [f"{page.relative_to(root)} names {name}, which the tree does not have: {line}" for name in wrong]

# ---- Beginnings ----
for page in sorted(p for folder in (".", "tutorial", "how_to", "explanation") for p in (docs / folder).glob("*.md") if p != docs / "README.md"):
    if not re.match(r"# .*\n\nAfter this page ", page.read_text(encoding="utf-8")):
        faults.append(f"{page.relative_to(root)} does not begin with what the reader can do after it: After this page ...")

# ---- Length ----
# A page has at most this many words, code included. Tables that scripts write do not count.
MOST_WORDS = 1500
LONGER = {"rules.md", "stencils.md", "transformer.md", "sharded_training.md", "from_dtensor.md", "from_keras_distribution.md", "from_keras_jax.md", "from_mirrored_strategy.md"}
for page in sorted(p for folder in (".", "tutorial", "how_to", "explanation") for p in (docs / folder).glob("*.md") if p.name not in LONGER):
    text = re.sub(r"<!-- (?:table|settings|platforms)\b.*?<!-- end -->", "", page.read_text(encoding="utf-8"), flags=re.S)
    words = sum(not re.fullmatch(r"[-:|]+", word) for word in text.split())
    if words > MOST_WORDS:
        faults.append(f"{page.relative_to(root)} has {words} words, and {MOST_WORDS} are the most; divide it, or cut what another page says")

# ---- Coined words ----
# A page links one where it first uses it, to the concepts or the glossary, or explains it in italics or bold letters.
coined = ["partial", "ledgers?", "halos?", "invariant", "dry runs?", "cotangents?", "bundles?", "block-cyclic", "waste", "desync", "dual layouts?", "abstract tensors?"]
others = [root / "README.md", *(docs / name for name in ["faq.md", "comparison.md", "tools.md", "versions.md"])]
for page in others + sorted(p for folder in ("tutorial", "how_to", "explanation") for p in (docs / folder).glob("*.md") if p.name != "concepts.md"):
    text = page.read_text(encoding="utf-8")
    prose = re.sub(r"<!--.*?-->|^```.*?^```|^    .*?$|^#.*?$|`[^`\n]*`|\]\([^)]*\)", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S | re.M)
    linked_or_explained = [m.span(m.lastindex or 0) for m in re.finditer(r"\[([^\]]*)\]\(|\*[^*\n]+\*", text)]
    for word in coined:
        first = re.search(rf"\b{word}\b", prose, re.I)
        if first and not any(begin <= first.start() < end for begin, end in linked_or_explained):
            faults.append(f"{page.relative_to(root)}:{text.count(chr(10), 0, first.start()) + 1}: the first use of the word {word.removesuffix('s?')} is no link")

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
           if p.suffix in {".hpp", ".ipp", ".cpp", ".sh", ""} and p.is_file()]
code = {source: re.sub(r"^(//|#) \|.*$", "", source.read_text(encoding="utf-8", errors="ignore"), flags=re.M) for source in sources}
variables = set()
for source, text in code.items():
    variables |= set(re.findall(r'(?:read_setting|getenv)\(\s*"(ASHLAR_\w+)"', text)) if "tests/checkpoint" not in str(source) else set()
    variables |= set(re.findall(r"\$\{(ASHLAR_\w+):?-", text))
    variables |= set(re.findall(r"\$\{?(ASHLAR_(?:BENCH_RANKS|PYTHON|DATA))\b", text)) if source.parent.name == "scripts" else set()
options = {name for name, _, _ in settings.options(root)}
macros = {name for file in ["config", "kernels/products/cblas"]
          for name in re.findall(r"(?:^#ifn?def |defined\()(ASHLAR_\w+)", (root / f"include/ashlar/{file}.hpp").read_text(encoding="utf-8"), re.M)} - options
macros -= {"ASHLAR_CBLAS_IS_NOT_OPENBLAS"}  # CMake's alone
faults += [f"docs/site/settings.py and the headers differ in the macro {name}" for name in sorted(macros ^ set(settings.MACROS))]
everything = "\n".join(code.values())
faults += [f"no row of the settings has the variable {name}" for name in sorted(variables - rows)]
faults += [f"a row of the settings has {name}, which nothing reads" for name in sorted(rows - options - {place for place, _, _ in settings.places(root)}) if name not in everything]

# ---- Sentences ----
unnamed = [s for s in known if not s["compiler"] and not s["test"]]
excused = [s for s in unnamed if sentences.reason_of(s["text"])]
without = [s for s in unnamed if s not in excused]
faults += [f"docs/site/sentences.py excuses a sentence that a test names, or that is not there: {begin}" for begin in sentences.NOT_TESTED
           if not any(s["text"].startswith(begin) for s in excused)]
# Errors of the run time say what to write instead.
of_run_time, the_examples = [s for s in known if s["test"] and not s["compiler"]], sentences.examples(root)
remedies = [(s, sentences.remedy_of(s, the_examples)) for s in of_run_time]
faults += [f"{s['header']}:{s['line']}: no Example and no remedy in docs/site/sentences.py says what to write instead: {s['text']}" for s, remedy in remedies
           if not any(remedy)]
faults += [f"docs/site/sentences.py has a remedy that no sentence needs: {key}" for key, words in sentences.REMEDIES.items()
           if not any(remedy[0] == words and (s["text"].startswith(key) or s["header"] == key) for s, remedy in remedies)]
begins = sum(len(re.findall(r'[^\s"]\s*"ashlar::[\w:]+: \w+ \w+ \w+', path.read_text(encoding="utf-8"))) for path in (root / "include").rglob("*.[hi]pp"))
if len(known) < begins:
    faults.append(f"the pages have {len(known)} sentences and the headers {begins}")
if len(without) > MOST_WITHOUT_A_TEST:
    faults += [f"{s['header']}:{s['line']}: no test names this sentence: {s['text']}" for s in without]
with tempfile.TemporaryDirectory() as folder:
    sentences.write_pages(root, pathlib.Path(folder), known)
    written = "\n".join(p.read_text(encoding="utf-8") for p in pathlib.Path(folder).iterdir())
    faults += [f"{s['header']}:{s['line']}: the sentence is on no page" for s in known if sentences.plain(s["text"]) not in written]

# A part of several sentences leaves open which one a program shows.
mistakes = [(source, mistake) for source in sorted((root / "tests" / "fail").glob("*/*.cpp")) for mistake in must_fail.mistakes(source)[1]]
for source, mistake in mistakes:
    for text in mistake.texts:
        fitting = errors.fitting_sentences(root, text)
        if len(fitting) > 1:
            faults.append(f"{source.relative_to(root)} expects words of {len(fitting)} sentences: {text}")

# ---- Site ----
if len(sys.argv) > 2:
    site = pathlib.Path(sys.argv[2])
    declared = set()
    for page in (site / "reference").glob("*.html"):
        declared |= set(re.findall(r'<span class="sig-name descname"><span class="n"><span class="pre">(\w+)', page.read_text(encoding="utf-8")))
    faults += [f"{name} has no declaration in the site" for name in sorted(public) if name.rpartition("::")[2] not in declared]
    all_names = (site / "reference" / "names.html").read_text(encoding="utf-8")
    faults += [f"names.html lacks {name}" for name in sorted(public) if f">{name}<" not in all_names]
    of_family = {}
    for header, text in families.headers(root).items():
        for d in families.declarations(text) if header not in families.MISTAKES else []:
            of_family.setdefault(families.family_of(header), []).append(d)
    for family, declarations in of_family.items():
        page = (site / "reference" / f"{family}.html").read_text(encoding="utf-8")
        functions = [d for d in declarations if d.kind == "function" and not families.never_compiles(d)]
        entries = Counter(re.findall(r'sig-name descname"><span class="n"><span class="pre">(\w+)</span></span></span><span class="sig-paren">\(', page))
        missing = Counter(d.name.rpartition("::")[2] for d in functions) - entries
        faults += [f"{family}.html lacks {count} overloads of {name}" for name, count in missing.items()]
        constrained, clauses = [d.name for d in functions if families.constraint(d)], len(re.findall(r'<span class="pre">requires[< ]', page))
        if clauses < len(constrained):
            faults.append(f"{family}.html shows {clauses} constraints; the headers have {len(constrained)}, of {', '.join(constrained)}")
        described = {d.name for d in declarations if d.comment}
        linked = len(re.findall(r'<strong>See also</strong>(?:(?!</d[dl]>).)*?<a class="reference internal"', page, re.S))
        if linked < len(described):
            faults.append(f"{family}.html has {linked} entries with See also, and {len(described)} names with a comment")
        if "_overload_" in page:
            faults.append(f"{family}.html shows a name of docs/site/filter.py")
    faults += [f"{example.name} is on no page" for example in (root / "examples").glob("*.cpp") if not (site / "examples" / f"{example.name}.html").exists()]
    entries = "\n".join(p.read_text(encoding="utf-8") for p in (site / "errors").glob("*.html"))
    faults += [f"{mistake.name} is on no page of errors" for _, mistake in mistakes if f"<h3>{mistake.name.replace('_', ' ')}<" not in entries]
    links = re.findall(r'class="reference internal" href="(\w+)\.html#([\w-]+)"', (site / "errors" / "by_sentence.html").read_text(encoding="utf-8"))
    of_layers = {(s["header"].split("/")[0], s["text"]) for s in of_run_time}
    expected = {name for _, name in errors.linked_sentences(root)}
    faults += [f"by_sentence.html does not link {name}" for name in sorted(expected - {name for _, name in links})]
    if len({name for page, name in links if page.startswith("sentences_")}) != len(of_layers):
        faults.append(f"by_sentence.html links {len({n for p, n in links if p.startswith('sentences_')})} sentences of the run time, and the headers have {len(of_layers)}")
    faults += [f"errors/{page}.html has no entry {name}" for page, name in sorted(set(links))
               if f'id="{name}"' not in (site / "errors" / f"{page}.html").read_text(encoding="utf-8")]
    faults += [f"{page}.html does not link the list of errors" for page in ["compiler_errors", "run"]
               if "errors/by_sentence.html" not in (site / "docs" / "how_to" / f"{page}.html").read_text(encoding="utf-8").split("<footer")[0].split("sphinxsidebar")[0]]
    for page in (site / "reference").glob("*.html"):
        if re.search(r"\\&lt;|&amp;[lg]t;|\u2060|SPDX-", page.read_text(encoding="utf-8")):
            faults.append(f"{page} shows an escape of Doxygen's, or the licence of a header")
    for page in site.rglob("*.html"):
        if re.search(r'<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?//', page.read_text(encoding="utf-8")):
            faults.append(f"{page} fetches something from elsewhere")

print("\n".join(faults + [f"{len(public)} names, {len(there)} pages, {len(variables)} variables, {len(options)} options, {len(known)} sentences, {len(without)} of them without a test and {len(excused)} that none can have, {len(faults)} faults"]))
sys.exit(len(faults) > 0)
