// SPDX-License-Identifier: BSL-1.0
// The path of a parameter in a model, as a type: "d1/kernel".
#pragma once
#include "ashlar/meta/literal.hpp"
#include "ashlar/meta/tree.hpp"
#include "ashlar/train/strategies/pattern.hpp"

namespace ashlar::train_detail {

template <class X>
inline constexpr bool is_tuple_v = false;
template <class... M>
inline constexpr bool is_tuple_v<std::tuple<M...>> = true;
template <class X>
concept tuple_tree = is_tuple_v<X>;

struct path_text {
  char c[160]{};
  int size = 0;
  bool fits = true;
  constexpr void append(char const* s) {
    for (; *s; ++s) {
      if (size == 159) size = 0, fits = false;  // the last name stays, so that rules are still found
      c[size++] = *s;
    }
  }
};

// Appends the name of a tree's member; members of a tuple have numbers as names.
template <class S>
constexpr void append_name(path_text& p, std::size_t i) {
  p.append(S::names.name[i]);
}
template <tuple_tree S>
constexpr void append_name(path_text& p, std::size_t i) {
  if (i >= 10) append_name<S>(p, i / 10);
  char const digit[]{static_cast<char>('0' + i % 10), '\0'};
  p.append(digit);
}

// A path in a model, as a type: root, or member I of S below Parent.
struct root {
  static constexpr path_text path{};
};
constexpr path_text before_a_name(path_text parent) {
  if (parent.size) parent.append("/");
  return parent;
}
template <class Parent, class S, std::size_t I>
struct member_path {
  static constexpr path_text path = [] {
    path_text p = before_a_name(Parent::path);
    append_name<S>(p, I);
    return p;
  }();
};
// What has a name or a path that the program gives, below Parent.
template <class Parent, text_literal Text>
struct named_path {
  static constexpr path_text path = [] {
    path_text p = before_a_name(Parent::path);
    p.append(meta_detail::characters_of<Text>.c);
    return p;
  }();
};
template <class Path>
struct length_of_path {
  static constexpr bool ok = Path::path.fits;
  static constexpr void say() {
    static_assert(ok, "ashlar::model: a parameter's path is longer than 159 characters; shorten the names");
  }
};
template <class Path>
inline constexpr std::string_view path_range{Path::path.c, static_cast<std::size_t>(Path::path.size)};

// A type that shows a path in compiler messages.
template <char... C>
struct parameter {};
template <class Path, class I = std::make_index_sequence<static_cast<std::size_t>(Path::path.size)>>
struct parameter_of;
template <class Path, std::size_t... I>
struct parameter_of<Path, std::index_sequence<I...>> {
  using type = parameter<Path::path.c[I]...>;
};

}  // namespace ashlar::train_detail
