#include "ashlar/meta/check.hpp"

using namespace ashlar::meta_detail;

template <class T>
struct is_number {
  static constexpr bool ok = requires(T a) { a + a; };
  static constexpr void say() { static_assert(ok, "test: the operand is no number; add numbers"); }
};
template <class T>
struct has_a_sign {
  static constexpr bool ok = T(-1) < T(0);
  static constexpr void say() { static_assert(ok, "test: the operand has no sign; negate signed numbers"); }
};
struct text {};
template <class T>
constexpr auto half(T const& a) {
  return checked<is_number<T>, has_a_sign<T>>([](auto const& b) { return b / 2; }, a);
}
template <class T>
constexpr auto halves(T const& a) {
  return checked_or<is_number<T>, has_a_sign<T>>([](auto const& b) { return b / 2; }, [](auto const& b) { return b; },
                                                 a);
}

// Neither the second condition nor the work is looked at: both would be errors.
namespace first_condition {
constexpr auto right = half(4);
// error: test: the operand is no number; add numbers
constexpr auto wrong = half(text{});
}  // namespace first_condition

// The sentence of the second condition, whose call has the value of its operand.
namespace second_condition {
constexpr auto right = half(4L);
// error: test: the operand has no sign; negate signed numbers
constexpr unsigned wrong = half(4u);
static_assert(wrong == 4u);
}  // namespace second_condition

// The same with a value in place of the result.
namespace value_in_place_of_the_result {
constexpr auto right = halves(4);
// error: test: the operand has no sign; negate signed numbers
constexpr auto wrong = halves(8ul);
static_assert(wrong == 8ul);
}  // namespace value_in_place_of_the_result
