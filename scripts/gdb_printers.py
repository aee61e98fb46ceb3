"""Printers of ashlar's values for gdb, in the words of programs: literals, layouts, extents and tensors. In gdb, or in ~/.gdbinit:

    source ASHLAR_FOLDER/scripts/gdb_printers.py

Types are decoded as by scripts/explain."""

import importlib.machinery
import importlib.util
import pathlib
import re
import sys

import gdb
import gdb.printing

sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader("explain", str(pathlib.Path(__file__).resolve().parent / "explain"))
explain = importlib.util.module_from_spec(importlib.util.spec_from_loader("explain", _loader))
_loader.exec_module(explain)


def enumerator(found):
    """(ashlar::boundary)5 as the enumerator that it is: ashlar::boundary::periodic."""
    try:
        return next((f.name for f in gdb.lookup_type(found[1]).fields() if f.enumval == int(found[2])), found[0])
    except gdb.error:
        return found[0]


def type_text(of):
    """A type in the words of programs. gdb writes a cast before each character of a name, and gdb 16 the character as a number. It writes an
    enumerator as a cast of its number."""
    if of.code == gdb.TYPE_CODE_REF:
        of = of.target()
    characters = re.sub(r"\(char\)(\d+)", lambda found: f"'{chr(int(found[1]))}'", str(of.strip_typedefs().unqualified()))
    return explain.decode(re.sub(r"\((ashlar::[\w:]+)\)(\d+)", enumerator, characters.replace("(char)", "")))


def extents_of(shape):
    return "(" + ", ".join(str(int(shape["extent"][d])) for d in range(int(shape["rank"]))) + ")"


class literal_printer:
    """A literal: "data", "ik,kj->ij", none."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        members = ", ".join(str(int(self.value[name])) for name in ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "size"])
        of = self.value.type.strip_typedefs().unqualified()
        kind = "dimension" if "dimension" in str(of.template_argument(0)) else "equation"
        return explain.LITERAL.sub(explain.literal, f"{kind}{{{members}}}")


class layout_printer:
    """A layout, with or without halos, all of which is its type."""

    def __init__(self, value):
        self.type = value.type

    def to_string(self):
        return type_text(self.type)


class shape_printer:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return extents_of(self.value)


class tensor_printer:
    """The type of elements, the layout and the global extents of a tensor; the elements are in x.data()."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        of = self.value.type.strip_typedefs()
        element, layout = (type_text(of.template_argument(i)) for i in (0, 1))
        return f"sharded_tensor<{element}, {layout}> {extents_of(self.value['extents_'])}"


printers = gdb.printing.RegexpCollectionPrettyPrinter("ashlar")
printers.add_printer("literal", r"^ashlar::literal<", literal_printer)
printers.add_printer("layout", r"^ashlar::(layout_detail::)?basic_(layout|partial|haloed)<", layout_printer)
printers.add_printer("shape", r"^ashlar::shape$", shape_printer)
printers.add_printer("tensor", r"^ashlar::sharded_tensor<", tensor_printer)
gdb.printing.register_pretty_printer(None, printers, replace=True)
