// SPDX-License-Identifier: BSL-1.0
// Conditions on the arguments of a call, each with the sentence that the compiler prints if it does not hold.
#pragma once

namespace ashlar::meta_detail {

// A condition is a class template with a constant `ok` and a function `say`, whose static_assert(ok, "...") has the sentence.
// Its arguments show the types in the compiler's output. (After a static_assert in the class itself clang drops the
// members that follow, which is a second error.)

struct no_condition {
  static constexpr bool ok = true;
  static constexpr void say() {}
};

/// True if all conditions hold. Otherwise the first one that does not says its sentence, and later ones are not
/// instantiated.
template <class A, class B = no_condition, class C = no_condition, class... Rest>
constexpr bool hold() {
  if constexpr (!A::ok)
    return A::say(), false;
  else if constexpr (!B::ok)
    return B::say(), false;
  else if constexpr (!C::ok)
    return C::say(), false;
  else if constexpr (sizeof...(Rest) > 0)  // one function per condition would be slow to compile
    return hold<Rest...>();
  else
    return true;
}

constexpr int first_operand() { return 0; }
constexpr auto const& first_operand(auto const& x, auto const&...) { return x; }

/// work(x...) if all conditions hold, otherwise(x...) if not, for results that are unpacked, as in auto [y, i] = top_k(x).
template <class... Conditions, class Work, class Otherwise, class... X>
constexpr auto checked_or(Work const& work, Otherwise const& otherwise, X const&... x) {
  if constexpr (hold<Conditions...>())
    return work(x...);
  else
    return otherwise(x...);
}

/// work(x...) if all conditions hold. Otherwise the first operand, and nothing of `work` is instantiated, so that the
/// sentence is the only error.
/// Pre: `work` is a generic lambda. Its types and constants that a fault breaks depend on its own parameters: the compiler
/// looks at all others before it is called.
/// Example: return checked<index_is_integer<Index>>([&](auto const& t, auto const& i) { return apply(op, t, i); }, x, index);
template <class... Conditions, class Work, class... X>
constexpr auto checked(Work const& work, X const&... x) {
  if constexpr (hold<Conditions...>())
    return work(x...);
  else
    return first_operand(x...);
}

}  // namespace ashlar::meta_detail
