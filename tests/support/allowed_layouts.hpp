// The layouts that a layer's own rule allows for its operands together, over a mesh of two axes.
#pragma once
#include "ashlar/layout/layout.hpp"
#include "ashlar/layout/rule.hpp"
#include <boost/mp11/list.hpp>
#include <array>

namespace ashlar::test {

/// The layouts to test: one per class of layouts that differ only in the names of their axes, or every layout.
enum class sweep { classes, every };
#ifdef ASHLAR_EVERY_LAYOUT
inline constexpr sweep swept = sweep::every;
#else
inline constexpr sweep swept = sweep::classes;
#endif

/// Layouts of operands, the result's layout by the rule, and the axes that the result names.
template <axis_mask Named, class Result, class... L>
struct placed {
  using result = Result;
};

namespace search {

using two_axes =
    layout_detail::context<meta_detail::name_list<meta_detail::axis_name_t<"data">, meta_detail::axis_name_t<"model">>>;

template <std::size_t N>
using layouts = std::array<layout_value, N>;

// Layouts of operands of known ranks as codes. The compiler's constants are 10 % of the size of layout values.
template <std::size_t N>
struct layout_codes {
  std::array<unsigned long long, N> axes{}, blocks{};
  friend constexpr bool operator==(layout_codes const&, layout_codes const&) = default;
};

template <std::size_t N, std::size_t Most>
struct layout_table {
  std::size_t size = 0;
  std::array<layout_codes<N>, Most> row{};
};

template <class Rule, std::size_t N>
constexpr rule_result ask(layouts<N> const& x) {
  return
      [&]<std::size_t... I>(std::index_sequence<I...>) { return Rule::rule(x[I]...); }(std::make_index_sequence<N>{});
}

template <class Rule, int... Rank>
struct layout_search {
  static constexpr std::size_t operands = sizeof...(Rank);
  using row = layouts<operands>;
  static constexpr std::array<int, operands> rank{Rank...};

  // The use of one axis in all operands, as one number. In each it is unused, shards a dimension, or is partial. 0:
  // unused in all.
  static constexpr int places = (1 * ... * (Rank + 2));
  static constexpr row put(row x, int place, int axis) {
    for (std::size_t o = 0; o < operands; ++o) {
      int const here = place % (rank[o] + 2);
      place /= rank[o] + 2;
      if (here > rank[o])
        x[o].add_partial(layout_detail::op_sum, layout_detail::mask_of(axis));
      else if (here > 0)
        x[o].dim[here - 1].push(axis);
    }
    return x;
  }
  // Makes each dimension block-cyclic by its leading axes that are in `axes`, in blocks of 2.
  static constexpr row made_cyclic(row x, axis_mask axes) {
    for (layout_value& v : x)
      for (int d = 0; d < v.rank; ++d)
        while (v.dim[d].cyclic < v.dim[d].size && (layout_detail::mask_of(v.dim[d][v.dim[d].cyclic]) & axes))
          ++v.dim[d].cyclic, v.dim[d].block = 2;
    return x;
  }
  static constexpr layout_codes<operands> codes(row const& x) {
    layout_codes<operands> c;
    for (std::size_t o = 0; o < operands; ++o)
      c.axes[o] = layout_detail::encode(x[o]), c.blocks[o] = layout_detail::encode_blocks(x[o]);
    return c;
  }
  static constexpr row values(layout_codes<operands> const& c) {
    row x;
    for (std::size_t o = 0; o < operands; ++o) x[o] = layout_detail::decode(c.axes[o], c.blocks[o], rank[o]);
    return x;
  }
  template <std::size_t Most>
  static constexpr void add(layout_table<operands, Most>& t, row const& x) {
    auto const c = codes(x);
    for (std::size_t i = 0; i < t.size; ++i)
      if (t.row[i] == c) return;
    if (ask<Rule>(x).why == fault::fits) t.row[t.size++] = c;
  }

  // A rule that allows a layout also allows it without one of its axes. So layouts of two axes are pairs of layouts of
  // one.
  template <sweep How, std::size_t Most = How == sweep::every ? 512 : 96>
  static constexpr layout_table<operands, Most> table() {
    std::array<int, 64> alone{};
    std::size_t n = 0;
    row nowhere{};
    for (std::size_t o = 0; o < operands; ++o) nowhere[o].rank = rank[o];
    for (int p = 0; p < places; ++p)
      if (ask<Rule>(put(nowhere, p, 0)).why == fault::fits) alone[n++] = p;
    layout_table<operands, Most> t;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = How == sweep::every ? 0 : i; j < n; ++j) {
        add(t, put(put(nowhere, alone[j], 1), alone[i], 0));
        if (How == sweep::every || i != j) add(t, put(put(nowhere, alone[i], 0), alone[j], 1));
      }
    if (How == sweep::classes)
      for (std::size_t i = 1; i < n; ++i) add(t, made_cyclic(put(nowhere, alone[i], 1), 2));
    else
      for (std::size_t i = 0, even = t.size; i < even; ++i)
        for (axis_mask cyclic_axes = 1; cyclic_axes < 4; ++cyclic_axes)
          add(t, made_cyclic(values(t.row[i]), cyclic_axes));
    return t;
  }
};

template <class Rule, sweep How, int... Rank>
struct allowed {
  using found = layout_search<Rule, Rank...>;
  static constexpr auto table = found::template table<How>();
  static_assert(table.size > 1);

  template <layout_value const& V>
  using type_of =
      layout_detail::layout_from_t<two_axes, layout_detail::encode(V), layout_detail::encode_blocks(V), V.rank>;
  template <std::size_t I>
  struct row {
    static constexpr auto values = found::values(table.row[I]);
    static constexpr layout_value result = ask<Rule>(values).out;
    template <std::size_t... O>
    static auto types(std::index_sequence<O...>) -> placed<
        result.named(), type_of<result>,
        layout_detail::layout_from_t<two_axes, table.row[I].axes[O], table.row[I].blocks[O], values[O].rank>...>;
    using type = decltype(types(std::make_index_sequence<sizeof...(Rank)>{}));
  };
  template <std::size_t... I>
  static auto list(std::index_sequence<I...>) -> boost::mp11::mp_list<typename row<I>::type...>;
  using type = decltype(list(std::make_index_sequence<table.size>{}));
};

}  // namespace search

/// All layouts of operands of these ranks that Rule::rule allows, as a list of `placed`. In each operand an axis is
/// unused, shards a dimension, or is partial. Two axes shard a dimension in both orders. Block-cyclic dimensions are
/// included.
/// Example: allowed_layouts<conv2d_op<1, 1, padding::same>, sweep::classes, 4, 4>
template <class Rule, sweep How, int... Rank>
using allowed_layouts = typename search::allowed<Rule, How, Rank...>::type;

}  // namespace ashlar::test
