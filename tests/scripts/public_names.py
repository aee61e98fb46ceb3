#!/usr/bin/env python3
"""public_names.py INCLUDE_DIR LIST: passes if the names that the headers declare in namespace ashlar, and in the namespaces
of SPACES, are the names in LIST, one line per name. public_names.py INCLUDE_DIR prints such a list."""

import functools
import pathlib
import re
import sys

SPACES = "op|comm|linalg|io|datasets|training|nn|transforms|stencils|planning"


@functools.cache
def blanked(text):
    """The text with comments, literals and preprocessor lines replaced by blanks."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z])\'(?:\\.|[^\'\\])+\'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
    text = token.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return re.sub(r"\((min|max)\)\(", r" \1 (", text)  # parentheses keep these from macros


def after_angles(text, at):
    """The position after the '>' that closes the '<' at a position."""
    angles = others = 0
    for i in range(at, len(text)):
        c = text[i]
        others += (c in "([{") - (c in ")]}")
        if others == 0:
            angles += (c == "<") - (c == ">" and text[i - 1] != "-")
            if angles == 0:
                return i + 1
    raise ValueError("no closing > in: " + text[at:at + 80])


@functools.cache
def declarations(text):
    """Cuts the text of a namespace into its declarations."""
    found, start, depth = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and (c == ";" or (c == "}" and re.compile(r"[ \t]*(\n|$)").match(text, i + 1))):
            found.append(text[start:i + 1].strip())
            start = i + 1
    return found


def head_of(text):
    """The declaration without template heads, requires-clauses and specifiers."""
    while True:
        text = text.strip()
        if re.match(r"template\s*<", text):
            text = text[after_angles(text, text.index("<")):]
        elif re.match(r"requires\b", text):
            text = text.partition("\n")[2]
        else:
            found = re.match(r"(\[\[\w+\]\]|(inline|constexpr|static|extern|explicit|consteval|ASHLAR_FUNCTION|KOKKOS_(INLINE_)?FUNCTION)\b)", text)
            if not found:
                return text
            text = text[found.end():]


def name_of(head):
    """The declared name; none for operators, guides and using-directives."""
    found = re.match(r"(?:struct|class|enum class|enum|concept)\s+([\w:]+)|using\s+(\w+)\s*=", head)
    if found:
        return found[1] or found[2]
    if re.match(r"(using|namespace)\b", head) or "operator" in re.split(r"[({]", head)[0] + head[:head.find("(") + 1]:
        return None
    end, last = 0, len(head)
    while end < last and head[end] not in "(={;":
        end = after_angles(head, end) if head[end] == "<" else end + 1
    before = head[:end].rstrip()
    while before.endswith(">"):
        before = before[:before.rindex("<")].rstrip()
    found = re.search(r"([\w:]+)$", before)
    return found[1] if found and " " in before else None


def public_declarations(text, space=""):
    """The public names in the text of a header, each with its declaration."""
    for declaration in declarations(text):
        found = re.match(r"(?:inline\s+)?namespace\s+([\w:]+)?\s*\{", declaration)
        if found:
            inner = "::".join(filter(None, [space, found[1]]))
            if found[1] and re.fullmatch(rf"ashlar(::({SPACES}))?", inner):
                yield from public_declarations(declaration[found.end():declaration.rindex("}")], inner)
        elif space:
            name = name_of(head_of(declaration))
            if name and "::" not in name:
                yield (space + "::" + name)[len("ashlar::"):], declaration


def public_names(text):
    return (name for name, _ in public_declarations(text))


def main(include, names=None):
    found = set()
    for header in sorted(pathlib.Path(include).rglob("*.hpp")):
        found |= set(public_names(blanked(header.read_text(encoding="utf-8"))))
    if names is None:
        print("\n".join(sorted(found)))
        return
    listed = set(pathlib.Path(names).read_text(encoding="utf-8").split())
    for name in sorted(found - listed):
        print(f"ashlar::{name} is public and not listed: add it to {names} and document it, or move it to a detail namespace")
    for name in sorted(listed - found):
        print(f"ashlar::{name} is listed and no header declares it: take it off {names}, and add its new name to CHANGELOG.md")
    sys.exit(found != listed)


if __name__ == "__main__":
    main(*sys.argv[1:])
