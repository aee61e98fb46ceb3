"""The families of the API reference: a page each. A header belongs to the first family that one of its patterns matches, so that a new
header is always on a page."""

import functools
import importlib.util
import pathlib
import re

from related import related

FAMILIES = [
    ("mesh", "Meshes and names", ["mesh/*", "meta/names.hpp"]),
    ("layout", "Layouts", ["layout/*", "meta/literal.hpp"]),
    ("einsum", "Einsum and collective einsums", ["ops/products/einsum.hpp", "ops/products/einsum_of_several.hpp", "ops/products/matmul.hpp", "ops/products/matmul_into.hpp", "ops/products/product_plan.hpp", "ops/products/collective_einsum.hpp", "ops/products/chain.hpp",
                                                                     "autodiff/products.hpp"]),
    ("collectives", "Collectives between layouts", ["ops/collectives.hpp", "ops/async.hpp", "ops/bundle.hpp", "ops/arrays/roll.hpp"]),
    ("redistribution", "Redistribution into other tensors and meshes, and views", ["ops/arrays/between_meshes.hpp", "ops/view.hpp", "ops/products/transpose.hpp", "ops/select.hpp", "ops/arrays/box.hpp", "ops/arrays/slice.hpp", "ops/arrays/concatenate.hpp",
                                                                     "ops/relayout_plan.hpp", "ops/arrays/redistribute_into.hpp", "tensor/arrays/between_meshes.hpp"]),
    ("reductions", "Reductions and metrics", ["ops/reduce.hpp", "ops/arrays/cumsum.hpp", "ops/arrays/sort.hpp", "ops/arrays/take_along.hpp", "ops/arrays/extremum_index.hpp", "ops/arrays/norm.hpp", "ops/nn/metrics.hpp"]),
    ("losses", "Losses", ["ops/nn/losses.hpp", "ops/nn/softmax.hpp", "ops/nn/sharded_cross_entropy.hpp"]),
    ("random", "Random numbers", ["ops/random.hpp", "meta/philox.hpp"]),
    ("layers", "Layers", ["ops/nn/convolution.hpp", "ops/nn/pooling.hpp", "ops/nn/normalize.hpp", "ops/nn/batch_norm.hpp", "ops/nn/attention.hpp",
                                            "ops/nn/multi_head.hpp", "ops/arrays/gather.hpp", "train/layers/*.hpp",
                                            "train/sequential.hpp"]),
    ("linalg", "Dense solvers", ["linalg/*.hpp"]),
    ("fft", "Fourier transforms", ["ops/fft*.hpp", "ops/fft/dct.hpp", "kernels/fft*.hpp", "kernels/fft/dct.hpp", "tensor/fft/fft.hpp"]),
    ("halos", "Halos", ["ops/halo*.hpp", "autodiff/halo.hpp", "tensor/stencils/make_haloed.hpp", "tensor/haloed_tensor.hpp"]),
    ("stencils", "Stencils", ["ops/stencil*.hpp", "autodiff/stencil.hpp"]),
    ("user_operations", "Operations of users", ["ops/apply.hpp", "ops/user_operation.hpp", "kernels/user_operation.hpp"]),
    ("elementwise", "Element-wise operations", ["ops/*", "kernels/*"]),
    ("autodiff", "Derivatives", ["autodiff/*"]),
    ("plan", "Plans", ["plan/planner.hpp", "plan/candidates.hpp", "plan/step.hpp", "plan/links.hpp", "plan/price.hpp", "plan/products/einsum_plan.hpp", "plan/products/einsum_estimate.hpp", "plan/products/einsum_candidates.hpp",
                                        "plan/products/typical_products.hpp", "plan/print_product.hpp", "plan/products/contraction_order.hpp",
                                        "plan/waste.hpp", "plan/print.hpp", "plan/parse.hpp", "plan/draw.hpp", "plan/draw_svg.hpp", "plan/draw_plan.hpp"]),
    ("ledger", "Ledgers and dry runs", ["plan/*"]),
    ("trees", "Trees of tensors and errors", ["meta/*", "config.hpp", "ashlar.hpp"]),
    ("tensors", "Tensors", ["tensor/*"]),
    ("communication", "Communication on raw memory", ["comm/*"]),
    ("fields", "Fields in HDF5 files", ["io/hdf5*", "io/hdf5/field_series.hpp", "io/xdmf.hpp"]),
    ("files", "Files", ["io/*"]),
    ("data", "Data", ["data/*"]),
    ("checkpoints", "Checkpoints", ["checkpoint/*"]),
    ("optimizers", "Optimizers", ["train/optimizers/*.hpp"]),
    ("strategies", "Strategies", ["train/strategies/*.hpp", "train/pipeline.hpp"]),
    ("training", "Training", ["train/*"]),
]


