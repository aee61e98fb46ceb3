#include "ashlar/meta/literal.hpp"

using namespace ashlar;

// An axis does not split a dimension twice.
namespace axes_named_twice {
inline constexpr dimension right = axes("a", "aa");
// error: ashlar::axes: an axis is named twice; each axis shards a tensor at most once
inline constexpr dimension wrong = axes("a", "aa", "a");
}  // namespace axes_named_twice

// Each name of axes() is a literal of its own.
namespace axes_with_two_names_in_one {
inline constexpr dimension right = axes("data", "model");
// error: ashlar::axis: a name holds letters, digits and _ only; write axes("data", "model") for several axes on one dimension
inline constexpr dimension wrong = axes("data,model");
}  // namespace axes_with_two_names_in_one

// A dimension over no axis is none.
namespace axes_without_a_name {
inline constexpr dimension right = none;
// error: ashlar::axes: name one axis or more; write none for a dimension that no axis shards
inline constexpr dimension wrong = axes();
}  // namespace axes_without_a_name

// A name begins with a letter.
namespace axis_name_begins_with_a_digit {
inline constexpr meta_detail::axis_literal right("d2");
// error: ashlar::axis: a name begins with a letter or _
inline constexpr meta_detail::axis_literal wrong("2d");
}  // namespace axis_name_begins_with_a_digit

// A literal has room for 64 characters.
namespace axis_name_too_long {
inline constexpr meta_detail::axis_literal right("a234567890123456789012345678901234567890123456789012345678901234");
// error: ashlar::literal: a name, an equation or the names of one dimension have at most 64 characters; shorten them
inline constexpr meta_detail::axis_literal wrong("a2345678901234567890123456789012345678901234567890123456789012345");
}  // namespace axis_name_too_long

// Two names in one literal are not two axes.
namespace axis_name_with_a_comma {
inline constexpr dimension right = axes("data", "model");
// error: ashlar::axis: a name holds letters, digits and _ only; write axes("data", "model") for several axes on one dimension
inline constexpr dimension wrong("data,model");
}  // namespace axis_name_with_a_comma

// A name is one word.
namespace axis_name_with_a_space {
inline constexpr meta_detail::axis_literal right("data_parallel");
// error: ashlar::axis: a name holds letters, digits and _ only; write axes("data", "model") for several axes on one dimension
inline constexpr meta_detail::axis_literal wrong("data parallel");
}  // namespace axis_name_with_a_space

// An axis has a name.
namespace empty_axis_name {
inline constexpr meta_detail::axis_literal right("x");
// error: ashlar::axis: an axis has a name; write none for a dimension that no axis shards
inline constexpr meta_detail::axis_literal wrong("");
}  // namespace empty_axis_name
