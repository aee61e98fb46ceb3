#include "ashlar/meta/check.hpp"

using namespace ashlar::meta_detail;

namespace {

template <class T>
struct is_small {
  static constexpr bool ok = sizeof(T) <= 4;
  static constexpr void say() { static_assert(ok, "test: the number is too large"); }
};
template <class T>
struct is_signed {
  static constexpr bool ok = T(-1) < T(0);
  static constexpr void say() { static_assert(ok, "test: the number has no sign"); }
};

static_assert(hold<is_small<int>>() && hold<is_small<short>, is_signed<short>>());
static_assert(checked<is_small<int>, is_signed<int>>([](auto const& a, auto const& b) { return 10 * a + b; }, 4, 2) ==
              42);
static_assert(checked<is_small<int>>([] { return 7; }) == 7);
static_assert(checked_or<is_small<int>>([](auto const& a) { return a + 1; }, [](auto const& a) { return a; }, 1) == 2);

}  // namespace