# Families whose functions do not communicate, which their pages say once.
LOCAL = {"elementwise", "random", "user_operations"}
# Families in which each function of tensors has the lines Cost, also if it does not communicate, and Shape. An Example with -> shows the layout of the
# result, and stands for Shape.
PRICED = {"einsum", "collectives", "redistribution", "reductions", "losses", "layers", "linalg", "fft", "halos", "stencils"}
# Headers of overloads that never compile: they show what to write instead.
MISTAKES = {"ops/arrays/dimension_as_an_argument.hpp"}


def lines_needed(family, heads, has_sentence):
    """The lines that the comments of a function's overloads in a family need together. `heads` are their declarations up to the body."""
    needed = {"Example"}
    if any("call_site" in head for head in heads) and family not in LOCAL:
        needed |= {"Collective", "Cost"}
    if family in PRICED and any(re.search(r"\b(plain_tensor|tensor|active_value|stencil_fields?) [A-Z.]", head) for head in heads):
        needed |= {"Cost", "Shape"}
    if has_sentence:
        needed.add("Error")
    return needed


def missing_lines(root):
    """A sentence for each public name without a comment, and for each public function whose comments lack a line that its family needs. A Cost of "no communication" stands for Collective, too. A
    function without a comment, which another family documents, only has another operand there, or refuses one."""
    functions, others, documented = {}, {}, set()
    for header, text in headers(root).items():
        for d in declarations(text) if header not in MISTAKES else []:
            if d.kind == "function":
                functions.setdefault((family_of(header), d.name), []).append((header, d))
            else:
                others.setdefault(d.name, (header, d))
            if d.comment:
                documented.add(d.name)
    yield from (f"{header}:{d.line}: {name} has no comment" for name, (header, d) in others.items() if name not in documented)
    include, sentences = root / "include" / "ashlar", set()
    for path in include.glob("*/**/*.[hi]pp"):
        family = family_of(str(path.relative_to(include)).replace("impl/", "").replace(".ipp", ".hpp"))
        sentences |= {(family, name) for name in re.findall(r'"ashlar::(?:\w+::)*(\w+): ', path.read_text(encoding="utf-8"))}
    for (family, name), overloads in functions.items():
        comment = "\n".join(line for _, d in overloads for line in d.comment)
        if not comment and name in documented:
            continue
        found = set().union(*(d.fields for _, d in overloads))
        found |= {line for line, sign in [("Collective", "no communication"), ("Shape", "->")] if sign in comment}
        missing = lines_needed(family, [d.declared.partition("{")[0] for _, d in overloads], (family, name.rpartition("::")[2]) in sentences) - found
        if missing or not comment:
            header, d = overloads[0]
            yield f"{header}:{d.line}: the comment of {name} has no line {' and no line '.join(sorted(missing)) or 'at all'}"


@functools.cache
def place_of(header):
    """The place of a header in the reference, to sort headers by: the numbers of its family and of the pattern. header is a path below include/ashlar."""
    for family, (_, _, patterns) in enumerate(FAMILIES):
        for number, pattern in enumerate(patterns):
            if re.fullmatch(pattern.replace(".", r"\.").replace("*", ".*"), header):
                return family, number, header
    raise ValueError(f"no family for {header}")


def family_of(header):
    """The name of the family of a header."""
    return FAMILIES[place_of(header)[0]][0]


@functools.cache
def included(root, header):
    """The headers of ashlar that a header includes, itself among them, with "ashlar/" before each."""
    found, rest = set(), {header}
    while rest:
        found |= rest
        rest = set().union(*(included_directly(root, path) for path in rest)) - found
    return found


@functools.cache
def included_directly(root, header):
    return set(re.findall(r'^#include "(ashlar/[^"]+)"', (root / "include" / header).read_text(encoding="utf-8"), re.M))


def parser_of_names():
    spec = importlib.util.spec_from_file_location("public_names", pathlib.Path(__file__).resolve().parents[2] / "tests" / "scripts" / "public_names.py")
    parser = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(parser)
    return parser


PARSER = parser_of_names()


@functools.cache
def headers(root):
    """The headers that declare names."""
    include = root / "include" / "ashlar"
    return {str(path.relative_to(include)): path.read_text(encoding="utf-8") for path in sorted(include.rglob("*.hpp"))}


