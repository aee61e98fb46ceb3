// What the two source files of the program share.
#pragma once
#include <ashlar/ashlar.hpp>

using line = ashlar::mesh<ashlar::axis<"all">>;
using half = ashlar::mesh<ashlar::axis<"half">>;
using rows = ashlar::sharded_tensor<double, ashlar::layout<"all", ashlar::none>, line>;

/// The sums of the columns of x, computed in the other source file.
std::vector<double> sums_of_columns(rows const& x);
