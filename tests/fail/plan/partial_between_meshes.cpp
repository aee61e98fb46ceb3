// A pending reduction taken to a mesh that does not have its axis.
// EXPECT: ashlar::redistribute: a reduction pends over an axis of one mesh
#include "ashlar/plan/between_meshes.hpp"

using namespace ashlar;
constexpr mesh<axis<"z">> line{{4}};
constexpr mesh<axis<"x">, axis<"y">> grid{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto y = redistribute<layout<"x">>(make<float, layout<"z">>(line, {8}), grid);
#else
constexpr auto y = redistribute<layout<"x">>(make<float, partial<layout<none>, "z">>(line, {8}), grid);
#endif