@functools.cache
def names_by_header(root):
    """The public names that each header declares, in the order of the reference."""
    found = {header: sorted(set(PARSER.public_names(PARSER.blanked(text)))) for header, text in headers(root).items()}
    return {header: found[header] for header in sorted(filter(found.get, found), key=place_of)}


FIELDS = "Shape|Pre|Post|Collective|Cost|Error|Example|Source"
FIELD = re.compile(rf"(?:^|(?<=[.)] ))((?:(?:{FIELDS})(?:, | and )?)+): ?")


def fields(text):
    """Cuts a line of a comment into pairs of a field's title, such as "Cost" or "Cost, Error", and its text. The title of other text is
    empty. What follows Example is its text."""
    out, title, begin = [], "", 0
    for found in FIELD.finditer(text):
        if found.start() > 0:
            out.append((title, text[begin:found.start()].rstrip()))
        title, begin = found[1], found.end()
        if title == "Example":
            break
    return out + [(title, text[begin:])]


class Declaration:
    """A public declaration of a header: its name, kind, comment above, text without comments, and where it begins."""

    def __init__(self, text, name, declared, begin):
        head = PARSER.head_of(declared)
        found = re.match(r"(struct|class|enum|concept|using)\b", head)
        self.name, self.declared, self.begin = name, declared, begin
        self.kind = found[1] if found else "function" if "(" in re.split(r"[={;]", head)[0] else "variable"
        self.line = text.count("\n", 0, begin) + 1
        comment = []
        for line in reversed(text[:begin].splitlines()):
            if line.startswith("///"):
                comment.insert(0, line[3:].removeprefix(" "))
            elif not line.startswith("// "):  # such as the mark of a quotation
                break
        self.comment = comment
        self.fields = {name for line in comment for title, _ in fields(line) for name in re.findall(FIELDS, title)}


def declarations(text):
    """The public declarations of a header's text, in its order."""
    blanked, at = PARSER.blanked(text), 0
    for name, declared in PARSER.public_declarations(blanked):
        at = blanked.index(declared, at)
        yield Declaration(text, name, declared, at)
        at += len(declared)


def constraint(d):
    """The requires-clause of a declaration, or ""."""
    found = re.search(r"^\s*requires\b.*", d.declared, re.M)
    return found[0].strip() if found else ""


def never_compiles(d):
    """True of an overload that exists to show what to write instead."""
    body = d.declared.partition("{")[2].strip()
    return d.kind == "function" and not d.comment and re.match(r"static_assert\(\s*!\w+_detail::\w+<[^;]*>::value,|return \w+_detail::refuse_", body)


def with_names_of_overloads(header, text):
    """The header without overloads that never compile, and with a suffix of its own at the name of each public function, which build.py
    takes off."""
    out, end = "", 0
    for number, d in enumerate(declarations(text)):
        if never_compiles(d):
            out, end = out + text[end:d.begin], d.begin + len(d.declared)
            continue
        found = re.search(rf"\b{d.name.rpartition('::')[2]}(?=\()", d.declared)
        if d.kind == "function" and found:
            at = d.begin + found.end()
            out, end = out + text[end:at] + f"_overload_{group_of(header)}_{number}", at
    return out + text[end:]


@functools.cache
def parts_of_headers(root):
    """The target of CMakeLists.txt that has each header, without "ashlar::"."""
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    lists = {"lower_layers": re.search(r"set\(lower_layers (.*)\)", text)[1], "subjects_of_ops": "ops/" + re.search(r"set\(subjects (.*)\)", text)[1].replace(" ", " ops/")}
    part_of = {}
    for part, folders in re.findall(r"^ashlar_headers\((\w+) ?(.*)\)$", text, re.M):
        part_of |= {folder: "layout" if part == "config" else part for folder in [part, *re.sub(r"\$\{(\w+)\}", lambda m: lists[m[1]], folders).split()]}
    include, found = root / "include" / "ashlar", {}
    for path in include.rglob("*.[hi]pp"):
        header = path.relative_to(include)
        folder = str(header.parent).removesuffix("/impl")
        found[str(header)] = part_of[header.stem if folder == "." else folder]
    return found


def links_of_parts(root):
    """The targets that each target of CMakeLists.txt links, itself among them."""
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    direct = {part: re.findall(r"\bashlar(?:_(\w+))?(?=\s|$)", linked) for part, linked in re.findall(r"^ *ashlar_add_part\((\w+) (.*)\)$", text, re.M)}
    direct["ashlar"] = re.findall(r"ashlar_(\w+)", re.search(r"target_link_libraries\(ashlar INTERFACE (.*)\)", text)[1])
    found = {"layout": {"layout"}}
    while len(found) <= len(direct):
        for part, linked in direct.items():
            linked = [p or "ashlar" for p in linked]
            if all(p in found for p in linked):
                found[part] = {part}.union(*(found[p] for p in linked))
    return found


