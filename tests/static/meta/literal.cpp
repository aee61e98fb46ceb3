// Literals: text in template arguments, as integers; one class for each kind of text.
#include "ashlar/meta/literal.hpp"
#include <string_view>
#include <type_traits>

using namespace ashlar;

constexpr bool spells(auto const& literal, std::string_view text) {
  if (literal.size != text.size()) return false;
  for (unsigned i = 0; i < literal.size; ++i)
    if (literal[i] != text[i]) return false;
  return true;
}

// What goes in comes out, up to the 64 characters that 8 integers hold.
static_assert(spells(meta_detail::axis_literal("data"), "data"));
static_assert(spells(meta_detail::axis_literal("_x9"), "_x9"));
static_assert(spells(dimension("data"), "data") && spells(dimension(none), ""));
static_assert(spells(equation("bi,ih->bh"), "bi,ih->bh"));
static_assert(spells(meta_detail::text_literal("d1/kernel.*"), "d1/kernel.*") &&
              spells(meta_detail::text_literal(""), ""));
constexpr std::string_view digits = "0123456701234567012345670123456701234567012345670123456701234567";
static_assert(digits.size() == 64);
static_assert(spells(meta_detail::text_literal("0123456701234567012345670123456701234567012345670123456701234567"),
                     digits));
static_assert(spells(meta_detail::text_literal("\xc3\xa9t\xc3\xa9"),
                     "\xc3\xa9t\xc3\xa9"));  // characters above 127 keep their bits

// Equal texts are equal literals, whatever arrays they came from; the end of a text counts.
static_assert(meta_detail::axis_literal("ab") == meta_detail::axis_literal("ab") &&
              meta_detail::axis_literal("ab") != meta_detail::axis_literal("a"));
static_assert(meta_detail::text_literal("a\0") != meta_detail::text_literal("a"));

// Several axes on one dimension are one literal, major to minor.
static_assert(spells(axes("data", "model"), "data,model") && axes("a", "b") != axes("b", "a"));
static_assert(axes("data") == dimension("data"));
static_assert(spells(axes("a", "aa", "aaa"), "a,aa,aaa"));  // a name that begins another is another name
static_assert(spells(axes("a", "b", "c", "d", "e", "f", "g", "h"), "a,b,c,d,e,f,g,h"));

// Kinds do not convert to each other: an equation is no axis, and `none` is a dimension but no axis.
template <class From, class To>
constexpr bool converts = std::is_convertible_v<From, To>;
static_assert(converts<meta_detail::none_t, dimension> && !converts<meta_detail::none_t, meta_detail::axis_literal> &&
              !converts<meta_detail::none_t, equation>);
static_assert(!converts<equation, meta_detail::axis_literal> && !converts<equation, dimension> &&
              !converts<dimension, meta_detail::axis_literal> && !converts<meta_detail::text_literal, equation>);

// Equations: letters, commas before the one arrow; empty operands are scalars.
static_assert(spells(equation("->"), "->") && spells(equation(",->"), ",->") &&
              spells(equation("bI,Ih->bh"), "bI,Ih->bh"));

// As template arguments, literals are the same exactly where they are equal. (g++ takes arguments whose class holds an
// array for equal where they differ in the places of their non-zero elements: docs/decisions/literals.md.)
template <meta_detail::text_literal>
struct tag {};
template <meta_detail::text_literal A, meta_detail::text_literal B>
constexpr bool same_tag = std::is_same_v<tag<A>, tag<B>>;
static_assert(same_tag<"d1/kernel", "d1/kernel">);
static_assert(!same_tag<"x", "y"> && !same_tag<"x", "xx"> && !same_tag<"x\0", "x">);
// One x, in the first, the second, the third of the integers.
static_assert(!same_tag<"x\0\0\0\0\0\0\0\0", "\0\0\0\0\0\0\0\0x">);
static_assert(!same_tag<"\0\0\0\0\0\0\0\0x\0\0\0\0\0\0\0\0", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0x">);

// That is because every member is an integer.
static_assert([] {
  auto const [w0, w1, w2, w3, w4, w5, w6, w7, size] = meta_detail::axis_literal("a");
  auto const integers = [](auto... member) { return (std::is_integral_v<decltype(member)> && ...); };
  return integers(w0, w1, w2, w3, w4, w5, w6, w7, size);
}());
