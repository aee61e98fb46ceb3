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
import names
import sentences

INDEX = """
```{{toctree}}
:hidden:
:caption: {caption}

{pages}
```
"""


EXAMPLE = re.compile(r"examples/(?:tutorial/|support/)?\w+\.[ch]pp")


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
    for name in ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"]:
        shutil.copy(root / name, source)
    shutil.copy(root / "README.md", source / "index.md")
    pages = sorted(source.rglob("*.md"))
    for example in sorted(p for p in (source / "examples").rglob("*") if p.suffix in {".cpp", ".hpp"}):
        example.with_suffix(example.suffix + ".md").write_text(page_of(example, source), encoding="utf-8")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        # Code stays as it is: [i](j) is no link there. The name of an example alone becomes a link.
        text = re.sub(r"^```.*?^```|`[^`\n]*`(?!\])|!\[[^\n]*|\[([^\]]+)\]\(([^)\s]+)\)", lambda m: link(m, page, source) if m[2] else named(m[0], page, source), text, flags=re.S | re.M)
        page.write_text(text, encoding="utf-8")
    shutil.copy(root / "docs" / "site" / "conf.py", source)


def page_of(example, source):
    """The page of an example: its source."""
    name = example.relative_to(source)
    return f"# {name}\n\n```{{literalinclude}} {example.name}\n:language: cpp\n```\n"


def named(code, page, source):
    """Code of a page, as a link if it is the name of an example."""
    path = code.strip("`")
    if not EXAMPLE.fullmatch(path) or not (source / path).exists():
        return code
    return f"[{code}]({os.path.relpath(source / path, page.parent)}.md)"


def link(found, page, source):
    """A link of the repository as a link of the site. Folders and files that are neither pages nor examples are named, not linked."""
    text, target = found[1], found[2]
    path, _, anchor = target.partition("#")
    if not path or re.match(r"\w+:", path):
        return found[0]
    if (page.parent / path).resolve() == source / "README.md":
        return f"[{text}]({os.path.relpath(source / 'index.md', page.parent)}{'#' + anchor if anchor else ''})"
    if EXAMPLE.search(path) and (page.parent / path).exists():
        return f"[{text}]({path}.md)"
    if not path.endswith(".md"):
        return text
    return f"[]({target})" if text == path.rpartition("/")[2] and not anchor else found[0]  # the page's title


def contents(source):
    """Adds the tables of contents: of the pages, the reference and the errors."""
    lists = [("Pages", ["docs/README"])]
    lists += [(name, [f"docs/{p.removesuffix('.md')}" for p in pages if not p.startswith("..") and p != "tools.md"]) for name, pages in links(source / "docs" / "README.md").items()]
    lists += [("Reference", ["reference/names"] + ["reference/" + name for name, *_ in families.FAMILIES] + ["docs/tools"]),
             ("Errors", ["errors/" + p.stem for p in sorted((source / "errors").glob("*.md"), key=lambda p: (p.stem != "by_sentence", p.stem))]), ("Examples", sorted(str(p.relative_to(source)).removesuffix(".md") for p in (source / "examples").rglob("*.md"))), ("Project", ["CONTRIBUTING", "CHANGELOG", "SECURITY"])]
    with open(source / "index.md", "a", encoding="utf-8") as index:
        for caption, names in lists:
            index.write(INDEX.format(caption=caption, pages="\n".join(names)))


def reference(root, source, out):
    """The pages of the reference, and Doxygen's XML for them."""
    (source / "reference").mkdir()
    shutil.rmtree(out / "xml", ignore_errors=True)
    site = root / "docs" / "site"
    settings = f'''{(site / "Doxyfile").read_text(encoding="utf-8")}
INPUT = "{root}/include/ashlar"
EXCLUDE = {" ".join(f'"{root}/include/ashlar/{header}"' for header in sorted(families.MISTAKES))}
STRIP_FROM_PATH = "{root}/include"
OUTPUT_DIRECTORY = "{out}"
FILTER_PATTERNS = "*.hpp=\\"{sys.executable}\\" \\"{site}/filter.py\\""
'''
    done = subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, capture_output=True)
    # Doxygen takes a template whose base is the template with fewer arguments for a recursion.
    expected = re.compile(r"Detected potential recursive class relation|^\s*$")
    found = [line for line in done.stderr.splitlines() if not expected.search(line)]
    if found:
        sys.exit("\n".join(found))
    paths = sorted((out / "xml").glob("*.xml"))
    simplify([p for p in paths if p.name.startswith("group__")])
    for path in paths:
        if not path.name.startswith("group__"):
            simplify([path])
    ids = link_related(root, [p for p in paths if re.match("group__|class|struct", p.name)])
    for name, text in families.pages(root, ids).items():
        (source / "reference" / f"{name}.rst").write_text(text, encoding="utf-8")
    (source / "reference" / "names.rst").write_text(names.page(root, ids), encoding="utf-8")


