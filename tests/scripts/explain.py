"""explain.py PROGRAM ROOT [--all] COMPILER FLAG...: scripts/explain begins with the sentence, the user's line, and the axis and
layouts of a mistake, in the user's words. It reads what COMPILER prints about programs of tests/fail: some, or all with --all."""

import functools
import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import must_fail

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
every = sys.argv[3] == "--all"
compiler = sys.argv[4 if every else 3:]

# What the explanation of a mistake, layer/source/namespace, holds after the sentence.
EXPECTED = {
    "ops/einsum/one_sided_contraction": ['  at constexpr auto wrong = einsum<"ik,kj->ij">(a, make<float, layout<none, none>>(m, {4, 6}));', '  axis "data"',
                                  '  layouts layout<none, "data"> and layout<none, none>'],
    "ops/reduce/max_of_a_partial_sum": None,
    "ops/all_gather/of_one_of_two_block_cyclic_axes": None,
    "ops/collectives/operands_on_two_meshes": None,
    "ops/not_python/element_by_an_index": ['  at void wrong() { (void)x[3]; }', '  mesh mesh<axis<"data">>', '  layout layout<"data">'],
    "ops/not_python/tensor_to_a_stream": ['  at void wrong(std::ostream& out) { out << make<float, layout<"data">>(m, {8}); }', '  mesh mesh<axis<"data">>',
                               '  layout layout<"data">'],
    "ops/not_python/comparison_as_a_condition": ['  at constexpr int wrong() { return x > 0.f ? 1 : 0; }', '  mesh mesh<axis<"data">>', '  layout layout<"data">'],
    "ops/all_reduce/result_of_a_collective_dropped": None,
    "mesh/mesh/size_of_unknown_axis": ['  at inline constexpr int wrong = grid.size<"modle">();', '  axis "modle"',
                                  '  mesh mesh<axis<"data">, axis<"model">>'],
    "mesh/axis/of_two_names": ['  at using wrong = mesh<axis<axes("data", "model")>>;'],
    "mesh/axis/axis_none": ['  at using wrong = axis<none>;'],
    "layout/layout/axis_shards_two_dimensions": ['  at using wrong = layout<"data", "data">;', '  layout layout<"data", "data">'],
    "layout/layout/names_joined_by_a_comma": None,
    "layout/equation/without_arrow": [
        '  at inline constexpr layout_detail::einsum_equation wrong = layout_detail::parse("ik,kj");'],
    "plan/make/negative_extent": ['  at constexpr auto wrong = make<float, layout<"data">>(m, {-1});', '  layout layout<"data">'],
    "plan/draw/draw_svg_between_other_numbers_of_dimensions": [
        '  at void wrong(std::ostream& out) { draw_svg<layout<"x", none>, layout<"x">>(out, mesh<axis<"x">>{{2}}, {4, 4}); }',
        '  layouts layout<"x", none> and layout<"x">'],
    "ops/arange/full_of_a_halo": ['  at constexpr auto wrong = full<double, fresh<field>>(m, {8, 8}, 1.);', '  mesh mesh<axis<"y">, axis<"x">>', '  layout fresh<layout<halo("y", 1), halo("x", 1)>>'],
    "mesh/mesh/of_names": ['  at using wrong = mesh<"data", "model">;'],
    "layout/layout/number_as_dimension": ['  at using wrong = layout<"data", 0>;'],
    "autodiff/parameters/without_names": ['  at auto [value, gradients] = value_and_grad<"data">(loss)(p, make<float, layout<"data", none>>(m, {6, 8}));',
                                          '  mesh mesh<axis<"data">>', '  layouts layout<none, none> and layout<none>'],
    "autodiff/value_and_grad/loss_is_replicated": None,
    "autodiff/parameters/parameter_partial_by_a_maximum": None,
}
# clang names no layout in notes about calls of constexpr functions.
NAMED_BY_GCC_ALONE = {"plan/make/negative_extent"}
INTERNAL = re.compile(r"basic_|_detail|axis_name|literal<|split<|\d{7}|whole[,>]")


def explain(text):
    return subprocess.run([sys.executable, program], input=text, capture_output=True, text=True, check=True).stdout.splitlines()


