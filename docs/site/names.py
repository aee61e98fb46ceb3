#!/usr/bin/env python3
"""names.py: prints all public names of the headers: name, header and meaning, separated by tabs. The meaning is the first sentence of the comment. build.py makes a page of them."""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
import families

TITLE = "All names"


def meaning(comment):
    """The first sentence of a comment, or its example if it has no sentence, or "" of an overload that is documented elsewhere."""
    text = ""
    for line in comment:
        parts = families.fields(line)
        text += " " + parts[0][1] if not parts[0][0] else ""
        if parts[0][0] or len(parts) > 1:
            break
    text = " ".join((text if text.strip() else " ".join(comment)).split())
    if re.match(r"The same\b(?! value)|(?:Shape|Cost|Collective|Error)\b.*: ", text):
        return ""
    return re.match(r".*?(?<!\be\.g)[.](?=\s+[A-Z`]|$)|.*", text)[0]


def rows(root):
    """Triples of a public name, its header and its meaning, sorted by name. Of several declarations the first in the order of the reference counts whose comment says what the name is."""
    found = {}
    for header in families.names_by_header(root):
        for d in families.declarations(families.headers(root)[header]) if header not in families.MISTAKES else []:
            known = found.get(d.name, (d.name, header, ""))
            found[d.name] = known if known[2] else (d.name, header, meaning(d.comment))
    return [found[name] for name in sorted(found)]


def page(root, ids):
    """The page of the names, in reStructuredText. `ids` are the places of names in the reference."""
    out = [TITLE, "=" * len(TITLE), "", "Each public name of ``ashlar::``, its header and its meaning.", "", ".. list-table::", "   :header-rows: 1", "", "   * - name", "     - meaning", "     - header"]
    for name, header, what in rows(root):
        link = f":ref:`{name} <{ids[name]}>`" if name in ids else f"``{name}``"
        words = re.sub(r"([*_|\\])", r"\\\1", what.replace("`", ""))
        out += [f"   * - {link}", f"     - {words}", f"     - ``ashlar/{header}``"]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    for row in rows(pathlib.Path(__file__).resolve().parents[2]):
        print("\t".join(row))
