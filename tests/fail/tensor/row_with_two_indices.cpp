// A row of one whole label, read by two indices.
// EXPECT: ashlar::tensor_row: a row has one index for each whole label of its tensor
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
#ifdef ASHLAR_CONTROL
float first(tensor_row<float, 1> const& row) { return row(0); }
#else
float first(tensor_row<float, 1> const& row) { return row(0, 0); }
#endif
