"""plot_logs.py PROGRAM: the curves that plot draws of a log are the numbers of the file, read back from the picture by its own ticks; a file that has
other than numbers is refused in one sentence."""

import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
program = sys.argv[1]


def run(*arguments):
    return subprocess.run([sys.executable, program, *map(str, arguments)], capture_output=True, text=True, check=False)


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def line_through(ticks):
    """The map from pixels to numbers that two ticks, the furthest apart, give."""
    (p, a), (q, b) = min(ticks), max(ticks)
    check(p != q and a != b, f"two ticks or more: {ticks}")
    return lambda z: a + (z - p) * (b - a) / (q - p)


def curves_of(path, panels):
    """For each panel its curves, of each the points of its pieces, as numbers."""
    root = xml.parse(path).getroot()
    width, height = (float(root.get(k)) for k in ("width", "height"))
    frames = [e.get("d") for e in root.iter(SVG + "path")]
    check(len(frames) == panels, f"{len(frames)} panels, not {panels}")
    result = []
    for d in frames:
        top = float(d[1:].split("V")[0].split()[1])
        bottom = float(d.split("V")[1].split("H")[0])
        inside = lambda y: top - 30 <= y <= bottom + 25
        texts = [(float(e.get("x")), float(e.get("y")), e) for e in root.iter(SVG + "text") if inside(float(e.get("y")))]
        y_ticks = [(y - 4, float(e.text)) for _, y, e in texts if e.get("text-anchor") == "end"]
        x_ticks = [(x, float(e.text)) for x, y, e in texts if e.get("text-anchor") == "middle" and y < bottom + 25 and is_number(e.text)]
        to_x, to_y = line_through(x_ticks), line_through(y_ticks)
        pieces = {}
        for e in root.iter(SVG + "polyline"):
            points = [tuple(map(float, p.split(","))) for p in e.get("points").split()]
            if top <= points[0][1] <= bottom:
                check(all(0 <= x <= width and 0 <= y <= height for x, y in points), "points inside the picture")
                pieces.setdefault(e.get("stroke"), []).append([(to_x(x), to_y(y)) for x, y in points])
        result.append(list(pieces.values()))
    return result


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    rows = [(e, 2.0 / e, 2.5 / e + 0.1, 1 - 0.7 / e, 1e-5 * e) for e in range(1, 13)]
    rows[4] = (5, 2.0 / 5, math.nan, 1 - 0.7 / 5, 5e-5)
    file = folder / "run <1> & more.csv"
    file.write_text("epoch,loss,val_loss,accuracy & <others>,rate\n" + "".join(",".join(f"{x:.17g}" for x in r) + "\n" for r in rows))
    done = run(file)
    check(done.returncode == 0, done.stderr)
    found = curves_of(file.with_suffix(".svg"), 3)
    expected = [[1, 2], [3], [4]]
    for panel, columns in zip(found, expected):
        check(len(panel) == len(columns), f"{len(panel)} curves, not {len(columns)}")
        for pieces, c in zip(panel, columns):
            values = [(r[0], r[c]) for r in rows if math.isfinite(r[c])]
            points = [p for piece in pieces for p in piece]
            check(len(pieces) == (2 if len(values) < len(rows) else 1), "a curve is broken where a number is none")
            check(len(points) == len(values), f"{len(points)} points, not {len(values)}")
            size = max(v for _, v in values) - min(v for _, v in values)
            for (x, y), (e, v) in zip(points, values):
                check(abs(x - e) < 0.05 and abs(y - v) < 0.005 * size, f"({x}, {y}) for ({e}, {v})")
    check(run(file, "-").stdout == file.with_suffix(".svg").read_text(), "the same picture on the standard output")

    (folder / "one.csv").write_text("epoch,loss\n1,0.5\n")
    xml.fromstring(run(folder / "one.csv", "-").stdout)
    (folder / "flat.csv").write_text("epoch,loss\n1,nan\n2,nan\n3,inf\n")
    xml.fromstring(run(folder / "flat.csv", "-").stdout)
    (folder / "wide.csv").write_text("epoch,loss\n1,-8e307\n2,8e307\n")
    xml.fromstring(run(folder / "wide.csv", "-").stdout)

    for text, sentence in {
        "": "expected a line of names",
        "epoch,loss\n": "expected a line of names",
        "epoch\n1\n": "expected 2 columns or more, found 1",
        "epoch,loss\n1,2\n3\n": "line 3: expected 2 numbers, found 1",
        "epoch,loss\n1,-1e308\n2,1e308\n": "expected numbers of at most 8e+307, found 1e+308",
        "epoch,loss\n1,0\n2,1.79e308\n": "expected numbers of at most 8e+307, found 1.79e+308",
        "epoch,loss\n1,-1.79e308\n": "expected numbers of at most 8e+307, found -1.79e+308",
        "epoch,loss\n1,high\n": "line 2: expected numbers, found 1,high",
    }.items():
        (folder / "bad.csv").write_text(text)
        done = run(folder / "bad.csv")
        check(done.returncode != 0 and sentence in done.stderr and done.stderr.count("\n") == 1, f"{sentence}; found {done.stderr}")
    done = run(folder / "nowhere.csv")
    check(done.returncode != 0 and "cannot be read" in done.stderr, done.stderr)
    done = run(folder / "one.csv", folder / "nowhere" / "x.svg")
    check(done.returncode != 0 and "cannot be written" in done.stderr, done.stderr)
print("curves are the numbers of the file")
