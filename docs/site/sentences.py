"""Pages of errors of the run time: every sentence of the headers, with the test that provokes it and what to write instead. Sentences of the compiler
are on the pages of errors.py; a list at the end names the others, with the reason if no program of a test can have them."""

import pathlib
import re
import sys

import families

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tests" / "scripts"))
import must_fail

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
SENTENCE = re.compile(r"ashlar::[\w:<>~]+: (\S)?")  # without more, a value follows


# Sentences that no test provokes, by how they begin, and the reason.
OTHER_MACHINE = "for machines that store the highest byte first"
DEVICE = "for devices, on which `scripts/test` runs nothing"
BROKEN = "for a library or a disk that fails"
AGAINST_RACES = "for a file that another program changes between two reads"
NOT_TESTED = {
    "ashlar::io::save_checkpoint: elements are written as they are in memory, little-endian": OTHER_MACHINE,
    "ashlar::io::read_npy: elements are taken as they are in the file, little-endian": OTHER_MACHINE,
    "ashlar::io::load_arrays: elements are taken as they are in the file, little-endian": OTHER_MACHINE,
    "ashlar::environment: expected ASHLAR_GPU_AWARE": DEVICE,
    "ashlar::environment: ASHLAR_GPU_AWARE is 1": DEVICE,
    "ashlar::kernels::gemm: ": DEVICE,
    "ashlar::fft: the device's": DEVICE,
    "ashlar::fft: only CUDA and HIP": DEVICE,
    "ashlar::kernels: nvcc": DEVICE,
    "ashlar::kernels: in code of nvcc 13": DEVICE,
    "ashlar::apply: an operand is where kernels": DEVICE,
    "ashlar::assign: the tensor or the value is where kernels": DEVICE,
    "ashlar::fft: FFTW transforms tensors in host memory": "for a build without FFTW and with transforms on devices",
    "ashlar::fft: FFTW has no plan": BROKEN,
    "ashlar::nn::conv2d: oneDNN ": BROKEN,
    "zlib cannot compress": BROKEN,
    "HDF5 cannot pack a chunk": BROKEN,
    "HDF5 reserves no room": BROKEN,
    "HDF5 places new elements": BROKEN,
    "HDF5 does not write a chunk": BROKEN,
    "expected extents below 2^63 for ": "for files of such extents, which HDF5 1.10 itself does not write",
    "HDF5 before 1.10.3": "for an older HDF5 than the one here",
    "HDF5 before 1.10.5": "for an older HDF5 than the one here",
    "ashlar: this rank waits in a collective that had begun": "for a rank that another one's failure leaves in a collective; its text depends on the moment",
    "what was written is not what is read back": BROKEN,
    "it ends before byte": AGAINST_RACES,
    "ashlar::linalg: ScaLAPACK counts the elements of a shard": "for shards of more than 2^31 elements",
    "ashlar::linalg::eigh: the iteration": "for matrices on which ScaLAPACK's iteration fails; none is known",
    "ashlar::linalg::svd: the iteration": "for matrices on which ScaLAPACK's iteration fails; none is known",
    "ashlar::comm: complex numbers of float and of double": "for elements that tensors refuse before",
    "ashlar::pending: dropped": "printed, not thrown, when a collective in flight fails and nobody waits for it",
}

