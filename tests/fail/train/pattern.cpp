#include "ashlar/train/pattern.hpp"

template <std::size_t N>
constexpr bool found(char const (&pattern)[N]) {
  return ashlar::train_detail::pattern_found({pattern, pattern + N - 1}, {});
}

// A repeated letter that takes two bytes.
namespace pattern_repeats_a_letter_beyond_ascii {
constexpr bool right = found("d1|ü");
// error: ashlar::rule: classes and * + ? know ASCII only; write other characters alone
constexpr bool wrong = found("d1|ü*");
}  // namespace pattern_repeats_a_letter_beyond_ascii

// A lazy repetition, which the subset lacks: *? would read as two.
namespace pattern_repeats_twice {
constexpr bool right = found("d1.*l");
// error: ashlar::rule: one of * + and ? follows what it repeats, and no other follows it; drop it
constexpr bool wrong = found("d1.*?l");
}  // namespace pattern_repeats_twice

// A class without its end, and a class of characters beyond ASCII.
namespace pattern_that_is_not_closed {
constexpr bool right = found("d[1]");
// error: ashlar::rule: a pattern has a [ without its ]; close it
constexpr bool wrong = found("d[1");
}  // namespace pattern_that_is_not_closed

// A pattern with syntax beyond the subset.
namespace with_a_group {
constexpr bool right = found("d1/.*");
// error: ashlar::rule: a pattern holds characters, . [] * + ? and | only; write two rules for what needs more
constexpr bool wrong = found("(d1|d2)/.*");
}  // namespace with_a_group

// A mistake in an alternative that nobody asks for, since the first is found in every path.
namespace with_a_mistake_behind_a_match {
constexpr bool right = found("kernel|bias*");
// error: ashlar::rule: one of * + and ? follows what it repeats, and no other follows it; drop it
constexpr bool wrong = found("kernel|bias**");
}  // namespace with_a_mistake_behind_a_match

// A named class, which ECMAScript reads otherwise than POSIX does.
namespace with_a_named_class {
constexpr bool right = found("d1/[a-z]");
// error: ashlar::rule: a class holds characters and ranges, no [ and no backslash; write [0-9] and [a-z] for named classes
constexpr bool wrong = found("d1/[[:alpha:]]");
}  // namespace with_a_named_class

// A range from the higher character to the lower.
namespace with_a_range_backwards {
constexpr bool right = found("d[0-1]");
// error: ashlar::rule: a range goes from the lower character to the higher; write [a-b] for [b-a], and a - that is no range last
constexpr bool wrong = found("d[1-0]");
}  // namespace with_a_range_backwards

// A ] right behind the [, which ends the class in ECMAScript and stands for itself in POSIX.
namespace with_an_empty_class {
constexpr bool right = found("d[1]");
// error: ashlar::rule: a class holds a character or more; write a ] outside of it
constexpr bool wrong = found("d[]1]");
}  // namespace with_an_empty_class

// A \d within a class.
namespace with_an_escape_in_a_class {
constexpr bool right = found("d[1]");
// error: ashlar::rule: a class holds characters and ranges, no [ and no backslash; write [0-9] and [a-z] for named classes
constexpr bool wrong = found("d[\\d]");
}  // namespace with_an_escape_in_a_class