@functools.cache
def compiled(source):
    return must_fail.errors(must_fail.compiled(source, compiler), source)


def faults(name):
    folder, _, mistake_name = name.rpartition("/")
    source = root / "tests" / "fail" / (folder + ".cpp")
    mistake = next(m for m in must_fail.mistakes(source)[1] if m.name == mistake_name)
    error = next(e for e in compiled(source) if e.lines & set(mistake.lines) and any(must_fail.shows(e, text) for text in mistake.texts))
    printed = "\n".join(error.printed)
    lines = explain(printed)
    head = lines[:lines.index("")]
    # Without the user's own line, and without sentences of the headers, which say "whole" in its usual sense.
    types = "\n".join([line for line in head[:1] if not line.startswith("ashlar::")] + head[2:])
    sentences = set(re.findall(r"ashlar::[\w:<>]+: .*?(?=\"|$)", printed, re.M))
    # The test of the sentence itself is must_fail.py.
    if head[0].startswith("ashlar::") and len(sentences) == 1 and not any(text in head[0] for text in mistake.texts):
        yield "the first line is not the sentence"
    if len(head) > 5:
        yield "more than 5 lines precede the compiler's"
    if not head[1].startswith((f"  at {source}:", f"  in {source};")):
        yield "the second line does not name the program"
    if INTERNAL.search(types):
        yield "an internal spelling: " + INTERNAL.search(types)[0]
    errors = [line for line in printed.splitlines() if re.search("static assertion failed due|evaluates to false", line)]
    if re.search(r"basic_(layout|partial)<", "".join(errors[:1])) and "layout" not in "\n".join(head[2:]):
        yield "no layout"
    exact = EXPECTED.get(name)
    if name in NAMED_BY_GCC_ALONE and len(head) == 2:
        exact = exact[:1]
    if exact and [re.sub(r"  at \S+:\d+: ", "  at ", line) for line in head[1:]] != exact:
        yield "not the expected lines:\n" + "\n".join(exact)


names = sorted(EXPECTED)
if every:
    names = [f"{source.parent.name}/{source.stem}/{mistake.name}" for source in sorted((root / "tests" / "fail").glob("*/*.cpp"))
             for mistake in must_fail.mistakes(source)[1] if not source.parent.name.startswith("without_")]
failed = 0
for name in names:
    for fault in faults(name):
        failed += 1
        print(f"{name}: {fault}")
# Calls of functions with other arguments, which no sentence of the headers can see: what the function takes is shown.
X = "basic_layout<ashlar::layout_detail::split<ashlar::meta_detail::axis_name<'x'> > >"
ROOM = "ashlar::layout_detail::room<1, 2, ashlar::boundary::mirror, ashlar::boundary::zero>"
OTHERS = [
    (f"""a.cpp:6:11: error: no matching function for call to 'save_npy(const char [6], ashlar::sharded_tensor<float, {X}>&)'
    6 |   save_npy("x.npy", x);
      |   ~~~~~~~~^~~~~~~~~~~~
/usr/include/ashlar/io/npy_files.hpp:146:6: note: candidate: 'template<class X> void ashlar::io::save_npy(const X&, const std::filesystem::__cxx11::path&, call_site)'""",
     ['ashlar::io::save_npy: no function of this name takes these arguments; write io::save_npy(m, "field.npy", u);', "  at a.cpp:6", '  layout layout<"x">',
      "  declared template<class X> save_npy(const X&, const std::filesystem::path&)"]),
    (f"""a.cpp:7:10: error: no matching function for call to 'loss'
  return loss(x);
         ^~~~
a.cpp:4:7: note: candidate function not viable: no known conversion from 'sharded_tensor<[...], {X}>' to 'const sharded_tensor<[...], basic_haloed<{X}, ashlar::layout_detail::halo_state::unfilled, {ROOM}>>' for 1st argument
float loss(tensor_of<field> const& x);""",
     ["no matching function for call to 'loss'", "  at a.cpp:7", '  layouts layout<"x"> and layout<halo("x", 1, 2, boundary::mirror, boundary::zero)>', "  declared loss(tensor_of<field> const& x)"]),
]
# A partial layout with a halo, and one that is not filled.
for state, shown in [("fresh", 'fresh<layout<halo("x", 1, 2, boundary::mirror, boundary::zero)>>'), ("unfilled", 'layout<halo("x", 1, 2, boundary::mirror, boundary::zero)>')]:
    terms = f"basic_haloed<basic_partial<{X}, ashlar::op::sum, ashlar::meta_detail::axis_name<'q'> >, ashlar::layout_detail::halo_state::{state}, {ROOM}>"
    OTHERS.append((f"a.cpp:6:11: error: no match for 'operator[]' (operand types are 'ashlar::sharded_tensor<float, ashlar::layout_detail::{terms} >' and 'int')",
                   ["ashlar::tensor: an element is on one rank or on several; write gather_all(x)[i] on all ranks, or x.view()(i) for the elements of this rank",
                    "  at a.cpp:6", f'  layout partial<{shown}, "q">']))