# What to write instead, or do, for sentences of functions without an Example that do not say it themselves: by a header, or by how a sentence begins.
MAP = "Make the tree, its layouts and the map of names fit the arrays of the file."
DAMAGED = "The file is damaged, or of another kind. "
ALIKE = "Give all ranks the same."
REMEDIES = {
    "checkpoint/array_plan.hpp": MAP,
    "checkpoint/array_reader.hpp": MAP,
    "checkpoint/array_writer.hpp": "Change the map of names, the options of `save_arrays`, or the format.",
    "checkpoint/hdf5_arrays.hpp": "Let no other program write the file while it is read.",
    "checkpoint/reader.hpp": DAMAGED + "Take an older checkpoint: `checkpoints` keeps several.",
    "checkpoint/table.hpp": DAMAGED + "Take an older checkpoint: `checkpoints` keeps several.",
    "comm/buffer.hpp": "Start more ranks, keep fewer tensors, or shard them over more axes.",
    "comm/impl/thread.ipp": "Raise the limits of memory and of processes: `ulimit -v`, `ulimit -u`.",
    "comm/node/impl/remaining_readers.ipp": "Find out why the other rank is late: it computes for long, or waits elsewhere.",
    "data/impl/array_source.ipp": "Give the type and the extents of the elements in the file. The first extent counts examples.",
    "data/impl/open.ipp": "Let no other program write the file while it is read.",
    "io/array_bytes.hpp": "Give the extents of the array in the file.",
    "io/impl/checked_file.ipp": "Name a file that this user may read, and that no other program changes meanwhile.",
    "io/impl/idx.ipp": DAMAGED + "Fetch it again.",
    "io/json.hpp": DAMAGED + "Write it again by `save_arrays`, or by Python's package safetensors.",
    "io/impl/json.ipp": DAMAGED + "Write it again by `save_arrays`, or by Python's package safetensors.",
    "io/impl/safetensors.ipp": DAMAGED + "Write it again by `save_arrays`, or by Python's package safetensors.",
    "io/safetensors.hpp": "Save elements of whole bytes.",
    "io/impl/npy_files.ipp": "Give the layout one spec per dimension of the array in the file.",
    "io/impl/npy.ipp": DAMAGED + "Write it again by `save_npy`, or by NumPy's `save`.",
    "io/npy.hpp": DAMAGED + "Write it again by `save_npy`, or by NumPy's `save`.",
    "io/impl/npz_files.ipp": "Ask for an array by a name that the file has once.",
    "io/impl/zip.ipp": DAMAGED + "Write it again by `save_npz`, or by NumPy's `savez`.",
    "io/hdf5/field_series.hpp": "Give all fields the mesh and the extents of the series, and each a name of its own.",
    "io/hdf5/add.hpp": "Choose a name in a group of this file.",
    "io/hdf5/description.hpp": "Change the name of the dataset, or the option in `hdf5_options`.",
    "io/hdf5/files.hpp": "Open the file anew. Let no other program write it while it is read.",
    "io/hdf5/id.hpp": "HDF5's own reason follows. Mostly a path, a permission or the space on the disk is wrong.",
    "io/impl/zlib.ipp": DAMAGED + "Write the file again, or ask who wrote it.",
    "io/hdf5/opened.hpp": "Take a layout and a box that fit the extents in the file. A file that ends too early is damaged.",
    "io/hdf5/types.hpp": "Name an HDF5 file. `h5dump -H` shows whether it is one.",
    "io/hdf5/update.hpp": "Update the file to which the link points.",
    "ashlar: the ranks do not call the same, in the same order: they have exchanged": "Make these calls in the same order on all ranks.",
    "ashlar: a collective of ranks of a node began": "Report it, with the last collectives of each rank.",
    "ashlar: rank ... has waited": "Find out why the other ranks are late, or raise `ASHLAR_DEADLINE`.",
    "ashlar: ... waited ": "Compare the collectives of both ranks: all ranks call the same ones in the same order.",
    "ashlar::datasets::batch_stream: examples, batch": ALIKE,
    "ashlar::device_mesh: the sizes of the axes": ALIKE,
    "ashlar::training::require_equal_replicas: the checksums": "Give all ranks of a replica the same parameters and gradients.",
    "ashlar::redistribute: the other mesh": "Pass a mesh of as many ranks, from the same communicator.",
    "ashlar::io::save_checkpoint: what is saved": ALIKE,
    "ashlar::planning::plan: links need": "Set `tensor_bytes`, and give the mesh a size for each axis.",
    "ashlar::nn::pool2d: without padding": "Take a smaller window, or pad the images.",
    "ashlar::nn::conv2d: without padding": "Take a smaller kernel, or pad the images.",
    "ashlar::linalg: ScaLAPACK counts": "Solve a smaller system: ScaLAPACK's integers have 32 bits.",
    "ashlar::linalg: the matrix is square": "Give a square matrix, or use `linalg::lstsq`.",
    "ashlar::linalg: the right-hand side": "Give one row of the right-hand side per row of the matrix.",
    "ashlar::optimizer: a gradient": "Pass the gradients of these parameters, in their order.",
    "ashlar::shape: a tensor": "Join dimensions by `flatten`.",
    "plan/impl/print_product.ipp": "Give an equation of two operands, and one extent per letter.",
}


