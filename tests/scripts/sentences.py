#!/usr/bin/env python3
"""sentences.py ROOT: passes if no sentence of a page, or of an error that a static_assert shows, is longer than docs/STYLE.md
allows: 30 words."""

import pathlib
import re
import sys

LIMIT = 30


def passages(page):
    """The prose of a page: pairs of a line and a paragraph, an item, a heading or the cell of a table. Code is left out."""
    paragraph, begin, in_code = [], 0, False
    for number, line in enumerate(page.split("\n") + [""], 1):
        text = line.strip()
        fence = text.startswith("```")
        in_code ^= fence
        code = in_code or fence or (line.startswith("    ") and not paragraph)
        item = re.match(r"(?:[-*]|\d+\.)\s+", text)
        if paragraph and (code or item or not text or text.startswith(("#", "|", "<!--"))):
            yield begin, " ".join(paragraph)
            paragraph = []
        if code or not text or text.startswith("<!--"):
            continue
        if text.startswith("|"):
            for cell in re.split(r"(?<!\\)\|", text.strip("|")):
                yield number, cell.strip()
        elif text.startswith("#"):
            yield number, text.lstrip("# ")
        else:
            begin = begin if paragraph else number
            paragraph.append(text[item.end():] if item else text)


def sentences(passage):
    """Its sentences. Clauses between semicolons or colons count as sentences, quoted code as one word."""
    passage = re.sub(r"`[^`]*`", "CODE", passage)
    passage = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", passage)
    return re.split(r"(?<=[.!?])[\"')*]*\s+|[;:]\s+", passage)


def length(sentence):
    return sum(1 for word in sentence.split() if re.search(r"[A-Za-z]", word))


def main():
    root = pathlib.Path(sys.argv[1])
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    headers = sorted((root / "include").rglob("*.[hi]pp"))
    found = errors = 0
    for page in pages:
        for line, passage in passages(page.read_text()):
            for sentence in sentences(passage):
                found += 1
                if length(sentence) > LIMIT:
                    errors += 1
                    print(f"{page.relative_to(root)}:{line}: {length(sentence)} words, more than {LIMIT}: {sentence}")
    for header in headers:
        for text in re.findall(r'"(ashlar::[^"]*)"', header.read_text()):
            for sentence in sentences(text):
                found += 1
                if length(sentence) > LIMIT:
                    errors += 1
                    print(f"{header.relative_to(root)}: {length(sentence)} words, more than {LIMIT}: {sentence}")
    if found < 3000:
        print(f"sentences.py: only {found} sentences found; is this the root of the tree?")
        return 1
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
