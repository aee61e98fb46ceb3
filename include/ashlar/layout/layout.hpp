// SPDX-License-Identifier: BSL-1.0
// Layouts as types, and their conversion to a layout_value and back.
#pragma once
#include "ashlar/layout/op.hpp"
#include "ashlar/layout/value.hpp"
#include "ashlar/meta/check.hpp"
#if !__has_include(<boost/mp11/list.hpp>)
#error \
    "ashlar::layout: Boost.MP11 is needed and boost/mp11/list.hpp is not found; install it (on Debian libboost-dev), or set Boost_ROOT"
#include <missing/boost/mp11/list.hpp>  // ends the compilation here
#endif
#include <boost/mp11/list.hpp>
#include <boost/mp11/set.hpp>

namespace ashlar {

namespace layout_detail {

/// A dimension that no axis shards.
struct whole {};

/// A dimension split over axes, major to minor.
template <class... Axes>
struct split {};

/// A block-cyclic dimension: its blocks are assigned round-robin to the ranks of the first Count axes. The other axes
/// split the indices that each rank then has.
template <int Block, int Count, class... Axes>
struct cyclic_split {};

/// A layout with one entry per dimension: whole, split or cyclic_split. Over an axis that no entry names the tensor is
/// replicated.
template <class... Dims>
struct basic_layout {
  static constexpr int rank = sizeof...(Dims);
};

/// A layout that is partial over axes: each rank along them holds one term of a reduction. The axes are sorted by name.
/// Reductions nest, and the innermost is done first.
template <class Layout, class Op, class... Axes>
struct basic_partial {
  static constexpr int rank = Layout::rank;
};

/// A list of reductions, in a given order. The first four are always sum, max, min, prod.
template <class... Ops>
struct op_list {};

using builtin_ops = op_list<op::sum, op::max, op::min, op::prod>;

/// The lists that a layout_value refers to by position: `Names` for its axes, `Ops` for its reductions.
template <class Names, class Ops = builtin_ops>
struct context {
  using names = Names;
  using ops = Ops;
};

template <class Names>
struct dim_from_names;
template <class... A>
struct dim_from_names<name_list<A...>> {
  using type = split<A...>;
};
template <>
struct dim_from_names<name_list<>> {
  using type = whole;
};
template <class Names, int Block>
struct cyclic_dim;
template <class... A, int Block>
struct cyclic_dim<name_list<A...>, Block> {
  using type = cyclic_split<Block, sizeof...(A), A...>;
};
template <dimension D>
struct dim_of : dim_from_names<names_in_t<D>> {};
template <dimension D>
  requires(block_of(D) != 0)
struct dim_of<D> : cyclic_dim<names_in_t<D>, block_of(D)> {};

template <class L>
struct names_of;
template <>
struct names_of<whole> {
  using type = name_list<>;
};
template <class... A>
struct names_of<split<A...>> {
  using type = name_list<A...>;
};
template <int Block, int Count, class... A>
struct names_of<cyclic_split<Block, Count, A...>> {
  using type = name_list<A...>;
};
template <class... D>
struct names_of<basic_layout<D...>> {
  using type = boost::mp11::mp_set_union<name_list<>, typename names_of<D>::type...>;
};
template <class L, class Op, class... A>
struct names_of<basic_partial<L, Op, A...>> {
  using type = boost::mp11::mp_set_union<typename names_of<L>::type, name_list<A...>>;
};

template <class L>
struct ops_of {
  using type = builtin_ops;
};
template <class L, class Op, class... A>
struct ops_of<basic_partial<L, Op, A...>> {
  using type = boost::mp11::mp_set_union<typename ops_of<L>::type, op_list<Op>>;
};

template <class Ops, class Op>
inline constexpr int op_index = -1;
template <class... All, class Op>
inline constexpr int op_index<op_list<All...>, Op> = [] {
  int found = -1, i = 0;
  ((std::is_same_v<All, Op> ? void(found = i) : void(), ++i), ...);
  return found;
}();
template <class Ops, int I>
struct op_at;
template <class... All, int I>
struct op_at<op_list<All...>, I> {
  using type =
      typename decltype(pick<I>(static_cast<slot_list<std::index_sequence_for<All...>, All...>*>(nullptr)))::type;
};

template <class Names, class D>
inline constexpr axis_list axes_of{};
template <class Names, class... A>
inline constexpr axis_list axes_of<Names, split<A...>> = [] {
  axis_list split_axes;
  // A name that is not in the list is left out: axes_missing_from_mesh finds it.
  ((name_index_v<Names, A> >= 0 ? split_axes.push(name_index_v<Names, A>) : void()), ...);
  return split_axes;
}();

template <class Names, int Block, int Count, class... A>
inline constexpr axis_list axes_of<Names, cyclic_split<Block, Count, A...>> = [] {
  axis_list split_axes = axes_of<Names, split<A...>>;
  split_axes.cyclic = Count;
  split_axes.block = Block;
  return split_axes;
}();

template <class Context, class L>
struct value_of;
template <class Context, class... D>
struct value_of<Context, basic_layout<D...>> {
  static constexpr layout_value make() {
    layout_value v;
    ((v.dim[v.rank++] = axes_of<typename Context::names, D>), ...);
    return v;
  }
};
// A layout's code has room for 7 different reductions: the 4 of the library and 3 more.
template <class Ops>
struct number_of_reductions;
template <class... Op>
struct number_of_reductions<op_list<Op...>> {
  static constexpr bool ok = sizeof...(Op) <= 7;
  static constexpr void say() {
    static_assert(
        ok, "ashlar::partial: more than three reductions of your own meet in one operation; reduce some of them first");
  }
};
template <class Context, class L, class Op, class... A>
struct value_of<Context, basic_partial<L, Op, A...>> {
  static constexpr layout_value make() {
    number_of_reductions<typename Context::ops>::say();
    layout_value v = value_of<Context, L>::make();
    v.add_partial(op_index<typename Context::ops, Op>, axes_of<typename Context::names, split<A...>>.mask());
    return v;
  }
};

template <class... D>
inline constexpr bool axis_shards_two_dimensions = [] {
  constexpr int named = (0 + ... + boost::mp11::mp_size<typename names_of<D>::type>::value);
  return named != boost::mp11::mp_size<typename names_of<basic_layout<D...>>::type>::value;
}();
template <class... D>
struct checked_layout {
  static_assert(boost::mp11::mp_size<typename names_of<basic_layout<D...>>::type>::value <= max_axes,
                "ashlar::layout: more than 8 axes shard one tensor; join axes that you always use together");
  static_assert(sizeof...(D) <= max_rank, "ashlar::layout: a tensor has at most 8 dimensions; join dimensions");
  static_assert(
      !axis_shards_two_dimensions<D...>,
      "ashlar::layout: an axis shards two dimensions; each axis shards a tensor at most once, write none for one of them");
  using type = basic_layout<D...>;
};

/// The layout of specs. (layout/halo.hpp: if one of them has a halo.)
template <bool Haloed, dimension... D>
struct layout_of;
template <dimension... D>
struct layout_of<false, D...> : checked_layout<typename dim_of<D>::type...> {};

// The axes of a mask, sorted by name.
template <class Names>
constexpr axis_list sorted_by_name(axis_mask m) {
  axis_list l;
  for (int a = 0; a < Names::size; ++a)
    if (m >> a & 1u) {
      int i = l.size++;
      for (; i > 0 && name_less(name_text<Names>(a), name_text<Names>(l[i - 1])); --i) l.axis[i] = l.axis[i - 1];
      l.axis[i] = static_cast<signed char>(a);
    }
  return l;
}

template <class Context, unsigned long long Code, unsigned long long Blocks, int Rank>
struct layout_from {
  static constexpr layout_value v = decode(Code, Blocks, Rank);
  using names = typename Context::names;

