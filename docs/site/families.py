"""The families of the API reference: a page each. A header belongs to the first family that one of its patterns matches, so that a new
header is always on a page."""

import importlib.util
import pathlib
import re

FAMILIES = [
    ("mesh", "Meshes and names", "ashlar::layout", ["mesh/*", "meta/names.hpp"]),
    ("layout", "Layouts", "ashlar::layout", ["layout/*", "meta/literal.hpp"]),
    ("einsum", "Einsum and collective einsums", "ashlar::layout", ["ops/einsum.hpp", "ops/einsum_of_several.hpp", "ops/matmul.hpp", "ops/matmul_into.hpp", "ops/product_plan.hpp", "ops/collective_einsum.hpp", "ops/chain.hpp",
                                                                     "autodiff/collective_einsum.hpp", "autodiff/matmul.hpp"]),
    ("collectives", "Collectives between layouts", "ashlar::layout", ["ops/collectives.hpp", "ops/async.hpp", "ops/bundle.hpp", "ops/roll.hpp"]),
    ("redistribution", "Redistribution and views", "ashlar::layout", ["ops/between_meshes.hpp", "ops/view.hpp", "ops/transpose.hpp", "ops/select.hpp", "ops/box.hpp", "ops/slice.hpp", "ops/concatenate.hpp",
                                                                     "ops/relayout_plan.hpp", "ops/redistribute_into.hpp", "tensor/between_meshes.hpp"]),
    ("reductions", "Reductions and metrics", "ashlar::layout", ["ops/reduce.hpp", "ops/cumsum.hpp", "ops/sort.hpp", "ops/take_along.hpp", "ops/extremum_index.hpp", "ops/norm.hpp", "ops/metrics.hpp"]),
    ("losses", "Losses", "ashlar::layout", ["ops/losses.hpp", "ops/softmax.hpp", "ops/sharded_cross_entropy.hpp"]),
    ("random", "Random numbers", "ashlar::layout", ["ops/random.hpp", "meta/philox.hpp"]),
    ("layers", "Layers", "ashlar::layout", ["ops/convolution.hpp", "ops/pooling.hpp", "ops/normalize.hpp", "ops/batch_norm.hpp", "ops/attention.hpp",
                                            "ops/multi_head.hpp", "ops/gather.hpp", "train/layers.hpp", "train/dense.hpp", "train/normalized_conv2d.hpp",
                                            "train/residual_classifier.hpp", "train/transformer.hpp", "train/sequential.hpp", "train/columns_then_rows.hpp"]),
    ("linalg", "Dense solvers", "ashlar::scalapack", ["linalg/*.hpp"]),
    ("fft", "Fourier transforms", "ashlar::fft", ["ops/fft*.hpp", "ops/dct.hpp", "kernels/fft*.hpp", "kernels/dct.hpp", "tensor/fft.hpp"]),
    ("elementwise", "Element-wise operations and operations of users", "ashlar::layout", ["ops/*", "kernels/*"]),
    ("autodiff", "Derivatives", "ashlar::layout", ["autodiff/*"]),
    ("plan", "Plans", "ashlar::layout", ["plan/planner.hpp", "plan/candidates.hpp", "plan/step.hpp", "plan/links.hpp", "plan/price.hpp", "plan/einsum_plan.hpp", "plan/einsum_estimate.hpp", "plan/einsum_candidates.hpp",
                                        "plan/typical_products.hpp", "plan/print_product.hpp", "plan/contraction_order.hpp",
                                        "plan/waste.hpp", "plan/print.hpp", "plan/parse.hpp", "plan/draw.hpp", "plan/draw_svg.hpp", "plan/draw_plan.hpp"]),
    ("ledger", "Ledgers and dry runs", "ashlar::layout", ["plan/*"]),
    ("trees", "Trees of tensors and errors", "ashlar::layout", ["meta/*", "config.hpp", "ashlar.hpp"]),
    ("tensors", "Tensors", "ashlar::ashlar", ["tensor/*"]),
    ("communication", "Communication on raw memory", "ashlar::ashlar", ["comm/*"]),
    ("fields", "Fields in HDF5 files", "ashlar::checkpoint", ["io/hdf5*", "io/field_series.hpp", "io/xdmf.hpp"]),
    ("files", "Files", "ashlar::ashlar", ["io/*"]),
    ("data", "Data", "ashlar::ashlar", ["data/*"]),
    ("checkpoints", "Checkpoints", "ashlar::checkpoint", ["checkpoint/*"]),
    ("optimizers", "Optimizers", "ashlar::ashlar", ["train/adam.hpp", "train/sgd.hpp", "train/rmsprop.hpp", "train/clip.hpp", "train/schedule.hpp", "train/optimizer.hpp",
                                                  "train/update*.hpp", "train/zero.hpp"]),
    ("strategies", "Strategies", "ashlar::ashlar", ["train/strategy.hpp", "train/pattern.hpp", "train/path.hpp", "train/place.hpp", "train/weight.hpp", "train/pipeline.hpp"]),
    ("training", "Training", "ashlar::ashlar", ["train/*"]),
]


