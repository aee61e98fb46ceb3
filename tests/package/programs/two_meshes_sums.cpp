#include "two_meshes.hpp"

using namespace ashlar;

std::vector<double> sums_of_columns(rows const& x) { return unpack(all_reduce(sum<0>(x))); }
