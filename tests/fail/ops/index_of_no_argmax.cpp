// The index of elements that are no results of argmax.
// EXPECT: ashlar::element_index: the elements are no pairs of value and index; write element_index\(argmax\(x\)\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = element_index(argmax<1>(x));
#else
constexpr auto y = element_index(x);
#endif
