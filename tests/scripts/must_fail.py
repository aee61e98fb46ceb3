#!/usr/bin/env python3
"""must_fail.py SOURCE COMPILER FLAG...: passes if COMPILER finds in SOURCE exactly the errors that its comments name.

A mistake is a namespace, with the right form first. The wrong form follows a comment with a part of what the compiler has to print:
    // error: ashlar::slice: ...                 one error
    // error on each line: ashlar::slice: ...    one error for each line before the next }
    // 3 errors: ashlar::slice: ...              three errors
    // error (clang): ...                        one error, by clang alone; so for (g++)
The error, one of its notes or the quoted line of a throw has the text. Its lines in SOURCE, such as "required from here", include one between the
comment and the next one, or the next namespace: no mistake has the sentence of another one. There are no other errors, so the right forms compile.
In a source with a line "// more errors: WHY", or "// more errors (clang): WHY", other errors may follow the sentences, and lines do not count.
(After an error in a constant, or in an argument of a template, a compiler may say the same of the whole.)"""

import dataclasses
import itertools
import os
import pathlib
import re
import subprocess
import sys

COMMENT = re.compile(r"\s*// (?:error|(\d+) errors)( on each line)?(?: \((g\+\+|clang)\))?: (.*)")
MORE = re.compile(r"// more errors(?: \((g\+\+|clang)\))?: .", re.M)
# Errors about the whole of which a part had an error: an argument or a function, and in a source a constant.
ECHO = re.compile(r"template argument (?:\d+ is invalid|is not a constant)|'(?:static )?constexpr .*' called in a constant expression")
ECHO_IN_SOURCE = re.compile(r"constexpr variable '.*' must be initialized by a constant|non-constant condition for static assert|is not an integral constant")
QUOTED = re.compile(r" *\d* \| ")
LIMITS = {"g++": ["-fmax-errors=0"], "clang": ["-ferror-limit=0", "-fconstexpr-backtrace-limit=0"]}


@dataclasses.dataclass
class Expected:
    text: str
    lines: range  # of the wrong form


@dataclasses.dataclass
class Mistake:
    name: str  # of the namespace
    comment: str
    code: str  # of the namespace
    texts: list  # of the comments
    lines: range


@dataclasses.dataclass
class Error:
    head: str  # the line with "error: "
    printed: list  # all lines of its notes, of the code and of the calls that led to it
    lines: set  # of the source


def family(compiler):
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    return "clang" if "clang" in version else "g++"


def mistakes(path):
    """What the mistakes of a source share, and the mistakes. A source without a namespace has one, of its own name."""
    lines = path.read_text(encoding="utf-8").splitlines()
    out, end, shared = [], 0, len(lines)
    for number, line in enumerate(lines):
        opens = re.match(r"namespace (\w+) \{", line)
        if not opens or number < end:
            continue
        end = number + 1 + lines[number:].index(f"}}  // namespace {opens[1]}")
        begin = number
        while lines[begin - 1].startswith("//"):
            begin -= 1
        shared = min(shared, begin)
        out.append(Mistake(opens[1], " ".join(text[3:] for text in lines[begin:number]), "\n".join(lines[number:end]), [], range(number + 1, end + 1)))
    out = out or [Mistake(path.stem, "", "\n".join(lines), [], range(1, len(lines) + 1))]
    for mistake in out:
        mistake.texts = [comment[4] for comment in map(COMMENT.match, mistake.code.splitlines()) if comment]
    return "\n".join(lines[:shared]).strip() if end else "", out


def expected(source, compiler_family):
    lines = source.splitlines()
    ends = [n for n, line in enumerate(lines, 1) if line.startswith("namespace ") or COMMENT.match(line)] + [len(lines) + 1]
    out = []
    for number, line in enumerate(lines, 1):
        comment = COMMENT.match(line)
        if not comment or comment[3] not in (None, compiler_family):
            continue
        begin = number + 1
        while COMMENT.match(lines[begin - 1]):  # several comments precede this form
            begin += 1
        wrong = range(begin, next(n for n in ends if n > begin))
        if comment[2]:
            statements = itertools.takewhile(lambda n: lines[n - 1].strip()[:1] not in ("", "}"), wrong)
            out += [Expected(comment[4], range(n, n + 1)) for n in statements]
        else:
            out += int(comment[1] or 1) * [Expected(comment[4], wrong)]
    return out


def errors(printed, source):
    """The errors of a compiler's output. g++ prints the calls that led to an error before it, clang prints them after it."""
    place = re.compile(rf"(?:In file included from |\s+from )?(?:\S*/)?{re.escape(pathlib.Path(source).name)}:(\d+)[:,]")
    out, before = [], []
    for line in printed.splitlines():
        if re.search(r":\s+(fatal )?error: ", line):
            out.append(Error(line, before, set()))
            before = []
        elif re.match(r"In file included from|\s+from |\S+: (In|At) |\S+:\d+:\d+:\s+(required|in 'constexpr'|recursively required)", line):
            before.append(line)
            continue
        elif not out:
            before = []
            continue
        out[-1].printed += before + [line]
        before = []
    for last, error in zip([None, *out], out):
        error.lines = {int(m[1]) for m in map(place.match, error.printed) if m}
        if last and error.printed[0] == error.head and not error.lines:  # g++ repeats neither the calls nor the code
            error.lines = last.lines
        if last and last.head.split(" ")[0] == error.head.split(" ")[0] and not any(map(QUOTED.match, error.printed)):
            error.printed += filter(QUOTED.match, last.printed)
    return out


def compiled(source, compiler, **where):
    """What the compiler prints, in whole."""
    command = [*compiler, *LIMITS[family(compiler[0])], "-ftemplate-backtrace-limit=0", "-fsyntax-only", "-Werror=unused-result", str(source)]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}, **where).stderr


def shows(error, text):
    return any(text in line.replace('\\"', '"') for line in error.printed if not COMMENT.search(line))


def echoes(error, e, source):
    """Whether it repeats an error that was found."""
    is_in_source = pathlib.Path(error.head.split(":")[0]).name == source.name
    return error.lines & set(e.lines) and (ECHO.search(error.head) or is_in_source and ECHO_IN_SOURCE.search(error.head))


def main():
    source, compiler = pathlib.Path(sys.argv[1]), sys.argv[2:]
    text, compiler_family = source.read_text(encoding="utf-8"), family(compiler[0])
    wanted = expected(text, compiler_family)
    more = any(m[1] in (None, compiler_family) for m in MORE.finditer(text))
    printed = compiled(source, compiler)
    found = errors(printed, source)
    faults, matched = [] if wanted else [f"{source}: no comment names an error"], []
    for e in wanted:
        fitting = next((f for f in found if shows(f, e.text) and (more or f.lines & set(e.lines))), None)
        if fitting:
            found.remove(fitting)
            matched.append(e)
        else:
            faults.append(f"{source}:{e.lines[0]}: no error of these lines has the text: {e.text}")
    if not more:
        faults += [f"no comment names this error: {f.head}" for f in found if not any(echoes(f, e, source) for e in matched)]
    if faults:
        print(printed, *faults, sep="\n")
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main())
