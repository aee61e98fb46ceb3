// SPDX-License-Identifier: BSL-1.0
// Layouts with halos: shards that have room for cells of their neighbours. Their types, and the states of their cells.
#pragma once
#include "ashlar/layout/halo_cells.hpp"
#include "ashlar/layout/layout.hpp"

namespace ashlar {

/// The cells that an exchange fills: all, or those alone that are outside the owned box in one dimension.
enum class corners : unsigned char { filled, skipped };

namespace layout_detail {

/// The room of one dimension: cells below and above the owned ones, and what is beyond the domain on either side.
template <int Lower, int Upper, boundary Below, boundary Above>
struct room {
  static constexpr halo_width width{Lower, Upper, Below, Above};
};

/// What the cells outside the owned box hold.
namespace halo_state {
struct fresh {};
struct unfilled {};
struct without_corners {};
struct sums {};
}  // namespace halo_state

/// A layout whose shards have room for halos: one room per dimension. L is the layout of the owned cells.
template <class L, class State, class... Room>
struct basic_haloed {
  static constexpr int rank = L::rank;
};

consteval dimension haloed(dimension over, int lower, int upper, boundary below, boundary above) {
  if (lower < 0 || lower > 255 || upper < 0 || upper > 255)
    throw "ashlar::halo: a width is 0 to 255 cells; write a width from this range";
  if ((below == boundary::periodic) != (above == boundary::periodic))
    throw "ashlar::halo: one side of a dimension is periodic and the other is not; write boundary::periodic for both or none";
  for (unsigned i = 0; i < over.size; ++i) {
    if (over[i] == meta_detail::block_mark)
      throw "ashlar::halo: neighbours in a block-cyclic dimension are on other ranks; write halo(\"p\", 1) over a balanced split";
    if (over[i] == meta_detail::halo_mark) throw "ashlar::halo: the dimension has a halo already; write halo once";
  }
  char const text[]{meta_detail::halo_mark, static_cast<char>(lower), static_cast<char>(upper),
                    static_cast<char>(below), static_cast<char>(above)};
  over.append(text, sizeof text);
  return over;
}

template <dimension D>
struct room_of {
  using type = room<0, 0, boundary::zero, boundary::zero>;
};
template <dimension D>
  requires(meta_detail::has_halo(D))
struct room_of<D> {
  static constexpr unsigned at = meta_detail::halo_begin(D) + 1;
  using type = room<static_cast<unsigned char>(D[at]), static_cast<unsigned char>(D[at + 1]),
                    static_cast<boundary>(D[at + 2]), static_cast<boundary>(D[at + 3])>;
};
template <dimension... D>
struct layout_of<true, D...> {
  using type = basic_haloed<typename layout_of<false, meta_detail::without_halo(D)...>::type, halo_state::unfilled,
                            typename room_of<D>::type...>;
};

template <class L, class State, class... R>
struct names_of<basic_haloed<L, State, R...>> : names_of<L> {};
template <class L, class State, class... R>
struct ops_of<basic_haloed<L, State, R...>> : ops_of<L> {};
template <class L, class State, class... R>
inline constexpr bool is_layout_v<basic_haloed<L, State, R...>> = true;

/// True for layouts with halos.
template <class L>
struct layout_has_a_halo {
  static constexpr bool value = false;
};
template <class L, class State, class... R>
struct layout_has_a_halo<basic_haloed<L, State, R...>> {
  static constexpr bool value = true;
};

/// The sentence of all functions that take no halo. It is instantiated once for a layout, so it is one error.
template <class L>
constexpr void refuse_halo() {
  static_assert(!layout_has_a_halo<L>::value,
                "ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells");
}

// All that reads the value of a layout reads shards without halos. Functions that read halos ask for the value of
// owned_layout_t.
template <class Context, class L, class State, class... R>
struct value_of<Context, basic_haloed<L, State, R...>> {
  static constexpr layout_value make() {
    refuse_halo<basic_haloed<L, State, R...>>();
    return value_of<Context, L>::make();
  }
};

template <class L, class NewState>
struct with_state {
  static_assert(layout_has_a_halo<L>::value,
                "ashlar::fresh: the layout has no halo; write halo(\"x\", 1) for one of its dimensions");
  using type = L;
};
template <class L, class State, class... R, class NewState>
struct with_state<basic_haloed<L, State, R...>, NewState> {
  using type = basic_haloed<L, NewState, R...>;
};

template <class L>
struct unfilled_of {
  using type = L;
};
template <class L, class State, class... R>
struct unfilled_of<basic_haloed<L, State, R...>> {
  using type = basic_haloed<L, halo_state::unfilled, R...>;
};
struct show_halos {};

/// The layout as it is written: if it has a halo, with cells that hold nothing yet.
template <class L>
using unfilled = typename unfilled_of<L>::type;

template <class L>
struct halo_of {
  using owned = L;
  using state = void;
};
template <class L, class State, class... R>
struct halo_of<basic_haloed<L, State, R...>> {
  using owned = L;
  using state = State;
  static constexpr halo_widths widths{{R::width...}};
};
/// True for a layout with a halo that has a given boundary.
template <class L>
inline constexpr bool has_given_edge = false;
template <class L, class State, class... R>
inline constexpr bool has_given_edge<basic_haloed<L, State, R...>> =
    has_given_cells(halo_of<basic_haloed<L, State, R...>>::widths, L::rank);

template <class L>
inline constexpr bool is_partial_by_type = false;
template <class L, class Op, class... A>
inline constexpr bool is_partial_by_type<basic_partial<L, Op, A...>> = true;
/// True for layouts with halos whose cells are terms of a sum over axes.
template <class L>
struct halo_is_partial {
  static constexpr bool value = layout_has_a_halo<L>::value && is_partial_by_type<typename halo_of<L>::owned>;
};

/// The layout H with another layout of its owned cells.
template <class H, class Owned>
struct with_owned_layout;
template <class L, class State, class... R, class Owned>
struct with_owned_layout<basic_haloed<L, State, R...>, Owned> {
  using type = basic_haloed<Owned, State, R...>;
};

template <class H, class Op>
struct partial_halo {
  static constexpr bool cells = !has_given_edge<H>, sum = std::is_same_v<Op, op::sum>, ok = cells && sum;
  static constexpr void say() {
    static_assert(
        cells,
        "ashlar::partial: cells beyond a given boundary are the program's on each rank, so they are no terms of a sum; write another boundary, or owned(x)");
    static_assert(
        sum, "ashlar::partial: a tensor with a halo is partial by a sum alone; write owned(x) for another reduction");
  }
};
// A partial layout with a halo: all stored cells are terms. The halo is outside, so that layouts with halos are one family
// of types.
template <class L, class State, class... R, class Op, class... A>
struct make_partial<basic_haloed<L, State, R...>, Op, name_list<A...>> {
  using H = basic_haloed<L, State, R...>;
  static auto chosen() {
    if constexpr (!meta_detail::hold<partial_halo<H, Op>>())
      return static_cast<H*>(nullptr);
    else
      return static_cast<basic_haloed<typename make_partial<L, Op, name_list<A...>>::type, State, R...>*>(nullptr);
  }
  using type = std::remove_pointer_t<decltype(chosen())>;
};

/// The state of the halo of a layout: a class of halo_state, or void without a halo.
template <class L>
using halo_state_t = typename halo_of<L>::state;

template <class L, class State>
inline constexpr bool is_in_state = std::is_same_v<halo_state_t<L>, State>;

/// True if halo cells hold what they show, so that an operation that reads owned cells alone loses it.
template <class L>
inline constexpr bool has_filled_halo =
    is_in_state<L, halo_state::fresh> || is_in_state<L, halo_state::without_corners>;
template <class L>
inline constexpr bool has_halo_sums = is_in_state<L, halo_state::sums>;

template <class L>
inline constexpr bool halo_is_missing = !layout_has_a_halo<L>::value;

/// The state of the halo of a layout in words.
template <class L>
constexpr char const* halo_state_text() {
  return has_halo_sums<L>                              ? "sums"
         : is_in_state<L, halo_state::unfilled>        ? "unfilled"
         : is_in_state<L, halo_state::without_corners> ? "filled without corners"
                                                       : "filled";
}

}  // namespace layout_detail

/// The argument by which print and draw show halo cells, too.
/// Example: print(std::cout, u, with_halos)
inline constexpr layout_detail::show_halos with_halos{};

/// A dimension that is split as by `over`, whose shards have room for `width` cells below and above. `beyond` says what
/// cells beyond the domain hold.
/// Pre: 0 <= width <= 255; `over` is none, an axis or axes(...).
/// Error: a width that is not 0 to 255, one periodic side alone, a block-cyclic dimension and a second halo do not
/// compile.
/// Example: layout<halo("y", 1), halo("x", 2, boundary::periodic), none>
consteval dimension halo(dimension over, int width, boundary beyond = boundary::zero) {
  return layout_detail::haloed(over, width, width, beyond, beyond);
}
/// The same with a boundary for either side.
consteval dimension halo(dimension over, int width, boundary below, boundary above) {
  return layout_detail::haloed(over, width, width, below, above);
}
/// The same with a width for either side.
consteval dimension halo(dimension over, int lower, int upper, boundary beyond = boundary::zero) {
  return layout_detail::haloed(over, lower, upper, beyond, beyond);
}
/// The same with a width and a boundary for either side.
consteval dimension halo(dimension over, int lower, int upper, boundary below, boundary above) {
  return layout_detail::haloed(over, lower, upper, below, above);
}

/// The layout H whose halo cells are right, as exchange_halo gives it: all, or those alone that are outside the owned box in one
/// dimension. Functions that read neighbours take it. In the layout as it is written these cells hold nothing yet.
/// Example: fresh<layout<halo("y", 1), halo("x", 1)>, corners::skipped>
template <class H, corners C = corners::filled>
using fresh =
    typename layout_detail::with_state<H, std::conditional_t<C == corners::filled, layout_detail::halo_state::fresh,
                                                             layout_detail::halo_state::without_corners>>::type;
/// The layout H whose halo cells are terms of their owners' cells: the operand of add_halo, and the layout of a
/// cotangent. Its value is the sum over all stored copies of a cell, with their signs. Given cells count nothing.
template <class H>
using halo_sums = typename layout_detail::with_state<H, layout_detail::halo_state::sums>::type;
/// The layout of the owned cells: the same without halos.
/// Example: owned_layout_t<layout<halo("y", 1), none>> is layout<"y", none>
template <class H>
using owned_layout_t = typename layout_detail::halo_of<H>::owned;

}  // namespace ashlar
