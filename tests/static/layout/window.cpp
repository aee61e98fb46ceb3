// Windows over a dimension, by listing the elements that they cover.
#include "ashlar/layout/window.hpp"
#include <initializer_list>

using namespace ashlar;
using namespace ashlar::nn;

// Without padding windows lie inside, and one more would not. With it there is one for every `stride` elements, as few
// elements as possible lie outside, and no more of them at the end than at the beginning, but one.
constexpr bool right(layout_detail::windows const& w) {
  index_t const last = w.first(w.count() - 1) + w.reach();
  if (w.edge == padding::valid)
    return w.count() == 0 ? w.n < w.reach() : w.first(0) == 0 && last <= w.n && last + w.stride > w.n;
  if (w.count() * w.stride < w.n || (w.count() - 1) * w.stride >= w.n) return w.n == 0 && w.count() == 0;
  index_t const before = -w.first(0), after = last - w.n;
  return before >= 0 && (before == 0 ? after <= 1 : after == before || after == before + 1);
}
constexpr bool all_windows_are_right() {
  for (padding edge : {padding::valid, padding::same})
    for (index_t n = 0; n < 12; ++n)
      for (index_t size = 1; size < 6; ++size)
        for (index_t stride = 1; stride < 5; ++stride)
          for (index_t dilation = 1; dilation < 4; ++dilation)
            if (!right({n, size, stride, dilation, edge})) return false;
  return true;
}
static_assert(all_windows_are_right());
// The layers of Keras' guide: 6 by 6 windows at a stride of 2 over 28 and 14 pixels begin two pixels outside.
static_assert(layout_detail::windows{28, 6, 2, 1, padding::same}.count() == 14 &&
              layout_detail::windows{28, 6, 2, 1, padding::same}.before() == 2);
static_assert(layout_detail::windows{14, 6, 2, 1, padding::same}.count() == 7 &&
              layout_detail::windows{14, 6, 2, 1, padding::same}.before() == 2);
static_assert(layout_detail::windows{8, 3, 2, 1, padding::same}.before() == 0);  // asymmetric: one beyond the end alone
