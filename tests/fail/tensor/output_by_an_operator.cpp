// A tensor sent to a stream by one rank or by all: only print tells which ranks take part.
// EXPECT: ashlar::print: a tensor is printed by all ranks together
// ONE ERROR
#include "ashlar/tensor/print.hpp"
#include "ashlar/tensor/tensor.hpp"
#include <iostream>

using namespace ashlar;

void show(sharded_tensor<float, layout<"data">> const& x) {
#ifdef ASHLAR_CONTROL
  print(std::cout, x);
#else
  std::cout << x << "\n";
#endif
}
