#!/usr/bin/env python3
"""pictures.py: draws the pictures of docs/pictures that are no layouts: a shard with its halo, SUMMA, and pipelines in time. tree.documents compares. draw_svg draws all pictures of layouts."""

import pathlib
import sys

sys.dont_write_bytecode = True
RANKS = ["#6bbaac", "#49a190", "#dcd87e", "#b9b148"]  # the colours of 2 x 2 ranks in pictures of draw_svg
LIGHT = ["#8dd3c7", "#ffffb3", "#bebada", "#fb8072"]
BEYOND = "#eeeeee"


def text(x, y, words, more=""):
    return f'<text x="{x}" y="{y}" dy=".35em"{more}>{words.replace("<", "&lt;").replace(">", "&gt;")}</text>\n'


def rectangle(x, y, width, height, fill, more=' stroke="black"'):
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}"{more}/>\n'


def arrow(x, y, dx, dy):
    return f'<path d="M{x} {y}l{dx} {dy}" stroke="black" stroke-width="2" marker-end="url(#head)"/>\n'


def picture(width, height, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13" text-anchor="middle">\n'
            '<marker id="head" markerWidth="8" markerHeight="8" refY="4" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>\n' + body + "</svg>\n")


MONO = ' font-family="monospace"'
START = ' text-anchor="start"'
DASHED = ' stroke="black" stroke-width="3" stroke-dasharray="8 5"'