  template <int D, int... I>
  static auto dim(std::integer_sequence<int, I...>) -> split<name_at_t<names, v.dim[D][I]>...>;
  template <int D, int... I>
    requires(v.dim[D].block != 0)
  static auto dim(std::integer_sequence<int, I...>)
      -> cyclic_split<v.dim[D].block, v.dim[D].cyclic, name_at_t<names, v.dim[D][I]>...>;
  template <int D>
  static auto dim(std::integer_sequence<int>) -> whole;
  template <int... D>
  static auto dims(std::integer_sequence<int, D...>)
      -> basic_layout<decltype(dim<D>(std::make_integer_sequence<int, v.dim[D].size>{}))...>;

  template <int Level, class Inner, int... I>
  static auto level(std::integer_sequence<int, I...>) {
    constexpr axis_list sorted = sorted_by_name<names>(v.reductions[Level].axes);
    using op = typename op_at<typename Context::ops, v.reductions[Level].op>::type;
    return static_cast<basic_partial<Inner, op, name_at_t<names, sorted[I]>...>*>(nullptr);
  }
  template <int Level, class Inner>
  static auto levels() {
    if constexpr (Level == v.levels) {
      return static_cast<Inner*>(nullptr);
    } else {
      constexpr int n = sorted_by_name<names>(v.reductions[Level].axes).size;
      using outer = std::remove_pointer_t<decltype(level<Level, Inner>(std::make_integer_sequence<int, n>{}))>;
      return levels<Level + 1, outer>();
    }
  }
  using base = decltype(dims(std::make_integer_sequence<int, Rank>{}));
  using type = std::remove_pointer_t<decltype(levels<0, base>())>;
};

}  // namespace layout_detail

/// A layout: one spec per tensor dimension, `none`, "data", axes("data", "model"), cyclic("data", 64) or halo("x", 1).
/// Over an axis that it does not name the tensor is replicated.
/// Example: layout<"data", none> is basic_layout<split<axis_name<'d','a','t','a'>>, whole>
template <dimension... Dims>
using layout = typename layout_detail::layout_of<(meta_detail::has_halo(Dims) || ...), Dims...>::type;

namespace layout_detail {

/// The context of some layouts: the names and reductions that they use, in order of appearance.
template <class... L>
using context_of =
    context<boost::mp11::mp_set_union<name_list<>, typename names_of<L>::type...>,
            boost::mp11::mp_set_union<typename ops_of<basic_layout<>>::type, typename ops_of<L>::type...>>;

/// The layout_value of a layout in a context.
/// Pre: the context holds all names and reductions of the layout.
template <class Context, class L>
inline constexpr layout_value value_v = value_of<Context, L>::make();

/// The layout type of an encoded layout_value.
/// Post: layout_from_t<C, encode(v), encode_blocks(v), rank> is L if v is value_v<C, L> and L is in canonical form.
template <class Context, unsigned long long Code, unsigned long long Blocks, int Rank>
using layout_from_t = typename layout_from<Context, Code, Blocks, Rank>::type;

template <class L>
inline constexpr bool is_layout_v = false;

template <class... D>
inline constexpr bool is_layout_v<basic_layout<D...>> = true;

template <class L, class Op, class... A>
inline constexpr bool is_layout_v<basic_partial<L, Op, A...>> = is_layout_v<L>;

template <class L, class Op, class... A>
struct names_of_partial {
  static constexpr bool reduction = std::is_class_v<Op>, named = sizeof...(A) > 0,
                        unused = ((name_index_v<typename names_of<L>::type, A> < 0) && ...),
                        ok = reduction && named && unused;
  static constexpr void say() {
    static_assert(reduction,
                  "ashlar::partial: its third argument is a reduction, as in partial<L, \"model\", op::max>");
    static_assert(named, "ashlar::partial: name the axis over which the layout is partial; none is no axis");
    static_assert(unused, "ashlar::partial: the layout already names the axis; an axis occurs in a layout once");
  }
};
template <class L, class Op, class Names>
struct make_partial;
template <class L, class Op, class... A>
struct make_partial<L, Op, name_list<A...>> {
  using c = context_of<L, basic_partial<basic_layout<>, Op, A...>>;
  static constexpr layout_value v = [] {
    layout_value w = value_v<c, L>;
    if constexpr (meta_detail::hold<names_of_partial<L, Op, A...>>())
      w.add_partial(op_index<typename c::ops, Op>, (mask_of(name_index_v<typename c::names, A>) | ... | 0u));
    return w;
  }();
  using type = layout_from_t<c, encode(v), encode_blocks(v), v.rank>;
};

}  // namespace layout_detail

/// A layout that is partial over the axes: partial<L, "model">, partial<L, axes("data", "model"), op::max>.
/// The tensor's value is the reduction of the shards along these axes. The new reduction is outermost.
template <class L, dimension Axes, class Op = op::sum>
using partial = typename layout_detail::make_partial<L, Op, meta_detail::names_in_t<Axes>>::type;

}  // namespace ashlar