def family_of(header):
    """The name of the family of a header; header is a path below include/ashlar."""
    for name, _, _, patterns in FAMILIES:
        for pattern in patterns:
            if re.fullmatch(pattern.replace(".", r"\.").replace("*", ".*"), header):
                return name
    raise ValueError(f"no family for {header}")


def names_by_header(root):
    """The public names that each header declares. Headers in folders `compiled` define functions that others declare."""
    spec = importlib.util.spec_from_file_location("public_names", root / "tests" / "scripts" / "public_names.py")
    parser = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(parser)
    include = root / "include" / "ashlar"
    return {str(path.relative_to(include)): sorted(set(parser.public_names(parser.blanked(path.read_text(encoding="utf-8")))))
            for path in sorted(include.rglob("*.hpp")) if path.parent.name != "compiled"}


CONCEPT = re.compile(r"((?:^ *///[^\n]*\n)*)^template <(?:class|int) [^;{]*>\nconcept (\w+) = [^{;]*(?:\{.*?\n?\})?;", re.M | re.S)


def concepts(text, names):
    """The public concepts of a header, which Doxygen's groups leave out."""
    out = []
    for found in CONCEPT.finditer(text):
        if found[2] in names or "comm::" + found[2] in names:
            declared = found[0][len(found[1]):]
            out += [f".. cpp:concept:: {declared.splitlines()[0]} {found[2]}", "", "   " + " ".join(re.findall(r"/// ?(.*)", found[1])), "", "   .. code-block:: cpp", ""]
            out += ["      " + line for line in declared.splitlines()] + [""]
    return out


def page(family, names, purpose, root):
    """The page of a family, in reStructuredText."""
    name, title, target, _ = family
    out = [title, "=" * len(title), "", f"Link ``{target}``.", ""]
    for header, found in names.items():
        if not found or family_of(header) != name:
            continue
        out += [header, "-" * len(header), "", purpose[header].replace("`", "``").replace("*", r"\*"), "", f"``#include <ashlar/{header}>``", "", "Names: " + ", ".join(f"``{n}``" for n in found), "",
                f".. doxygengroup:: {re.sub('[^a-z0-9_]', '_', header.removesuffix('.hpp'))}", "   :project: ashlar", "   :content-only:", "   :members:", ""]
        out += concepts((root / "include" / "ashlar" / header).read_text(encoding="utf-8"), found)
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
            lines.append(line[3:])
        out[str(path.relative_to(include))] = " ".join(lines)
    return out


def pages(root):
    """Pairs of a family's name and the text of its page."""
    names, purpose = names_by_header(root), purposes(root)
    return {family[0]: page(family, names, purpose, root) for family in FAMILIES}