def examples(root):
    """The lines Example of public names, as pairs of a header and a text: those of a function from its overloads."""
    out = {}
    for header, text in families.headers(root).items():
        for d in families.declarations(text):
            example = None
            for line in d.comment:
                begins = re.match(r"(\w[\w, ]*): (.*)", line)
                if begins and begins[1] == "Example":
                    example = begins[2]
                    out.setdefault(d.name, []).append([header, example])
                elif example and not begins:
                    out[d.name][-1][1] += " " + line.strip()
                else:
                    example = None
    return out


def said_instead(text):
    """The part of a sentence that says what to write, after the rule; "" if it has none."""
    parts = [p for p in text.split("; ")[1:] if not re.match(r"expected|found|extents|its axes|the newest|the deadline|collectives begun|this is", p)]
    return plain(parts[0][0].upper() + re.sub(r":? ?\.\.\.$", "", parts[0][1:])) + "." if parts else ""


def remedy_of(s, known):
    """What to write instead of a sentence's program, as words and as code; each may be ""."""
    words = said_instead(s["text"]) or next((words for key, words in REMEDIES.items() if s["text"].startswith(key)), "")
    entity = (re.match(r"ashlar::((?:\w+::)*\w+): ", s["text"]) or [0, ""])[1]
    found = known.get(entity) or known.get("comm::" + entity, []) if " is needed" not in s["text"] else []
    found = sorted((e for e in found if not re.match("a |from ", e[1])), key=lambda e: (", in which" in e[1], e[0] != s["header"]))
    if not words and not found:
        words = REMEDIES.get(s["header"], "")
    # Of an Example the code, without the words after it.
    return words, re.split(r" (?:is|are|keeps|runs|in|with|->|of std::.*)(?: |$)", found[0][1].replace("`", ""))[0] if found else ""


THROWN = re.compile(r"\b(?:error|fail)\($")  # what follows is a sentence, or follows the name of a file


def without_comments(text):
    return re.sub(r"^(\s*)//.*$|(?<=[;{}),]) +// .*$", r"\1", text, flags=re.M)


def joined(text):
    """The literals of an expression: those side by side are one, and other code between two is "...". """
    out, end = "", None
    for literal in LITERAL.finditer(text):
        if out and SENTENCE.match(literal[1]):  # another sentence, as in a choice of two
            return out
        if end is not None and text[end:literal.start()].strip():
            out += "..."
        out += literal[1].replace('\\"', '"').replace("\\n", " ")
        end = literal.end()
    return out + ("..." if text[end:].strip(" \n)}") else "")


def sentences(root):
    """Dictionaries of the header, the line and the text of every sentence of include/, in the order of the headers."""
    out = []
    include = root / "include" / "ashlar"
    for path in sorted(include.rglob("*.[hi]pp")):
        text = without_comments(path.read_text(encoding="utf-8"))
        for literal in LITERAL.finditer(text):
            before = text[max(0, literal.start() - 200):literal.start()].rstrip()
            if not SENTENCE.match(literal[1]) and not THROWN.search(before):
                continue
            if before.endswith(('"', "fence(")):  # the rest of a sentence, or a name for tools
                continue
            # The expression goes on to the end of the statement or of the arguments; a line #error has one literal.
            depth, i = 0, literal.end()
            if before.rstrip("\\ \n").endswith("#error"):
                depth = -1
            quoted = False
            while i < len(text) and depth >= 0 and (depth or quoted or text[i] not in ",;"):
                if text[i] == '"' and text[i - 1] != "\\":
                    quoted = not quoted
                elif not quoted:
                    depth += (text[i] in "([{") - (text[i] in ")]}")
                i += 1
            sentence = joined(text[literal.start():i])
            if len(re.findall(r"[\w.]+", sentence.partition(": ")[2] if SENTENCE.match(sentence) else sentence)) < 3:
                continue  # the name of an array or of a region
            begins = SENTENCE.match(literal[1])
            if begins and not begins[1] and "; " not in sentence and not THROWN.search(before):
                continue  # the name of what ranks compare
            out.append({"header": str(path.relative_to(include)), "line": text.count("\n", 0, literal.start()) + 1,
                        "text": sentence})
    return out


