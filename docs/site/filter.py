#!/usr/bin/env python3
"""filter.py HEADER: prints a header for Doxygen. The lines Shape, Pre, Post, Collective, Cost, Error and Source of its comments become
titled paragraphs, Example becomes code, and all other text loses its meaning for Doxygen. The public names of a header are one group,
whose name is the header's path with _ for other characters. Each public function gets a name of its own, of which build.py takes the suffix off again:
Doxygen takes functions that differ in their template head alone for one."""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import families

COMMENT = re.compile(r"^(\s*)///(<?) ?(.*)$")
PUBLIC = re.compile(rf"(?:inline )?namespace ashlar(?:::(?:fn|{families.PARSER.SPACES}))? \{{$")


def plain(text):
    """The text with its signs as they are. Markdown keeps what is between backticks."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        parts[i] = parts[i].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\\", "\\\\").replace("@", "\\@")
        parts[i] = parts[i].replace('"', "&quot;")  # Doxygen leaves &gt; between quotation marks as it is
    return "`".join(parts)


def main(header):
    out, code = [], None  # code is the head of the lines of an Example that is open
    below = header.rpartition("include/ashlar/")[2]
    group = families.group_of(below)
    for line in families.with_names_of_overloads(below, pathlib.Path(header).read_text(encoding="utf-8")).splitlines():
        comment = COMMENT.match(line)
        if comment:  # Doxygen would begin or end a comment there
            comment = COMMENT.match(line.replace("*/", "*\u2060/").replace("/*", "/\u2060*"))
        parts = families.fields(comment[3]) if comment else []
        if code and (not comment or parts[0][0]):
            out.append(f"{code} @endcode")
            code = None
        if not comment:
            if re.match(rf"\}}  // namespace ashlar(::(fn|{families.PARSER.SPACES}))?$", line):
                out.append("/// @}")
            inner = re.match(r"(\}  // )?namespace linalg( \{)?$", line)  # within namespace ashlar
            if inner:
                out.append("/// @}")
            out.append(line)
            if PUBLIC.match(line) or inner:
                out += [f"/// @addtogroup {group}", "/// @{"]
            continue
        head = f"{comment[1]}///{comment[2]}"
        if code:
            out.append(f"{head} {comment[3]}")
            continue
        for field, text in parts:
            if field == "Example":
                out += [f"{head} @par Example", f"{head} @code{{.cpp}}", f"{head} {text}"]
                code = head
            elif field:
                out += [f"{head} @par {field}", f"{head} {plain(text)}"]
            else:
                out.append(f"{head} {plain(text)}")
    print("\n".join(out))


main(sys.argv[1])
