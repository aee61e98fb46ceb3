// Common names that a program has at global scope before it includes the headers. Constructors and lambdas of the headers use none of
// them for a parameter or a variable: g++ would warn there by -Wshadow, and a program that includes the folder itself would not compile with -Werror.
extern int begin, block, blocks, box, column, columns, copy, count, data, end, field, fields, files, grid, group,
    height, id, image, images, input, items, iterations, kind, line, lines, m, mean, n, name, output, parameters, part,
    particles, path, points, position, result, results, root, row, rows, seed, shape, size, state, step, steps, sum,
    text, time_step, total, type, units, value, values, velocity, view, width, x, y, z;
#define ASHLAR_LINKS_FFT  // this source is compiled only
#define ASHLAR_LINKS_SCALAPACK
#include "ashlar/ashlar.hpp"
#include "ashlar/checkpoint.hpp"
#include "ashlar/data.hpp"
#include "ashlar/hdf5.hpp"
#include "ashlar/io.hpp"
#include "ashlar/layout.hpp"
#include "ashlar/scalapack.hpp"
#include "ashlar/tensor.hpp"
#include "ashlar/train.hpp"
#if __has_include(<fftw3.h>)
#include "ashlar/fft.hpp"
#endif