def expected_of_compiler(root):
    """What the compiler has to print about programs of tests/fail, with the program's path."""
    return [(text, path) for path in sorted((root / "tests" / "fail").rglob("*.cpp")) for mistake in must_fail.mistakes(path)[1] for text in mistake.texts]


def test_cases(root):
    """Triples of a file, the name of a test case, and its lines."""
    out = []
    for kind in ["unit", "mpi", "threads", "harness", "files", "checkpoint", "attack", "examples", "lifetimes", "cmake"]:
        for path in sorted((root / "tests" / kind).rglob("*")):
            if path.suffix not in {".cpp", ".sh", ".hpp"}:
                continue
            name, lines = path.stem, []
            text = re.sub(r"^TEST_CASE\(\n\s*", "TEST_CASE(", path.read_text(encoding="utf-8"), flags=re.M)
            for line in text.splitlines() + ["TEST_CASE("]:
                case = re.match(r'TEST_CASE\((?:"(.*?)")?', line)
                if case:
                    out.append((path, name, lines))
                    name, lines = case[1] or path.stem, []
                lines.append(line)
    return out


def words(text):
    return re.sub(r"\s+", " ", text.replace('\\"', '"'))


WORD = re.compile(r"[\w^']+")


def number_of_words(text):
    return len(WORD.findall(text))


def inside_word(text, k):
    return 0 < k < len(text) and text[k - 1].isalnum() and text[k].isalnum()


def reason_of(text):
    """Why no test has a sentence, or ""."""
    return next((reason for begin, reason in NOT_TESTED.items() if text.startswith(begin)), "")


def words_of(literal, pieces):
    """How many words of a sentence a literal of a test has, with values in place of "..."; 0 if it has too few of them to mean this sentence."""
    total = sum(map(number_of_words, pieces))

    def follows(rest, i, counts):  # `rest` comes after all of piece i - 1
        if i < len(pieces):
            at = rest.find(pieces[i])
            if at >= 0:
                return follows(rest[at + len(pieces[i]):], i + 1, counts + [number_of_words(pieces[i])])
            ends = [k for k in range(1, len(pieces[i])) if rest.endswith(pieces[i][:k]) and not inside_word(pieces[i], k)]
            counts = counts + [number_of_words(pieces[i][:k]) for k in ends[-1:]]
        run, all_of_them = max(counts, default=0), sum(counts)
        return all_of_them if run >= 4 or 3 * run >= max(total, 9) or all_of_them >= min(max(4, total / 3), total) else 0

    found = [number_of_words(literal) for piece in pieces if literal in piece]
    for i, piece in enumerate(pieces):
        found.append(follows(literal, i, []))
        found += [follows(literal[len(piece) - k:], i + 1, [number_of_words(piece[k:])])
                  for k in range(len(piece)) if literal[:1] == piece[k] and literal.startswith(piece[k:]) and not inside_word(piece, k)]
    return max(found, default=0)


