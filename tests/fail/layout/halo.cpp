#include "ashlar/layout/halo.hpp"

using namespace ashlar;

// A halo of a dimension that has one.
namespace of_a_halo {
constexpr int right = layout<halo("p", 2)>::rank;
// error: ashlar::halo: the dimension has a halo already; write halo once
constexpr int wrong = layout<halo(halo("p", 1), 1)>::rank;
}  // namespace of_a_halo

// A halo of a block-cyclic dimension.
namespace of_block_cyclic {
constexpr int right = layout<halo("p", 1)>::rank;
// error: ashlar::halo: neighbours in a block-cyclic dimension are on other ranks; write halo("p", 1) over a balanced split
constexpr int wrong = layout<halo(cyclic("p", 64), 1)>::rank;
}  // namespace of_block_cyclic

// A halo of -1 cells above.
namespace of_negative_width {
constexpr int right = layout<halo("p", 1, 0)>::rank;
// error: ashlar::halo: a width is 0 to 255 cells; write a width from this range
constexpr int wrong = layout<halo("p", 1, -1)>::rank;
}  // namespace of_negative_width

// A dimension that is periodic on one side alone.
namespace halo_periodic_on_one_side {
constexpr int right = layout<halo("p", 1, boundary::periodic, boundary::periodic)>::rank;
// error: ashlar::halo: one side of a dimension is periodic and the other is not; write boundary::periodic for both or none
constexpr int wrong = layout<halo("p", 1, boundary::periodic, boundary::zero)>::rank;
}  // namespace halo_periodic_on_one_side

// A halo of 256 cells.
namespace wider_than_255 {
constexpr int right = layout<halo("p", 255)>::rank;
// error: ashlar::halo: a width is 0 to 255 cells; write a width from this range
constexpr int wrong = layout<halo("p", 256)>::rank;
}  // namespace wider_than_255

// The layout of a filled halo without a halo.
namespace fresh_without_a_halo {
constexpr int right = fresh<layout<halo("p", 1)>>::rank;
// error: ashlar::fresh: the layout has no halo; write halo("x", 1) for one of its dimensions
constexpr int wrong = fresh<layout<"p">>::rank;
}  // namespace fresh_without_a_halo