# The marks of g++ in a locale of UTF-8.
OTHERS.append((f"a.cpp:6:11: error: no match for ‘operator[]’ (operand types are ‘ashlar::sharded_tensor<float, {X} >’ and ‘int’)",
               ["ashlar::tensor: an element is on one rank or on several; write gather_all(x)[i] on all ranks, or x.view()(i) for the elements of this rank",
                "  at a.cpp:6", '  layout layout<"x">']))
# g++ 14 quotes each call on the way to the user's.
OTHERS.append((f"""/usr/include/ashlar/plan/draw_plan.hpp: In instantiation of 'void ashlar::planning::draw_svg(std::ostream&, int) [with From = {X}; To = {X}]':
/usr/include/ashlar/plan/draw_plan.hpp:64:21:   required from 'void ashlar::planning::draw_svg(std::ostream&, long) [with From = {X}; To = {X}]'
   64 |   draw_svg<From, To>(out, 1);
      |   ~~~~~~~~~~~~~~~~~~^~~~~~~~
a.cpp:13:68:   required from here
   13 | void show(std::ostream& out) {{ draw_svg<rows, rows>(out, 2l); }}
      |                                ~~~~~~~~~~~~~~~~~~~~^~~~~~~~~
/usr/include/ashlar/plan/draw_plan.hpp:52:28: error: static assertion failed: ashlar::planning::draw_svg: the layouts differ; give one""",
               ["ashlar::planning::draw_svg: the layouts differ; give one", "  at a.cpp:13", '  layout layout<"x">']))
# A header that is missing: the user's line is the one that includes ashlar.
MISSING = "ashlar::io::hdf5_file: HDF5 is needed and hdf5.h is not found; install it (on Debian libhdf5-openmpi-dev) and link ashlar::hdf5"
for printed in [f"""In file included from /usr/include/ashlar/io/hdf5_id.hpp:4,
                 from a.cpp:7:
/usr/include/ashlar/io/hdf5.hpp:4:2: error: #error "{MISSING}\"""", f"""In file included from a.cpp:7:
In file included from /usr/include/ashlar/io/hdf5_id.hpp:4:
/usr/include/ashlar/io/hdf5.hpp:4:2: error: "{MISSING}\""""]:
    OTHERS.append((printed, [MISSING, "  at a.cpp:7"]))
# A call whose arguments are written otherwise, a header that is missing, a tensor that is const, and one that is no number.
REDUCE = ['ashlar::all_reduce: no function of this name takes these arguments; write all_reduce<"data">(x): the axis is a template argument; several tensors and '
          'trees are one bundle, as in auto [g] = all_reduce<"data">(bundle(gradients))', "  at a.cpp:6"]
