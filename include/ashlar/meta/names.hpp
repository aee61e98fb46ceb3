// SPDX-License-Identifier: BSL-1.0
// Axis names as types, and lists of them.
#pragma once
#include "ashlar/meta/literal.hpp"
#include <type_traits>
#include <utility>

namespace ashlar {

namespace meta_detail {
/// The largest number of axes of a mesh: 8.
inline constexpr int max_axes = 8;

/// An axis name as a type, readable in messages: axis_name<'d','a','t','a'>.
template <char... C>
struct axis_name {
  static constexpr char text[sizeof...(C) + 1]{C..., '\0'};
  static constexpr int size = sizeof...(C);
};

/// A list of names, in a given order. A layout_value refers to an axis by its position in this list.
template <class... Names>
struct name_list {
  static constexpr int size = sizeof...(Names);
};

// Converts to the one class that all templates below take: nvcc's host pass cannot deduce an `auto` parameter again.
constexpr dimension as_dimension(axis_literal const& a) {
  return {a.w0, a.w1, a.w2, a.w3, a.w4, a.w5, a.w6, a.w7, a.size};
}

template <dimension Literal, unsigned Begin, class Index>
struct name_at;
template <dimension Literal, unsigned Begin, std::size_t... I>
struct name_at<Literal, Begin, std::index_sequence<I...>> {
  using type = axis_name<Literal[Begin + I]...>;
};

// A halo in a dimension's text: the mark, then a character each for two widths and two boundaries.
constexpr unsigned halo_begin(dimension const& d) {
  unsigned i = 0;
  while (i < d.size && d[i] != halo_mark) ++i;
  return i;
}
constexpr bool has_halo(dimension const& d) { return halo_begin(d) != d.size; }
constexpr dimension without_halo(dimension const& d) {
  dimension names(none);
  for (unsigned i = 0, n = halo_begin(d); i < n; ++i) {
    char const c = d[i];
    names.append(&c, 1);
  }
  return names;
}

// End of the names in a dimension's text. The block size follows if there is one.
constexpr unsigned names_end(dimension const& d) {
  unsigned i = 0;
  while (i < d.size && d[i] != block_mark) ++i;
  return i;
}
constexpr unsigned name_end(dimension const& d, unsigned i) {
  while (i < names_end(d) && d[i] != ',') ++i;
  return i;
}
// Block size of a block-cyclic dimension, or 0 for a balanced split.
constexpr int block_of(dimension const& d) {
  int n = 0;
  for (unsigned i = names_end(d) + 1; i < d.size; ++i) n = 10 * n + (d[i] - '0');
  return n;
}

template <dimension Literal, unsigned Begin, class... Done>
struct split_names {
  static constexpr unsigned end = name_end(Literal, Begin);
  using type =
      typename split_names<Literal, end + 1, Done...,
                           typename name_at<Literal, Begin, std::make_index_sequence<end - Begin>>::type>::type;
};
template <dimension Literal, unsigned Begin, class... Done>
  requires(Begin >= names_end(Literal))
struct split_names<Literal, Begin, Done...> {
  using type = name_list<Done...>;
};

constexpr bool name_less(char const* a, char const* b) {
  while (*a && *a == *b) ++a, ++b;
  return static_cast<unsigned char>(*a) < static_cast<unsigned char>(*b);
}

template <std::size_t I, class T>
struct slot {
  using type = T;
};
template <class Index, class... T>
struct slot_list;
template <std::size_t... I, class... T>
struct slot_list<std::index_sequence<I...>, T...> : slot<I, T>... {};
template <std::size_t I, class T>
slot<I, T> pick(slot<I, T>*);

template <class... N>
struct number_of_axes {
  static constexpr bool ok = sizeof...(N) <= max_axes;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::mesh: more than 8 axes meet in a mesh or in one operation; join axes that you always use together");
  }
};
template <class List>
struct names_of_list;
template <class... N>
struct names_of_list<name_list<N...>> {
  using all = slot_list<std::index_sequence_for<N...>, N...>;
  static constexpr char const* text[sizeof...(N) + 1]{N::text..., nullptr};
  template <class Name>
  static constexpr int index = [] {
    number_of_axes<N...>::say();
    int found = -1, i = 0;
    ((std::is_same_v<Name, N> ? void(found = i) : void(), ++i), ...);
    return found;
  }();
};

/// The names in a dimension's literal, major to minor, as name_list.
template <dimension Literal>
using names_in_t = typename split_names<Literal, 0>::type;

/// The name in an axis literal, as axis_name.
template <axis_literal Name>
using axis_name_t = typename name_at<as_dimension(Name), 0, std::make_index_sequence<Name.size>>::type;

/// Position of a name in a list, or -1.
template <class List, class Name>
inline constexpr int name_index_v = names_of_list<List>::template index<Name>;

/// The name at a position of a list.
template <class List, int I>
using name_at_t = typename decltype(pick<I>(static_cast<typename names_of_list<List>::all*>(nullptr)))::type;

/// The text of the name at a run-time position.
template <class List>
constexpr char const* name_text(int i) {
  return names_of_list<List>::text[i];
}

}  // namespace meta_detail

}  // namespace ashlar
