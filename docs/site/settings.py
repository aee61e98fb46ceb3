#!/usr/bin/env python3
"""settings.py: writes the tables of docs/how_to/settings.md from the source. The rows of environment variables are comments in comm/settings.hpp and
scripts/common; those of CMake options are the calls that declare them: name, default, description, and those of places the calls that look
for a header or a library. Those of macros are here."""
import itertools
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
VARIABLES = {"programs": "include/ashlar/comm/settings.hpp", "scripts": "scripts/common"}
# Words of a description that the page links.
LINKS = {"ASHLAR_INSTALL_HINTS": ("after your choices", "install.md#in-your-project"),
         "ASHLAR_COMPILED": ("shorten compilation", "compile_time.md"),
         "ASHLAR_SCALAPACK_LIBRARIES": ("CMake's choice", "libraries.md#scalapack")}

# The macros that a program may define, by name: values, effect, and what holds without.
MACROS = {"ASHLAR_LINUX": ("`0`, `1`", "`0` leaves out what Linux alone has: the memory that ranks of a node share, masks of cores, `/proc` and `getauxval`", "`1` on Linux"),
          "ASHLAR_CBLAS_HEADER": ("`<mkl_cblas.h>`", "the header of CBLAS", "the first of five that the compiler finds; CMake sets it"),
          "ASHLAR_IMPLEMENTATION": ("defined", "this source has the functions that are no templates; all others define `ASHLAR_COMPILED`", "each source has them, or `ashlar::compiled`"),
          "ASHLAR_ANY_COMPILER": ("defined", "headers accept a compiler that is neither g++ nor clang", "another compiler is an error")}


def variables(text):
    """The rows of environment variables among a source's comments."""
    return "".join(line + "\n" for line in re.findall(r"^(?://|#) (\|.*\|)$", text, re.M))


def options(root):
    """Name, default and description of each option, in the order of the files."""
    declared = r'^\s*(?:option\((ASHLAR_\w+) "([^"]*)" ([^)]+)\)|set\((ASHLAR_\w+) "?([^"\s]*)"? CACHE (?!INTERNAL)\w+ "([^"]*)")'
    files = [root / "CMakeLists.txt", *sorted(root.glob("*/CMakeLists.txt")), *sorted(root.glob("tests/*/CMakeLists.txt")), *sorted(root.glob("cmake/*.cmake")), *sorted(root.glob("tests/cmake/*.cmake"))]
    return [(a, b, c) if a else (d, e, f) for file in files for a, c, b, d, e, f in re.findall(declared, file.read_text(encoding="utf-8"), re.M)]


def places(root):
    """Of each place that CMake looks for: the variable, what is there, and the variables whose folders CMake takes first."""
    found = []
    for file in sorted((root / "cmake").glob("*.cmake")):
        text = file.read_text(encoding="utf-8")
        for variable, hints in re.findall(r"set\((\w+) (HINTS [^)]*)\)", text):
            text = text.replace(f"${{{variable}}}", hints)
        for call, name, rest in re.findall(r"find_(path|library)\((ASHLAR_\w+)((?:[^()]|\([^()]*\))*)\)", text):
            names = itertools.takewhile(lambda word: not re.fullmatch(r"HINTS|PATHS|PATH_SUFFIXES|NAMES_PER_DIR", word), rest.replace("NAMES ", "").split())
            names = dict.fromkeys(re.sub(r"[_-]?\$\{\w+\}", "", name) for name in names)  # in one kind or another
            shown = " or ".join(f"`{name}`" for name in names if name)
            found.append((name, f"the {'folder of' if call == 'path' else 'library'} {shown or 'the header of CBLAS'}",
                          ", ".join(f"`{hint}`" for hint in re.findall(r"ENV (\w+)", rest)) or "none"))
    return sorted(set(found))


def row(name, default, description):
    words, page = LINKS.get(name, ("", ""))
    shown = f"`{default}`" if default else "empty"
    return f"| `{name}` | {shown} | {description.replace(words, f'[{words}]({page})') if words else description} |\n"


def written(root, page):
    """The text of the page with its tables."""
    tables = {part: variables((root / file).read_text(encoding="utf-8")) for part, file in VARIABLES.items()}
    tables["CMake"] = "| option | default | effect |\n|---|---|---|\n" + "".join(row(*option) for option in options(root))
    tables["places"] = "| variable | value | CMake first looks in |\n|---|---|---|\n" + "".join(f"| `{name}` | {what} | {hints} |\n" for name, what, hints in places(root))
    tables["macros"] = "| macro | values | effect | otherwise |\n|---|---|---|---|\n" + "".join(f"| `{name}` | {' | '.join(cells)} |\n" for name, cells in MACROS.items())
    return re.sub(r"<!-- settings: (\w+) -->\n.*?<!-- end -->", lambda m: f"<!-- settings: {m[1]} -->\n{tables[m[1]]}<!-- end -->", page, flags=re.S)


if __name__ == "__main__":
    here = Path(__file__).resolve().parents[2]
    file = here / "docs/how_to/settings.md"
    file.write_text(written(here, file.read_text(encoding="utf-8")), encoding="utf-8")