def target_of(family, names, parts, links):
    """The least target for a family on ranks: it has the headers with names, and the kernels of operations."""
    needed = set()
    for header in (h for h in names if family_of(h) == family):
        needed.add(parts[header])
        if header.startswith(("ops/", "autodiff/")):
            needed |= {"tensor", parts.get(header.replace("ops/", "kernels/"), "tensor")}
    return min((part for part in links if needed <= links[part]), key=lambda part: len(links[part]))


CONCEPT = re.compile(r"((?:^ *///[^\n]*\n)*)^template <(?:class|int) [^;{]*>\nconcept (\w+) = [^{;]*(?:\{.*?\n?\})?;", re.M | re.S)


def found_concepts(text, names):
    """Triples of a public concept's name, comment and declaration."""
    for found in CONCEPT.finditer(text):
        for name in (space + found[2] for space in ["", *(s + "::" for s in PARSER.SPACES.split("|"))]):
            if name in names:
                yield name, " ".join(re.findall(r"/// ?(.*)", found[1])), found[0][len(found[1]):]


def label(name):
    return "concept_" + name.replace("::", "_")


def labels(root):
    """The labels of the public concepts, which Doxygen has no ids for."""
    texts = headers(root)
    return {name: label(name) for header, names in names_by_header(root).items() for name, _, _ in found_concepts(texts[header], names)}


def concepts(text, names, ids):
    """The public concepts of a header, which Doxygen's groups leave out."""
    out = []
    for name, comment, declared in found_concepts(text, names):
        links = [f":ref:`{other} <{ids[other]}>`" for other in related(name) if other in ids]
        out += [f".. _{label(name)}:", "", f".. cpp:concept:: {declared.splitlines()[0]} {name.rpartition('::')[2]}", "", "   " + comment, "", "   .. code-block:: cpp", ""]
        out += ["      " + line for line in declared.splitlines()] + [""]
        if links:
            out += ["   **See also**", "      " + ", ".join(links), ""]
    return out


def group_of(header):
    """The name of Doxygen's group of a header, as filter.py makes it."""
    return re.sub(r"\W", "_", header.removesuffix(".hpp"))


def page(family, names, purpose, root, ids):
    """The page of a family, in reStructuredText."""
    name, title, _ = family
    parts = parts_of_headers(root)
    target = target_of(name, names, parts, links_of_parts(root))
    shown = [header for header in names if family_of(header) == name and header not in MISTAKES]
    out = [title, "=" * len(title), "", f"Link ``ashlar::{target}``.", ""]
    if target != "layout" and any(parts[header] == "layout" for header in shown):
        out += ["For layouts and dry runs alone, headers of ``ashlar::layout`` need that target and no more.", ""]
    if any(re.search(r"Example: [^\n]*->|^/// [^\n]*<layout<[^\n]*-> ", headers(root)[header], re.M) for header in shown):
        out += ["In an example, ``f(x<layout<\"data\">>) -> layout<none>`` stands for a tensor ``x`` of the first layout and a result of the second.", ""]
    if name in LOCAL:
        out += ["These functions do not communicate.", ""]
    for header in shown:
        found = names[header]
        out += [header, "-" * len(header), "", purpose[header].replace("`", "``").replace("*", r"\*"), "", f"``#include <ashlar/{header}>``, of ``ashlar::{parts[header]}``", "", "Names: " + ", ".join(f"``{n}``" for n in found), "",
                f".. doxygengroup:: {group_of(header)}", "   :project: ashlar", "   :content-only:", "   :members:", "   :undoc-members:", ""]
        out += concepts((root / "include" / "ashlar" / header).read_text(encoding="utf-8"), found, ids)
    return "\n".join(out)


def purposes(root):
    """The first comment of each header."""
    out = {}
    include = root / "include" / "ashlar"
    for path in include.rglob("*.hpp"):
        lines = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("// "):
                break
            if not line.startswith("// SPDX-"):
                lines.append(line[3:])
        out[str(path.relative_to(include))] = " ".join(lines)
    return out


def pages(root, ids=None):
    """Pairs of a family's name and the text of its page. `ids` are the places of names in the reference, for links."""
    names, purpose = names_by_header(root), purposes(root)
    return {family[0]: page(family, names, purpose, root, ids or {}) for family in FAMILIES}
