// Files, which need no BLAS.
#include <ashlar/io.hpp>
#include <zlib.h>

int main() { return zlibVersion()[0] == '1' ? 0 : 1; }
