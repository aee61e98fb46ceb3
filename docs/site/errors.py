"""Pages of wrong programs: one per layer, from tests/fail."""

import concurrent.futures
import functools
import os
import re
import subprocess
import sys

import sentences


def branches(text):
    """The wrong program and the right one: the branches of ASHLAR_CONTROL, without the comments on top."""
    versions = ([], [])
    shown = (True, True)
    depth = 0
    for line in text.splitlines():
        if re.match(r"#ifn?def ASHLAR_CONTROL", line):
            shown = (line.startswith("#ifndef"), line.startswith("#ifdef"))
            depth = 1
        elif depth and re.match(r"#if", line):
            depth += 1
        elif depth == 1 and line.startswith("#else"):
            shown = (not shown[0], not shown[1])
        elif depth == 1 and line.startswith("#endif"):
            shown = (True, True)
            depth = 0
        else:
            depth -= depth > 1 and line.startswith("#endif")
            for version, is_shown in zip(versions, shown):
                if is_shown:
                    version.append(line)
    return ["\n".join(v).strip() for v in versions]


def compiled(root, source, compiler, expected):
    """What explain prints first about a program; None if the compiler lacks a header, unless this is the mistake."""
    environment = dict(os.environ, LC_ALL="C")
    name = str(source.relative_to(root))
    printed = subprocess.run(compiler + ["-fsyntax-only", name], cwd=root, env=environment, capture_output=True, text=True).stderr
    if re.search(r"fatal error|No such file", printed) and not re.search(expected, printed):
        return None
    explained = subprocess.run([sys.executable, str(root / "scripts" / "explain")], cwd=root, input=printed, capture_output=True, text=True, check=True)
    return explained.stdout.split("\n\n")[0]


def block(language, text):
    return f"```{language}\n{text}\n```\n"


def target(source):
    """The name by which other pages link the entry of a wrong program."""
    return f"error-{source.parent.name}-{source.stem}".replace("_", "-")


@functools.cache
def known_sentences(root):
    """The sentences of the headers, also those of all functions, which name none: "ashlar: ". """
    texts = {s["text"] for s in sentences.sentences(root)}
    for path in (root / "include").rglob("*.hpp"):
        texts |= set(re.findall(r'"(ashlar: [^"\n]{20,})"', path.read_text(encoding="utf-8")))
    return sorted(texts)


def readable(expected):
    """What a regular expression of tests/fail says in words: its first alternative."""
    first = re.sub(r"^\(([^|()]*)\|[^()]*\)", r"\1", expected).split("|")[0]
    return re.sub(r"\\(.)", r"\1", first.replace(".*", "...")).replace("'(", "").strip()


def fitting_sentences(root, expected):
    """The sentences of the headers that a regular expression of tests/fail fits."""
    return [s for s in known_sentences(root) if "ashlar" in expected and re.search(expected, s)]


def sentences_of(root, text):
    """What a wrong program has to show, by its comments: whole sentences of the headers, and words of the compiler. The names of traits are left out."""
    out = []
    for expected in sentences.expected(text):
        fitting = fitting_sentences(root, expected)
        if fitting:
            out.append(fitting[0])  # tests/scripts/documents.py refuses several
        elif not re.match(r"\w+<", expected):
            out.append(readable(expected))
    return list(dict.fromkeys(out))


def linked_sentences(root):
    """Pairs of a sentence of the compiler and the target of its entry."""
    return [(sentence, target(source)) for source in sorted((root / "tests" / "fail").glob("*/*.cpp"))
            for sentence in sentences_of(root, source.read_text(encoding="utf-8"))]


def entry(root, source, compiler):
    text = source.read_text(encoding="utf-8")
    comment = [line[3:] for line in text.splitlines() if line.startswith("// ") and not re.match("// (EXPECT|ONE ERROR|ERRORS|CONTROL ALONE)", line)]
    regexes = sentences.expected(text)
    wrong, right = branches(re.sub(r"\A(//[^\n]*\n)+", "", text))
    explained = compiled(root, source, compiler, regexes[0])
    out = [f"({target(source)})=\n## {source.stem.replace('_', ' ')}\n", " ".join(comment).replace("<", "\\<") + "\n"]
    expected = sentences_of(root, text)
    if explained:
        out += [block("text", explained)]
        first = explained.splitlines()[0]
        others = [e for e in expected if e.split("...")[0].strip() not in first]
        if len(regexes) > 1 and others:
            out += ["The other mistakes of this program:\n", block("text", "\n".join(others))]
    else:  # the compiler found no Kokkos or MPI
        out += [block("text", "\n".join(expected))]
    out += ["Wrong:\n", block("cpp", wrong), "Right:\n", block("cpp", right)]
    return "\n".join(out)


def write_pages(root, folder, compiler):
    folder.mkdir()
    version = subprocess.run(compiler[:1] + ["--version"], capture_output=True, text=True).stdout.splitlines()[0]
    layers = {}
    for source in sorted((root / "tests" / "fail").glob("*/*.cpp")):
        layers.setdefault(source.parent.name, []).append(source)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for layer, sources in layers.items():
            entries = pool.map(lambda source: entry(root, source, compiler), sources)
            head = f"# Errors: {layer.replace('_', ' ')}\n\nEach mistake has the first lines that `scripts/explain` prints, the wrong program and the right one. The compiler is {version}.\n\n"
            (folder / f"{layer}.md").write_text(head + "\n".join(entries), encoding="utf-8")
