"""Pages of wrong programs: one per layer, from tests/fail."""

import concurrent.futures
import functools
import os
import re
import subprocess
import sys

import sentences
from sentences import must_fail


def explained(root, error):
    """What explain prints first about an error."""
    printed = subprocess.run([sys.executable, str(root / "scripts" / "explain")], cwd=root, input="\n".join(error.printed), capture_output=True, text=True,
                             check=True)
    return printed.stdout.split("\n\n")[0]


def block(language, text):
    return f"```{language}\n{text}\n```\n"


def target(source, mistake):
    """The name by which other pages link the entry of a mistake."""
    return f"error-{source.parent.name}-{source.stem}-{mistake.name}".replace("_", "-")


@functools.cache
def known_sentences(root):
    """The sentences of the headers, also those of all functions, which name none: "ashlar: ". """
    texts = {s["text"] for s in sentences.sentences(root)}
    for path in (root / "include").rglob("*.[hi]pp"):
        texts |= set(re.findall(r'"(ashlar: [^"\n]{20,})"', path.read_text(encoding="utf-8")))
    return sorted(texts)


def fitting_sentences(root, text):
    """The sentences of the headers that a comment of tests/fail names: the whole one, or those that have this part."""
    known = known_sentences(root)
    return [text] if text in known else [s for s in known if "ashlar" in text and text in s]


def sentences_of(root, mistake):
    """What the compiler prints about a mistake, by its comments: whole sentences of the headers, and words of the compiler."""
    return list(dict.fromkeys((fitting_sentences(root, text) or [text])[0] for text in mistake.texts))  # tests/scripts/documents.py refuses several


def linked_sentences(root):
    """Pairs of a sentence of the compiler and the target of its entry."""
    return [(sentence, target(source, mistake)) for source in sorted((root / "tests" / "fail").glob("*/*.cpp"))
            for mistake in must_fail.mistakes(source)[1] for sentence in sentences_of(root, mistake)]


def section(root, source, compiler):
    """The mistakes of a source. The compiler may lack a header, such as Kokkos' or MPI's; then the sentences are shown as they are in the comments."""
    shared, mistakes = must_fail.mistakes(source)
    found = must_fail.errors(must_fail.compiled(source.relative_to(root), compiler, cwd=root), source)
    out = [f"## {source.stem.replace('_', ' ')}\n", block("cpp", shared) if shared else ""]
    for mistake in mistakes:
        error = next((e for e in found if e.lines & set(mistake.lines) and any(must_fail.shows(e, text) for text in mistake.texts)), None)
        shown, others = explained(root, error) if error else "", sentences_of(root, mistake)
        if shown:
            others = [text for text in others if text not in shown.splitlines()[0]]
        comment = mistake.comment.replace("<", "\\<")
        out += [f"({target(source, mistake)})=\n### {mistake.name.replace('_', ' ')}\n", f"{comment}\n"] + [block("text", shown)] * bool(shown)
        out += ["The other mistakes of this program:\n"] * bool(shown and others) + [block("text", "\n".join(others))] * bool(others)
        out += [block("cpp", mistake.code)]
    return "\n".join(out)


def write_pages(root, folder, compiler):
    folder.mkdir()
    version = subprocess.run(compiler[:1] + ["--version"], capture_output=True, text=True).stdout.splitlines()[0]
    layers = {}
    for source in sorted((root / "tests" / "fail").glob("*/*.cpp")):
        layers.setdefault(source.parent.name, []).append(source)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for layer, sources in layers.items():
            entries = pool.map(lambda source: section(root, source, compiler), sources)
            head = f"# Errors: {layer.replace('_', ' ')}\n\nEach mistake has the first lines that `scripts/explain` prints, the right form and, below its sentence, the wrong one. The compiler is {version}.\n\n"
            (folder / f"{layer}.md").write_text(head + "\n".join(entries), encoding="utf-8")
