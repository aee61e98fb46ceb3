#!/usr/bin/env python3
"""build.py ROOT OUT COMPILER FLAG...: builds the site of the tree at ROOT in OUT/html. COMPILER and the flags show what a compiler
prints about wrong programs. scripts/docs calls this program."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import errors
import families
import sentences

INDEX = """
```{{toctree}}
:hidden:
:caption: {caption}

{pages}
```
"""


def links(page):
    """The pages of docs that a page links, in order: a list for each of its sections, by name."""
    sections = re.split(r"^## (.*)$", page.read_text(encoding="utf-8"), flags=re.M)
    return {name: links_of(text) for name, text in zip(sections[1::2], sections[2::2])}


def links_of(text):
    return list(dict.fromkeys(re.findall(r"\]\(((?!\w+:)[^)#]+\.md)(?:#[^)]*)?\)", text)))


def stage(root, source):
    """Copies the pages, with a table of contents in the order of docs/README.md. README.md becomes the first page."""
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for name in ["docs", "examples", "scripts"]:
        shutil.copytree(root / name, source / name, ignore=shutil.ignore_patterns("site", "__pycache__"))
    for name in ["CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"]:
        shutil.copy(root / name, source)
    shutil.copy(root / "README.md", source / "index.md")
    for page in source.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        # Code stays as it is: [i](j) is no link there.
        text = re.sub(r"^```.*?^```|`[^`\n]*`(?!\])|!\[[^\n]*|\[([^\]]+)\]\(([^)\s]+)\)", lambda m: link(m, page, source) if m[2] else m[0], text, flags=re.S | re.M)
        page.write_text(text, encoding="utf-8")
    shutil.copy(root / "docs" / "site" / "conf.py", source)


def link(found, page, source):
    """A link of the repository as a link of the site: folders and files that are not pages are named, not linked."""
    text, target = found[1], found[2]
    path, _, anchor = target.partition("#")
    if not path or re.match(r"\w+:", path):
        return found[0]
    if (page.parent / path).resolve() == source / "README.md":
        return f"[{text}]({os.path.relpath(source / 'index.md', page.parent)}{'#' + anchor if anchor else ''})"
    return found[0] if path.endswith(".md") else text


def contents(source):
    """Adds the tables of contents: of the pages, the reference and the errors."""
    lists = [("Pages", ["docs/README"])]
    lists += [(name, [f"docs/{p.removesuffix('.md')}" for p in pages if not p.startswith("..")]) for name, pages in links(source / "docs" / "README.md").items()]
    lists += [("Reference", ["reference/" + name for name, *_ in families.FAMILIES]),
             ("Errors", ["errors/" + p.stem for p in sorted((source / "errors").glob("*.md"))]), ("Project", ["CONTRIBUTING", "CHANGELOG"])]
    with open(source / "index.md", "a", encoding="utf-8") as index:
        for caption, names in lists:
            index.write(INDEX.format(caption=caption, pages="\n".join(names)))


def reference(root, source, out):
    """The pages of the reference, and Doxygen's XML for them."""
    (source / "reference").mkdir()
    for name, text in families.pages(root).items():
        (source / "reference" / f"{name}.rst").write_text(text, encoding="utf-8")
    shutil.rmtree(out / "xml", ignore_errors=True)
    site = root / "docs" / "site"
    settings = f'''{(site / "Doxyfile").read_text(encoding="utf-8")}
INPUT = "{root}/include/ashlar"
STRIP_FROM_PATH = "{root}/include"
OUTPUT_DIRECTORY = "{out}"
FILTER_PATTERNS = "*.hpp=\\"{sys.executable}\\" \\"{site}/filter.py\\""
'''
    done = subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, capture_output=True)
    # Doxygen takes overloads that differ in their template head alone for one function. Both are on the page of the family. It also takes a
    # template whose base is the template with fewer arguments for a recursion.
    expected = re.compile(r"found several times in @addtogroup groups|Detected potential recursive class relation|will remain in group|^\s*$")
    found = [line for line in done.stderr.splitlines() if not expected.search(line)]
    if found:
        sys.exit("\n".join(found))
    paths = sorted((out / "xml").glob("*.xml"))
    simplify([p for p in paths if p.name.startswith("group__")])
    for path in paths:
        if not path.name.startswith("group__"):
            simplify([path])


def simplify(paths):
    """Drops values of variables, which Breathe cannot parse. Members that differ in their requires-clause alone, which Doxygen leaves
    out, become one, also in several files of headers."""
    trees = {path: ElementTree.parse(path) for path in paths}
    seen = {}
    for path, tree in trees.items():
        for section in tree.iter("sectiondef"):
            seen = seen if len(paths) > 1 else {}
            for member in section.findall("memberdef"):
                for value in member.findall("initializer"):
                    member.remove(value)
                if member.get("kind") != "function":
                    continue
                parts = [member.findtext("definition")]  # names of parameters may differ
                parts += ["".join(p.find("type").itertext()) for p in member.findall("param")]
                parts += [ElementTree.tostring(p) for p in member.findall("templateparamlist")]
                first = seen.setdefault(str(parts), member)
                if first is not member:
                    first.find("detaileddescription").extend(member.find("detaileddescription"))
                    section.remove(member)
    for path, tree in trees.items():
        tree.write(path, encoding="utf-8", xml_declaration=True)


def main(root, out, compiler):
    source = out / "source"
    for folder in ["doctrees", "html"]:  # Breathe remembers classes that are gone, and Sphinx leaves their pages
        shutil.rmtree(out / folder, ignore_errors=True)
    stage(root, source)
    reference(root, source, out)
    errors.write_pages(root, source / "errors", compiler)
    sentences.write_pages(root, source / "errors")
    contents(source)
    subprocess.run(["sphinx-build", "-q", "-W", "--keep-going", "-b", "html", "-d", str(out / "doctrees"), str(source), str(out / "html")], check=True)
    print(f"{out}/html/index.html")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:])
