#include "ashlar/mesh/mesh.hpp"

using namespace ashlar;

// A mesh of names; the compiler itself refuses them, since an axis is a type.
namespace of_names {
using right = mesh<axis<"data">, axis<"model">>;
// 2 errors (g++): type/value mismatch at argument 1 in template parameter list for
// error (clang): template argument for template type parameter must be a type
using wrong = mesh<"data", "model">;
}  // namespace of_names

// A mesh of nine axes.
namespace nine_axes {
using eight = mesh<axis<"a">, axis<"b">, axis<"c">, axis<"d">, axis<"e">, axis<"f">, axis<"g">, axis<"h">>;
using nine = mesh<axis<"a">, axis<"b">, axis<"c">, axis<"d">, axis<"e">, axis<"f">, axis<"g">, axis<"h">, axis<"i">>;
constexpr eight right{{1, 1, 1, 1, 1, 1, 1, 2}};
// error: ashlar::mesh: more than 8 axes meet in a mesh or in one operation; join axes that you always use together
nine const wrong{{1, 1, 1, 1, 1, 1, 1, 1, 2}};
}  // namespace nine_axes

// A static size given again is the same.
namespace size_differs_from_static_size {
inline constexpr mesh<axis<"data", 2>, axis<"model">> right{{2, 4}};
// error: ashlar::mesh: the size given differs from the axis' static size; leave one of the two out
inline constexpr mesh<axis<"data", 2>, axis<"model">> wrong{{4, 2}};
}  // namespace size_differs_from_static_size

// A mesh knows the sizes of its own axes.
namespace size_of_unknown_axis {
inline constexpr mesh<axis<"data">, axis<"model">> grid{{2, 4}};
inline constexpr int right = grid.size<"model">();
// error: ashlar::mesh::size: the mesh has no axis of this name; use one of its axes
inline constexpr int wrong = grid.size<"modle">();
}  // namespace size_of_unknown_axis

// A mesh has a rank.
namespace size_zero {
inline constexpr mesh<axis<"data">, axis<"model">> right{{2, 1}};
// error: ashlar::mesh: the size of an axis is 1 or more
inline constexpr mesh<axis<"data">, axis<"model">> wrong{{2, 0}};
}  // namespace size_zero

// Three sizes for two axes.
namespace sizes_of_other_number {
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid right{{2, 3}};
// error: ashlar::mesh: it needs one size for each axis; give as many as it has axes
constexpr grid wrong{{2, 3, 4}};
}  // namespace sizes_of_other_number

// Each axis has a name of its own.
namespace two_axes_of_one_name {
inline constexpr mesh<axis<"data">, axis<"model">> right{{2, 2}};
// error: ashlar::mesh: two axes have the same name; give each axis a name of its own
mesh<axis<"data">, axis<"data">> const wrong{{2, 2}};
}  // namespace two_axes_of_one_name
