#!/usr/bin/env python3
"""filter.py HEADER: prints a header for Doxygen. The lines Shape, Pre, Post, Collective, Cost, Error and Source of its comments become
titled paragraphs, Example becomes code, and all other text loses its meaning for Doxygen. The public names of a header are one group,
whose name is the header's path with _ for other characters."""

import re
import sys

FIELD = re.compile(r"(Shape|Pre|Post|Collective|Cost|Error|Source|Example): ?(.*)")
COMMENT = re.compile(r"^(\s*)///(<?) ?(.*)$")
PUBLIC = re.compile(r"(?:inline )?namespace ashlar(?:::(?:comm|op|fn|linalg))? \{$")


def plain(text):
    """The text with its signs as they are. Markdown keeps what is between backticks."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        parts[i] = parts[i].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\\", "\\\\").replace("@", "\\@")
        parts[i] = parts[i].replace('"', "&quot;")  # Doxygen leaves &gt; between quotation marks as it is
    return "`".join(parts)


def main(header):
    in_code = False
    out = []
    group = re.sub(r"\W", "_", header.rpartition("include/ashlar/")[2].removesuffix(".hpp"))
    for line in open(header, encoding="utf-8").read().splitlines():
        comment = COMMENT.match(line)
        if comment:  # Doxygen would begin or end a comment there
            line = line.replace("*/", "*\u2060/").replace("/*", "/\u2060*")
            comment = COMMENT.match(line)
        field = comment and FIELD.match(comment[3])
        if in_code and (field or not comment):
            out.append("/// @endcode")
            in_code = False
        if not comment:
            if re.match(r"\}  // namespace ashlar(::(comm|op|fn|linalg))?$", line):
                out.append("/// @}")
            inner = re.match(r"(\}  // )?namespace linalg( \{)?$", line)  # within namespace ashlar
            if inner:
                out.append("/// @}")
            out.append(line)
            if PUBLIC.match(line) or inner:
                out += [f"/// @addtogroup {group}", "/// @{"]
        elif field and field[1] == "Example":
            out += ["/// @par Example", "/// @code{.cpp}", "/// " + field[2]]
            in_code = True
        elif field:
            out += [f"/// @par {field[1]}", "/// " + plain(field[2])]
        else:
            out.append(f"{comment[1]}///{comment[2]} {comment[3] if in_code else plain(comment[3])}")
    print("\n".join(out))


main(sys.argv[1])