def halo():
    """A field of 6 x 8 cells on 2 x 2 ranks, and the cells that rank 0 stores."""
    cell, left, top = 32, 60, 90
    out = text(430, 20, 'layout<halo("y", 1), halo("x", 1, 2, boundary::mirror, boundary::zero)>', MONO)
    out += text(left + 4 * cell, 46, "the field: 6 x 8 cells on 2 x 2 ranks")
    for rank in range(4):
        out += rectangle(left + rank % 2 * 4 * cell, top + rank // 2 * 3 * cell, 4 * cell, 3 * cell, RANKS[rank])
        out += text(left + (rank % 2 * 4 + 2 + rank % 2) * cell, top + (rank // 2 * 3 + 1.5) * cell, str(rank))
    out += rectangle(left - cell, top - cell, 7 * cell, 5 * cell, "none", DASHED)
    cell, left, top = 56, 420, 64
    out += text(left + 3.5 * cell, 46, "rank 0 stores 5 x 7 cells")
    parts = [(0, 0, 1, 7, BEYOND), (1, 0, 4, 1, BEYOND), (1, 1, 3, 4, RANKS[0]), (1, 5, 3, 2, RANKS[1]), (4, 1, 1, 4, RANKS[2]), (4, 5, 1, 2, RANKS[3])]
    for row, column, rows, columns, colour in parts:
        x, y = left + column * cell, top + row * cell
        out += rectangle(x, y, columns * cell, rows * cell, colour, ' stroke="none"')
        out += "".join(f'<path d="M{x + k * cell} {y}v{rows * cell}" stroke="white"/>\n' for k in range(1, columns))
        out += "".join(f'<path d="M{x} {y + k * cell}h{columns * cell}" stroke="white"/>\n' for k in range(1, rows))
        out += rectangle(x, y, columns * cell, rows * cell, "none")
    out += rectangle(left, top, 7 * cell, 5 * cell, "none", DASHED)
    out += text(left + 3.5 * cell, top + cell / 2, "above the field, width 1: boundary::zero, so 0")
    out += text(left + cell / 2, top + 3 * cell, "width 1: boundary::mirror, so cell 0", f' transform="rotate(-90 {left + cell / 2} {top + 3 * cell})"')
    out += text(left + 3 * cell, top + 2.5 * cell, "owned: 3 x 4 cells")
    out += text(left + 6 * cell, top + 2.3 * cell, "of rank 1") + text(left + 6 * cell, top + 2.7 * cell, "width 2")
    out += text(left + 3 * cell, top + 4.5 * cell, "of rank 2, width 1")
    out += text(left + 6 * cell, top + 4.3 * cell, "corner") + text(left + 6 * cell, top + 4.7 * cell, "of rank 3")
    return picture(840, 364, out)


def summa():
    """One step of SUMMA on 2 x 2 ranks."""
    size, out = 200, ""
    for k, name in enumerate(["A", "B", "C"]):
        left, top = 50 + 280 * k, 50
        out += text(left + size / 2, 24, name, MONO)
        for rank in range(4):
            out += rectangle(left + rank % 2 * 100, top + rank // 2 * 100, 100, 100, RANKS[rank])
            out += text(left + rank % 2 * 100 + 70, top + rank // 2 * 100 + 70, str(rank))
        hatch = ' stroke="black" stroke-width="3"'
        if name == "A":
            out += rectangle(left, top, 30, size, "url(#panel)", hatch)
            out += "".join(arrow(left + 34, top + y, 80, 0) for y in (40, 140)) + text(left + size / 2, 270, "a panel of columns goes along the rows")
        elif name == "B":
            out += rectangle(left, top, size, 30, "url(#panel)", hatch)
            out += "".join(arrow(left + x, top + 34, 0, 80) for x in (40, 140)) + text(left + size / 2, 270, "a panel of rows goes along the columns")
        else:
            out += text(left + size / 2, 270, "each rank adds the product of its panels")
    out += text(290, 150, "x", ' font-size="20"') + text(570, 150, "=", ' font-size="20"')
    return picture(860, 290, '<pattern id="panel" width="8" height="8" patternUnits="userSpaceOnUse"><path d="M0 8L8 0" stroke="black"/></pattern>\n' + out)


def pipeline():
    """Both schedules of 3 stages and 4 microbatches."""
    stages, n, width, height, left, out = 3, 4, 52, 40, 90, ""
    ticks = n + stages - 1
    gpipe = [(s, s + i, "F", i) for s in range(stages) for i in range(n)] + [(s, 2 * ticks - 1 - s - i, "B", i) for s in range(stages) for i in range(n)]
    # A tick has one microbatch forward and one backward.
    lockstep = [(s, s + i, "F", i) for s in range(stages) for i in range(n)] + [(s, 2 * (stages - 1) - s + i, "B", i) for s in range(stages) for i in range(n)]
    for name, top, cells, halves in [("gpipe", 50, gpipe, False), ("one_forward_one_backward", 240, lockstep, True)]:
        out += text(left, top - 26, name, MONO + START)
        last = max(t for _, t, _, _ in cells) + 1
        for s in range(stages):
            out += text(left - 8, top + (s + 0.5) * height, f"stage {s}", ' text-anchor="end"')
            for t in range(last):
                out += rectangle(left + t * width, top + s * height, width, height, "white", ' stroke="#aaaaaa"')
        for s, t, way, i in cells:
            h = height / 2 if halves else height
            y = top + s * height + (h if halves and way == "B" else 0)
            out += rectangle(left + t * width, y, width, h, LIGHT[i], ' stroke="black"' + (' stroke-dasharray="4 3"' if way == "B" else ""))
            out += text(left + (t + 0.5) * width, y + h / 2, f"{way}{i}")
        out += text(left + last * width / 2, top + stages * height + 16, f"time: {last} ticks")
    out += text(left, 408, "F0: microbatch 0 forward. B0: microbatch 0 backward.", START)
    return picture(left + 2 * ticks * width + 20, 430, out)


def drawn():
    """The text of each picture, by the name of its file."""
    return {"halo.svg": halo(), "summa.svg": summa(), "pipeline.svg": pipeline()}


if __name__ == "__main__":
    for name, svg in drawn().items():
        (pathlib.Path(__file__).resolve().parents[1] / "pictures" / name).write_text(svg, encoding="utf-8")