def provoked(root, found=None):
    """The sentences, each with "compiler" (a program of tests/fail) and "test" (file, name, line of the literal) or None."""
    found = sentences(root) if found is None else found
    of_compiler, literals, texts = expected_of_compiler(root), [], {}
    for path, name, lines in test_cases(root):
        texts[path] = texts.get(path, "") + "\n".join(lines)
        for number, line in enumerate(lines):
            literals += [(words(l[1]), path, name, lines, number) for l in LITERAL.finditer(line) if len(l[1].split()) >= 3]
    vocabulary = {text: set(WORD.findall(text)) for text, *_ in literals}
    for s in found:
        pieces = [p for p in map(words, s["text"].split("...")) if p.strip()]
        entity = (re.match(r"ashlar::(?:\w+::)*(\w+)", s["text"]) or [0, ""])[1]
        layer = s["header"].partition("/")[0]
        near = {"io", "data", "checkpoint"} if layer in {"io", "data", "checkpoint"} else {layer}
        s["compiler"] = next((path for text, path in of_compiler if text in s["text"]), None)
        fitting, own, total = [], set(WORD.findall(s["text"])), sum(map(number_of_words, pieces))
        naming = {path for path, of_test in texts.items() if entity in of_test}
        for text, path, name, lines, n in literals:
            if path not in naming or len(own & vocabulary[text]) < min(3, total):
                continue
            is_same = path.parents[1].name not in {"unit", "mpi"} or path.parent.name == layer
            is_near = is_same or path.parent.name in near
            begins = is_near and not pieces[0].startswith("expected") and text.startswith(pieces[0])
            enough = 1 if entity or begins else min(4, (total + 1) // 2) if is_same else 5 if is_near else 8
            count = words_of(text, pieces)
            if count >= enough:
                fitting.append((count, is_same, -len(fitting), (path, name, lines, n)))
        s["test"] = max(fitting)[3] if fitting else None
    return found


def code_of(lines, number):
    """The statement that holds a line, at most 8 lines."""
    first = number
    while first > 0 and number - first < 5:
        code = LITERAL.sub("", "\n".join(lines[first:number + 1]))
        if code.count("(") >= code.count(")") and re.search(r"[;{}]\s*(//.*)?$", lines[first - 1]):
            break
        first -= 1
    last = number
    while last + 1 < len(lines) and last - first < 7 and not re.search(r";\s*(//.*)?$", lines[last]):
        last += 1
    shown = lines[first:last + 1]
    indent = min((len(l) - len(l.lstrip()) for l in shown if l.strip()), default=0)
    return "\n".join(l[indent:] for l in shown)


def plain(text):
    return re.sub(r"([<>*_`\[\]|$\\])", r"\\\1", text)


def target(s):
    """The name by which other pages link the entry of a sentence."""
    return re.sub(r"[^a-z0-9]+", "-", f"sentence-{s['header']}-{s['line']}".lower())


def write_pages(root, folder, found=None):
    """One page of sentences per layer, in MyST. Returns pairs of a sentence that has an entry and its target."""
    layers, known, entries = {}, examples(root), []
    for s in found or provoked(root):
        layers.setdefault(s["header"].split("/")[0] if "/" in s["header"] else "meta", {}).setdefault(s["text"], s)  # a sentence of several functions is shown once
    for layer, of_layer in layers.items():
        found = list(of_layer.values())
        at_run_time = [s for s in found if s["test"] and not s["compiler"]]
        out = [f"# Sentences: {layer}\n", "The errors of this layer. Errors of the run time have the statement of a test that provokes them or compares the text, then what to write instead. "
               "`said`, `refused` and the like are functions of the test that return the sentence. "
               "\"Right\" is the example of the function in the reference. `...` is a value that the program knows. A file or a function may precede a sentence.\n"]
        for s in at_run_time:
            path, name, lines, number = s["test"]
            entries.append((s["text"], target(s)))
            out += [f"({target(s)})=\n## {plain(s['text'])}\n", f"`{s['header']}`. Wrong, in the test \"{plain(name)}\" of `{path.relative_to(root)}`:\n",
                    f"```{'bash' if path.suffix == '.sh' else 'cpp'}\n" + code_of(lines, number) + "\n```\n"]
            words, code = remedy_of(s, known)
            out += [f"Instead: {words}\n"] if words else []
            out += ["Right:\n", f"```cpp\n{code}\n```\n"] if code else []
        rest = [s for s in found if s not in at_run_time]
        if rest:
            out += ["## All other sentences\n", "| sentence | header | shown by, or why no test shows it |", "|---|---|---|"]
            out += [f"| {plain(s['text'])} | `{s['header']}` | {plain(s['compiler'].stem.replace('_', ' ')) if s['compiler'] else reason_of(s['text'])} |"
                    for s in rest]
        (folder / f"sentences_{layer}.md").write_text("\n".join(out) + "\n", encoding="utf-8")
    return entries


def write_list(folder, entries):
    """A page of all sentences that have an entry, in alphabetical order."""
    lines = [f"- [{plain(text)}]({name})" for text, name in sorted(set(entries))]
    head = "# All errors, by sentence\n\nEach sentence of the compiler and of the run time links the program that provokes it, and what to write instead.\n\n"
    (folder / "by_sentence.md").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
