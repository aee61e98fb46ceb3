// A tensor is printed without a stream.
// EXPECT: ashlar::print: a tensor is printed to a stream; write print\(std::cout, x\) on every rank
// ONE ERROR
#include "ashlar/tensor/print.hpp"
#include "ashlar/tensor/tensor.hpp"

#include <iostream>

using namespace ashlar;
using line = mesh<axis<"x">>;
using rows = sharded_tensor<double, layout<"x", none>, line>;

#ifdef ASHLAR_CONTROL
void show(rows const& x) { print(std::cout, x); }
#else
void show(rows const& x) { print(x); }
#endif
