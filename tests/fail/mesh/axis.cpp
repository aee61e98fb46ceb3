#include "ashlar/mesh/mesh.hpp"

using namespace ashlar;

// none is no axis of a mesh.
namespace axis_none {
using right = axis<"data">;
// error (g++): could not convert 'ashlar::none' from 'const ashlar::meta_detail::none_t' to
// error (clang): no viable conversion from 'const meta_detail::none_t' to
using wrong = axis<none>;
}  // namespace axis_none

// Each axis of a mesh has one name.
namespace of_two_names {
using right = mesh<axis<"data">, axis<"model">>;
// error (g++): from 'literal<ashlar::meta_detail::literal_kind::dimension>' to
// error (clang): no viable conversion from 'literal<meta_detail::literal_kind::dimension aka 1>' to 'literal<literal_kind::axis aka 0>'
using wrong = mesh<axis<axes("data", "model")>>;
}  // namespace of_two_names

// An equation is no axis.
namespace equation_as_axis {
using right = axis<"bi">;
// error: ashlar::axis: a name holds letters, digits and _ only; write axes("data", "model") for several axes on one dimension
using wrong = axis<"bi,ih->bh">;
}  // namespace equation_as_axis

// A static size is positive.
namespace negative_static_size {
axis<"data", 2> right;
// error: ashlar::axis: a size is positive; leave it out where it comes at run time
axis<"data", -2> wrong;
}  // namespace negative_static_size
