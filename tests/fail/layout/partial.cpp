#include "ashlar/layout/layouts.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// Reductions nest four deep.
namespace five_kinds_of_reduction {
using four = partial<partial<partial<partial<layout<none>, "a">, "b", op::max>, "c">, "d", op::max>;
using right = partial<four, "e", op::max>;
// error: ashlar::partial: more than 4 kinds of reduction nest; reduce the innermost first
using wrong = partial<four, "e">;
}  // namespace five_kinds_of_reduction

// More user reductions in one layout than a layout's code has room for.
namespace four_reductions_of_the_users {
template <int>
struct reduction {};
template <class L, int I>
using with = layout_detail::basic_partial<L, reduction<I>, meta_detail::axis_name<static_cast<char>('a' + I)>>;
using three = with<with<with<layout<none>, 0>, 1>, 2>;
constexpr auto right = layout_detail::value_v<layout_detail::context_of<three>, three>;
// error: ashlar::partial: more than three reductions of your own meet in one operation; reduce some of them first
constexpr auto wrong = layout_detail::value_v<layout_detail::context_of<with<three, 3>>, with<three, 3>>;
}  // namespace four_reductions_of_the_users

// Terms of a sum have no cells of the program, and with a halo they are terms of a sum alone.
namespace of_a_halo {
constexpr abstract_mesh<mesh<axis<"p">, axis<"q">>> grid({{2, 2}});
namespace right {
using first = partial<layout<halo("p", 1)>, "q">;
constexpr auto x = make<float, fresh<first>>(grid, {8});
constexpr auto y = make<float, fresh<first>>(grid, {8});
}  // namespace right
namespace wrong {
// error: ashlar::partial: cells beyond a given boundary are the program's on each rank, so they are no terms of a sum; write another boundary, or owned(x)
constexpr auto x = make<float, partial<layout<halo("p", 1, boundary::given)>, "q">>(grid, {8});
// error: ashlar::partial: a tensor with a halo is partial by a sum alone; write owned(x) for another reduction
constexpr auto y = make<float, partial<layout<halo("p", 1)>, "q", op::max>>(grid, {8});
}  // namespace wrong
}  // namespace of_a_halo

// A partial reduction whose kind is no reduction.
namespace of_no_reduction {
constexpr partial<layout<none>, "model", op::max>* right = nullptr;
// error: ashlar::partial: its third argument is a reduction, as in partial<L, "model", op::max>
constexpr partial<layout<none>, "model", int>* wrong = nullptr;
}  // namespace of_no_reduction

// The tensor is partial over an axis once.
namespace over_a_partial_axis {
using right = partial<partial<layout<none>, "data">, "model", op::max>;
// error: ashlar::partial: the layout already names the axis; an axis occurs in a layout once
using wrong = partial<partial<layout<none>, "data">, "data", op::max>;
}  // namespace over_a_partial_axis

// An axis that shards a tensor holds no summands of it.
namespace over_a_sharding_axis {
using right = partial<layout<"data">, "model">;
// error: ashlar::partial: the layout already names the axis; an axis occurs in a layout once
using wrong = partial<layout<"data">, "data">;
}  // namespace over_a_sharding_axis

// The tensor is partial over an axis.
namespace over_none {
using right = partial<layout<"data">, "model">;
// error: ashlar::partial: name the axis over which the layout is partial; none is no axis
using wrong = partial<layout<"data">, none>;
}  // namespace over_none

// Each of several partial axes is new.
namespace over_one_of_two_axes_again {
using right = partial<layout<"data">, axes("model", "pipe")>;
// error: ashlar::partial: the layout already names the axis; an axis occurs in a layout once
using wrong = partial<layout<"data">, axes("model", "data")>;
}  // namespace over_one_of_two_axes_again
