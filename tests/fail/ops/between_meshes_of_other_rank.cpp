// A matrix taken to another mesh in a layout of vectors.
// EXPECT: ashlar::redistribute: the layout has another number of dimensions than the tensor
#include "ashlar/ops/between_meshes.hpp"

using namespace ashlar;
constexpr mesh<axis<"z">> line{{4}};
constexpr mesh<axis<"x">, axis<"y">> grid{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto y = redistribute<layout<"x", none>>(make<float, layout<"z", none>>(line, {8, 8}), grid);
#else
constexpr auto y = redistribute<layout<"x">>(make<float, layout<"z", none>>(line, {8, 8}), grid);
#endif
