// Names that a program has at global scope do not change what the headers mean: they call their own functions.
#pragma GCC diagnostic ignored "-Wshadow"
extern int all, at, axes, axis_sizes, begin_, block, blocks, buffer, call, column, columns, copy, count, data,
    destination, dim, elements, encode, extents, field, fields, fill, first, from, graph, grid, gather_all_of, held, in,
    key, last, layouts, left, line, lines, local, loops, loss, mask, materialize, mean, memory, model, name, names_of,
    network, note, order, out, owned, own, panel, part, parts, path, piece, plan, rank, ranks, rate, read_all,
    region_of, result, right, room, row, rows, rule, run, same, segment, shape_of, shard, side, size, sizes, source,
    stencils, step, steps, sum, sums, take, text, to, type, types, value, values, which, whole, width, work;
extern int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z;
#include "ashlar/ashlar.hpp"