OTHERS += [
    (f"""a.cpp:6:22: error: no matching function for call to 'all_reduce(ashlar::sharded_tensor<double, {X}>&, const char [5])'
/usr/include/ashlar/ops/collectives.hpp:40:16: note: candidate: 'template<class X> constexpr auto ashlar::all_reduce(const X&, call_site)'""", REDUCE),
    ("""a.cpp:6:12: error: no matching function for call to 'all_reduce'
/usr/include/ashlar/ops/collectives.hpp:40:16: note: candidate template ignored: invalid explicitly-specified argument
constexpr auto all_reduce(X const& x) {""", REDUCE),
    ("""a.cpp:6:12: error: no matching function for call to 'all_reduce'
a.cpp:3:6: note: candidate function not viable: requires 2 arguments
void all_reduce(int, int);""", ["no matching function for call to 'all_reduce'", "  at a.cpp:6"]),
    ("a.cpp:6:3: error: 'adam' was not declared in this scope", ["ashlar::training::adam: its header is not included; include ashlar/ashlar.hpp or ashlar/train/optimizers/adam.hpp", "  at a.cpp:6"]),
    ("a.cpp:6:3: error: use of undeclared identifier 'checkpoint_part'", ["ashlar::io::checkpoint_part: its header is not included; include ashlar/checkpoint.hpp or ashlar/checkpoint/leaf.hpp", "  at a.cpp:6"]),
    ("a.cpp:6:3: error: use of undeclared identifier 'rows'", ["use of undeclared identifier 'rows'", "  at a.cpp:6"]),
    (f"a.cpp:6:5: error: no match for 'operator=' (operand types are 'const ashlar::sharded_tensor<float, {X} >' and 'ashlar::expression<float>')",
     ["ashlar::assign: the tensor is const; leave const out, or take it by T&", "  at a.cpp:6"]),
    (f"""a.cpp:6:5: error: no viable overloaded '='
/usr/include/ashlar/tensor/sharded_tensor.hpp:71:7: note: candidate function (the implicit copy assignment operator) not viable: 'this' argument has type 'const tensor_detail::tensor_on<float, {X}>', but method is not marked const
class sharded_tensor {{""", ["ashlar::assign: the tensor is const; leave const out, or take it by T&", "  at a.cpp:6"]),
    (f"a.cpp:6:5: error: cannot convert 'ashlar::sharded_tensor<double, {X}>' to 'double' in initialization",
     ["ashlar::tensor: a tensor is no number; write item(all_reduce(sum(x))) for the sum of its elements, and item(x) if it has no dimensions", "  at a.cpp:6"]),
    ("a.cpp:6:30: error: wrong number of template arguments (2, should be 1)\n    6 | device_mesh<\"data\", \"model\"> const m;",
     ['ashlar::device_mesh: its argument is a mesh; write device_mesh<mesh<axis<"data">, axis<"model">>>', "  at a.cpp:6"]),
    # An axis that the mesh lacks is named.
    (f"""a.cpp:6:12: error: static assertion failed: ashlar::sharded_tensor: the layout names an axis that the mesh does not have; add it
a.cpp:6:12: note: 'axes_missing_from_mesh<ashlar::mesh<ashlar::mesh_detail::basic_axis<ashlar::meta_detail::axis_name<'y'>, 0> >, {X} >::value' evaluates to false""",
     ["ashlar::sharded_tensor: the layout names an axis that the mesh does not have; add it", "  at a.cpp:6", '  axis "x"', '  mesh mesh<axis<"y">>', '  layout layout<"x">']),
    # g++ prints an error of line 9 first, if that of line 7 needs an instantiation.
    ("""a.cpp:9:3: error: static assertion failed: ashlar::item: the second
/usr/include/ashlar/ops/elementwise.hpp: In instantiation of 'constexpr auto ashlar::exp(const X&)':
a.cpp:7:5:   required from here
/usr/include/ashlar/ops/elementwise.hpp:30:9: error: static assertion failed: ashlar::exp: the first""", ["ashlar::exp: the first", "  at a.cpp:7"]),
]
OTHERS += [
    ("a.cpp:6:3: error: 'adam' was not declared in this scope; did you mean 'ashlar::training::adam'?", ["ashlar::training::adam: the name is in namespace ashlar::training; write ashlar::training::adam, or using namespace ashlar::training"]),
    ("a.cpp:6:3: error: 'fill' was not declared in this scope; did you mean 'std::fill'?", ["'fill' was not declared in this scope; did you mean 'std::fill'?"]),
    ("a.cpp:6:3: error: no member named 'hdf5_file' in namespace 'ashlar'", ["ashlar::io::hdf5_file: its header is not included; include ashlar/hdf5.hpp or ashlar/io/hdf5/files.hpp"]),
    ("a.cpp:6:30: error: type/value mismatch at argument 1 in template parameter list for 'template<class M> class ashlar::device_mesh'",
     ['ashlar::device_mesh: its argument is a mesh; write device_mesh<mesh<axis<"data">, axis<"model">>>']),
    ("""a.cpp:6:12: error: no matching function for call to 'update'
/usr/include/ashlar/ops/stencil_update.hpp:55:6: note: candidate template ignored: could not match
constexpr void update(F const& f) {""", ["no matching function for call to 'update'"]),
    (f"""a.cpp:6:20: error: no matching function for call to 'redistribute<app::rows>(ashlar::sharded_tensor<double, {X}>&, int)'
/usr/include/ashlar/ops/collectives.hpp:300:16: note: candidate: 'template<class To, class X> constexpr auto ashlar::redistribute(const X&, call_site)'""",
     ['ashlar::redistribute: no function of this name takes these arguments; write redistribute<layout<none, "data">>(x): the layout is a template argument']),
]
# Mistakes that no static_assert can see. An error of the user's line 5 goes before a sentence about line 6.
PARAMETERS_FIRST = 'ashlar::value_and_grad: gradients are by the first argument, and here it is a tensor; write value_and_grad<"data">(loss)(parameters, x, y), and the same order in loss'
NOT_HERE = "ashlar::pending: the result is not here before wait(); write auto [a, b] = p.wait(), or give p to stencil"
IN_A_TRAINER = "ashlar::training::sequential: layers and networks hold no parameters, and a trainer does; write t.predict(x) of a trainer t"
WITHOUT_AXIS = 'ashlar::training::model_parallel: its first argument is the axis that splits the batch; write model_parallel<"data", rule<"d1/kernel", layout<none, "model">>>'
AMBIGUOUS = "ashlar::log: the program, or another library, has this name too; write ashlar::log, or another name for yours"
RULE = 'ashlar::rule: this is another number of template arguments; write rule<"d1/kernel", layout<none, "model">>'
for printed, sentence in [
    (f"error: no match for 'operator[]' (operand types are 'const ashlar::active<ashlar::sharded_tensor<double, {X}>, 0>' and 'ashlar::member_name<1>')", PARAMETERS_FIRST),
    (f"error: 'const class ashlar::active<ashlar::sharded_tensor<double, {X}>, 0>' has no member named 'd1'", PARAMETERS_FIRST),
    (f"error: no member named 'd1' in 'ashlar::active<ashlar::sharded_tensor<double, {X}>, 0>'", PARAMETERS_FIRST),
    (f"error: cannot decompose inaccessible member 'ashlar::ops_detail::pending_halo<std::tuple<ashlar::sharded_tensor<double, {X}> > >::cells_' of 'ashlar::ops_detail::pending_halo<int>'", NOT_HERE),
    ("error: type 'ashlar::pending<int>' decomposes into 1 element, but 2 names were provided", NOT_HERE),
    ("error: no match for call to '(const ashlar::training::network_of_layers<1>) (int)'", IN_A_TRAINER),
    ("error: no matching function for call to object of type 'const ashlar::train_detail::dense_layer<1>'", IN_A_TRAINER),
    ("error: type/value mismatch at argument 1 in template parameter list for 'template<ashlar::dimension Batch, class ... Rules> using model_parallel = int'", WITHOUT_AXIS),
    ("error: template argument for non-type template parameter must be an expression\nusing S = model_parallel<rule<1>>;", WITHOUT_AXIS),
    ("error: reference to 'log' is ambiguous", AMBIGUOUS),
    ("error: reference to 'mine' is ambiguous", "reference to 'mine' is ambiguous"),
    ("error: 'fft' was not declared in this scope; did you mean 'ffs'?", "ashlar::fft: its header is not included; include ashlar/fft.hpp or ashlar/ops/fft/fft.hpp"),
    ("error: 'save_checkpoint' is not a member of 'ashlar::io'; did you mean 'run_checkpoints'?", "ashlar::io::save_checkpoint: its header is not included; include ashlar/checkpoint.hpp or ashlar/checkpoint/checkpoint.hpp"),
    ("error: wrong number of template arguments (3, should be 2)\n/usr/include/ashlar/train/strategies/strategy.hpp:38:8: note: provided for 'template<ashlar::text Key, class Layout> struct ashlar::training::rule'", RULE),
    ("error: too many template arguments for class template 'rule'\n/usr/include/ashlar/train/strategies/strategy.hpp:38:8: note: template is declared here", RULE),
    ("error: no matching function for call to 'minimum(double, double)'\n/usr/include/ashlar/ops/math.hpp:1:1: note: candidate: 'template<class A> constexpr auto ashlar::minimum(const A&)'",
     'ashlar::minimum: no function of this name takes these arguments; write minimum(1, x<layout<"data">>)'),
    ("error: reference to 'log' is ambiguous\na.cpp:6:5: error: static assertion failed: ashlar::exp: the second", AMBIGUOUS),
    ("error: static assertion failed: ashlar::exp: the first\na.cpp:5:5: error: reference to 'log' is ambiguous", "ashlar::exp: the first"),
    ('error: expression is no constant\n    5 |   throw error("ashlar::io::run_checkpoints: " + text);', "expression is no constant"),  # no empty sentence
]:
    OTHERS.append((f"a.cpp:5:3: {printed}", [sentence, "  at a.cpp:5"]))
