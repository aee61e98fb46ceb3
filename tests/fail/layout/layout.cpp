#include "ashlar/layout/layouts.hpp"

using namespace ashlar;

// An axis shards one dimension.
namespace axis_shards_two_dimensions {
using right = layout<"data", none>;
// error: ashlar::layout: an axis shards two dimensions; each axis shards a tensor at most once, write none for one of them
using wrong = layout<"data", "data">;
}  // namespace axis_shards_two_dimensions

// An axis shards one dimension, in a list of axes too.
namespace axis_shards_two_dimensions_in_a_list {
using right = layout<"data", "model">;
// error: ashlar::layout: an axis shards two dimensions; each axis shards a tensor at most once, write none for one of them
using wrong = layout<"data", axes("model", "data")>;
}  // namespace axis_shards_two_dimensions_in_a_list

// A batch that would split a scalar.
namespace batch_of_a_scalar {
using right = batch_sharded<"data", 1>;
// error: ashlar::batch_sharded: a scalar has no dimension that a batch could split; write replicated<0>
using wrong = batch_sharded<"data", 0>;
}  // namespace batch_of_a_scalar

// A dimension that no axis shards is none.
namespace empty_name {
using right = layout<"data", none>;
// error: ashlar::axis: an axis has a name; write none for a dimension that no axis shards
using wrong = layout<"data", "">;
}  // namespace empty_name

// An equation is no dimension.
namespace equation_as_dimension {
using right = layout<"bi", "ih">;
// error: ashlar::axis: a name holds letters, digits and _ only; write axes("data", "model") for several axes on one dimension
using wrong = layout<"bi,ih->bh">;
}  // namespace equation_as_dimension

// Block-cyclic layouts in five dimensions.
namespace five_block_cyclic_dimensions {
using four = layout<cyclic("a", 2), cyclic("b", 2), cyclic("c", 2), cyclic("d", 2), "e">;
using five = layout<cyclic("a", 2), cyclic("b", 2), cyclic("c", 2), cyclic("d", 2), cyclic("e", 2)>;
constexpr auto right = layout_detail::encode_blocks(layout_detail::value_v<layout_detail::context_of<four>, four>);
// error: ashlar::cyclic: a dimension is block-cyclic in more than 4 dimensions; split some of them evenly
constexpr auto wrong = layout_detail::encode_blocks(layout_detail::value_v<layout_detail::context_of<five>, five>);
}  // namespace five_block_cyclic_dimensions

// Two axes on one dimension are axes(a, b).
namespace names_joined_by_a_comma {
using right = layout<axes("data", "model")>;
// error: ashlar::axis: a name holds letters, digits and _ only; write axes("data", "model") for several axes on one dimension
using wrong = layout<"data,model">;
}  // namespace names_joined_by_a_comma

// More than 8 axes in one layout.
namespace nine_axes {
constexpr layout<axes("a", "b", "c", "d"), axes("e", "f", "g", "h")> right{};
// error: ashlar::layout: more than 8 axes shard one tensor; join axes that you always use together
constexpr layout<axes("a", "b", "c", "d"), axes("e", "f", "g", "h"), "i"> wrong{};
}  // namespace nine_axes

// A tensor has up to 8 dimensions.
namespace nine_dimensions {
using right = layout<none, none, none, none, none, none, none, none>;
// error: ashlar::layout: a tensor has at most 8 dimensions; join dimensions
using wrong = layout<none, none, none, none, none, none, none, none, none>;
}  // namespace nine_dimensions

// A number is no spec of a dimension; the compiler itself refuses it.
namespace number_as_dimension {
using right = layout<"data", none>;
// error (g++): could not convert '0' from 'int' to
// error (clang): no viable conversion from 'int' to 'dimension'
using wrong = layout<"data", 0>;
}  // namespace number_as_dimension
