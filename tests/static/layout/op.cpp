// Reductions are commutative monoids.
#include "ashlar/layout/op.hpp"
#include <limits>

using namespace ashlar;

template <class Op>
constexpr bool is_commutative_monoid() {
  for (int a = -3; a <= 3; ++a) {
    if (Op::combine(a, Op::template identity<int>()) != a) return false;
    for (int b = -3; b <= 3; ++b) {
      if (Op::combine(a, b) != Op::combine(b, a)) return false;
      for (int c = -3; c <= 3; ++c)
        if (Op::combine(Op::combine(a, b), c) != Op::combine(a, Op::combine(b, c))) return false;
    }
  }
  return true;
}
static_assert(is_commutative_monoid<op::sum>() && is_commutative_monoid<op::max>() &&
              is_commutative_monoid<op::min>() && is_commutative_monoid<op::prod>());
static_assert(op::sum::combine(2, 3) == 5 && op::max::combine(2, 3) == 3 && op::min::combine(2, 3) == 2 &&
              op::prod::combine(2, 3) == 6);

// Where a type has infinities they are the identities: the maximum of what is all -infinity is -infinity.
constexpr double infinity = std::numeric_limits<double>::infinity();
static_assert(op::max::identity<double>() == -infinity && op::min::identity<double>() == infinity);
static_assert(op::max::combine(-infinity, op::max::identity<double>()) == -infinity);
static_assert(op::max::identity<int>() == std::numeric_limits<int>::lowest() &&
              op::min::identity<int>() == std::numeric_limits<int>::max());

// Narrow types stay what they are.
static_assert(std::is_same_v<decltype(op::sum::combine(short(1), short(2))), short>);
