// More user reductions in one layout than a layout's code has room for.
// EXPECT: ashlar::partial: more than three reductions of your own meet
#include "ashlar/layout/layout.hpp"

using namespace ashlar;
template <int>
struct reduction {};
template <class L, int I>
using with = layout_detail::basic_partial<L, reduction<I>, meta_detail::axis_name<static_cast<char>('a' + I)>>;
using three = with<with<with<layout<none>, 0>, 1>, 2>;

#ifdef ASHLAR_CONTROL
constexpr auto v = layout_detail::value_v<layout_detail::context_of<three>, three>;
#else
constexpr auto v = layout_detail::value_v<layout_detail::context_of<with<three, 3>>, with<three, 3>>;
#endif
