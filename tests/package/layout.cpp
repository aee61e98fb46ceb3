// Uses layouts alone.
#include <ashlar/layout/layout.hpp>

using two_dimensional = ashlar::layout<"data", ashlar::none>;
static_assert(two_dimensional::rank == 2);

int main() {}
