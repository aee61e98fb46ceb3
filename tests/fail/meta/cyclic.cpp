#include "ashlar/meta/literal.hpp"

using namespace ashlar;

// Blocks of blocks.
namespace of_cyclic {
inline constexpr dimension right = cyclic(axes("p", "q"), 64);
// error: ashlar::cyclic: its first argument is an axis or axes(...), which no blocks are named for yet
inline constexpr dimension wrong = cyclic(cyclic("p", 64), 8);
}  // namespace of_cyclic

// A dimension is block-cyclic over an axis.
namespace over_none {
inline constexpr dimension right = cyclic("p", 64);
// error: ashlar::cyclic: name the axis over which a dimension is block-cyclic; none is no axis
inline constexpr dimension wrong = cyclic(none, 64);
}  // namespace over_none

// Blocks without elements cannot be assigned.
namespace without_elements {
inline constexpr dimension right = cyclic("p", 1);
// error: ashlar::cyclic: a block has 1 to 65535 elements; choose another size
inline constexpr dimension wrong = cyclic("p", 0);
}  // namespace without_elements