# Names that no library has.
for name, target in [("fftw_alignment_of", "fft"), ("Cblacs_gridexit", "scalapack"), ("pdgetrf_", "scalapack"), ("H5Fopen", "hdf5"), ("cblas_dgemm", "blas"), ("ashlar::device_mesh", "compiled")]:
    OTHERS.append((f"/usr/bin/ld: a.o: in function `main':\na.cpp:(.text+0x10): undefined reference to `{name}'\ncollect2: error: ld returned 1 exit status",
                   [f"ashlar::{target}: its library is not linked; write target_link_libraries(program PRIVATE ashlar::{target})"]))
# Each public name has a header.
loader = importlib.machinery.SourceFileLoader("explain", program)
explanation = importlib.util.module_from_spec(importlib.util.spec_from_loader("explain", loader))
loader.exec_module(explanation)
for name in (root / "tests/public_names.txt").read_text().split():
    if "::" not in name and not explanation.undeclared(f"use of undeclared identifier '{name}'"):
        failed += 1
        print(f"{name}: no header is found")
for text, expected in OTHERS:
    found = explain(text)[:len(expected)]
    if found != expected:
        failed += 1
        print("not the expected lines:", *expected, "but:", *found, sep="\n")
# Literals of a halo, and those that clang indexes.
HALO = "ashlar::literal<ashlar::meta_detail::literal_kind::dimension>{{{0}, 0, 0, 0, 0, 0, 0, 0, 6}}".format(int.from_bytes(b"y#\x01\x02\x00\x05", "little"))
INDEXED = "axis_name<" + ", ".join(f"dimension{{{int.from_bytes(b'xx,data', 'little')}, 0, 0, 0, 0, 0, 0, 0, 7}}[3U + {i}UL]" for i in range(4)) + ">"
for text, expected in [(f"layout_of<true, {HALO}>", 'layout_of<true, halo("y", 1, 2, boundary::zero, boundary::periodic)>'), (f"mesh<basic_axis<{INDEXED}, 0>>", 'mesh<axis<"data">>')]:
    if expected not in explain(f"a.cpp:6:16: error: in {text}")[-1]:
        failed += 1
        print(f"{text} is not shown as {expected}")
edges = re.search(r"enum class boundary : unsigned char \{ (.*) \};", (root / "include/ashlar/layout/halo_cells.hpp").read_text())[1].split(", ")
if f"EDGES = {edges}".replace("'", '"') not in pathlib.Path(program).read_text():
    failed += 1
    print("EDGES differ from those of layout/halo_cells.hpp")
LINE = 'constexpr auto y = einsum<"ij,jk,kl->il">(a, b, c);'
if LINE not in explain(f"a.cpp:6:16: error: constexpr variable 'y' must be initialized by a constant expression\n{LINE}\n"):
    failed += 1
    print("a line of the program is changed")
if explain("ok\n") != ["ok"]:
    failed += 1
    print("output without an error does not pass unchanged")
print(f"{len(names)} programs, {failed} faults")
sys.exit(failed > 0)