def simplify(paths):
    """Drops values of variables, which Breathe cannot parse, and shows constraints and the paths of headers. Members that Doxygen lists twice
    become one, also in several files of headers."""
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
                with_constraint(member)
                parts = [member.findtext("definition"), member.findtext("requiresclause")]  # names of parameters may differ
                parts += ["".join(p.find("type").itertext()) for p in member.findall("param")]
                parts += [ElementTree.tostring(p) for p in member.findall("templateparamlist")]
                first = seen.setdefault(str(parts), member)
                if first is not member:
                    first.find("detaileddescription").extend(member.find("detaileddescription"))
                    section.remove(member)
        for compound in tree.iter("compounddef"):
            for derived in compound.findall("derivedcompoundref"):  # mostly classes that are not public
                compound.remove(derived)
            for included in compound.findall("includes"):  # Doxygen leaves out the folder
                included.text = compound.find("location").get("file")
            clause = compound.find("requiresclause")
            if clause is not None:
                describe(compound, "Constraints", [f"requires {constraint(clause)}"])
    for path, tree in trees.items():
        for element in tree.iter():  # filter.py's sign in */ and /*
            element.text, element.tail = (t and t.replace("\u2060", "") for t in (element.text, element.tail))
        tree.write(path, encoding="utf-8", xml_declaration=True)


def constraint(clause):
    return re.sub(r"\s+", " ", "".join(clause.itertext())).strip()


def with_constraint(member):
    """Takes the suffix of filter.py off a function's name, and shows its requires-clause, which Breathe leaves out: after the parameters, or as
    a line of the entry if it has an expression in braces, which Sphinx does not parse."""
    for name in ["name", "definition", "qualifiedname"]:
        element = member.find(name)
        if element is not None and element.text:
            element.text = re.sub(r"_overload_\w+", "", element.text)
    clause, arguments = member.find("requiresclause"), member.find("argsstring")
    if clause is None:
        return
    if "{" in constraint(clause):
        describe(member, "Constraints", [f"requires {constraint(clause)}"])
    else:
        arguments.text += f" requires {constraint(clause)}"


def describe(element, title, texts):
    """Adds a titled paragraph to the description of an entry. Texts that are pairs of an id and a name are links."""
    section = ElementTree.SubElement(ElementTree.SubElement(element.find("detaileddescription"), "para"), "simplesect", kind="par")
    ElementTree.SubElement(section, "title").text = title
    paragraph = ElementTree.SubElement(section, "para")
    for number, text in enumerate(texts):
        separator = ", " if number + 1 < len(texts) else ""
        if isinstance(text, tuple):
            target = ElementTree.SubElement(paragraph, "ref", refid=text[0], kindref="member")
            target.text, target.tail = text[1], separator
        else:
            code = ElementTree.SubElement(paragraph, "computeroutput")
            code.text, code.tail = text, separator


def link_related(root, paths):
    """Adds "See also" to each entry with a comment, and to other functions a link of the entry with a comment that has their name. Returns the ids of
    entries by public names: of the first in the order of the reference."""
    trees = {path: ElementTree.parse(path) for path in paths}
    header_of = {families.group_of(header): header for header in families.headers(root)}

    def place(tree):
        compound = tree.find("compounddef")
        header = header_of.get(compound.findtext("compoundname")) or compound.find("location").get("file").removeprefix("ashlar/")
        return families.place_of(header)

    entries, ids = [], families.labels(root)
    for tree in sorted((t for t in trees.values() if t.find("compounddef/location") is not None or t.findtext("compounddef/compoundname") in header_of), key=place):
        is_group = tree.find("compounddef").get("kind") == "group"
        for member in tree.iter("memberdef" if is_group else "compounddef"):
            name = member.findtext("qualifiedname") or member.findtext("compoundname") or ""
            if is_group or member.get("kind") in {"class", "struct"}:
                entries.append((name.removeprefix("ashlar::"), member))
    described = [e for e in entries if len(e[1].find("detaileddescription")) or len(e[1].find("briefdescription"))]
    for name, member in described + entries:
        ids.setdefault(name, member.get("id"))
    for name, member in described:
        links = [(ids[other], other) for other in families.related(name) if other in ids]
        if links:
            describe(member, "See also", links)
    with_text = {member.get("id") for _, member in described}
    for name, member in entries:
        if member.get("id") not in with_text and member.get("kind") == "function" and ids[name] != member.get("id"):
            describe(member, "See", [(ids[name], name)])
    for path, tree in trees.items():
        tree.write(path, encoding="utf-8", xml_declaration=True)
    return ids


def main(root, out, compiler):
    source = out / "source"
    for folder in ["doctrees", "html"]:  # Breathe remembers classes that are gone, and Sphinx leaves their pages
        shutil.rmtree(out / folder, ignore_errors=True)
    stage(root, source)
    reference(root, source, out)
    errors.write_pages(root, source / "errors", compiler)
    sentences.write_list(source / "errors", errors.linked_sentences(root) + sentences.write_pages(root, source / "errors"))
    with open(source / "docs" / "cheat_sheet.md", "a", encoding="utf-8") as text:
        text.write("\n[All names](../reference/names.rst), with their headers and meanings.\n")
    for page in ["compiler_errors", "run"]:
        with open(source / "docs" / "how_to" / f"{page}.md", "a", encoding="utf-8") as text:
            text.write("\n## All errors\n\n[This list](../../errors/by_sentence.md) has the wrong program of each sentence, and what to write instead.\n")
    contents(source)
    subprocess.run(["sphinx-build", "-q", "-W", "--keep-going", "-b", "html", "-d", str(out / "doctrees"), str(source), str(out / "html")], check=True)
    print(f"{out}/html/index.html")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:])
