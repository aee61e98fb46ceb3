// Layouts as types, their canonical forms, and the way to values and back.
#include "ashlar/layout/layout.hpp"
#include "support/simulated_mesh.hpp"
#include <boost/mp11/algorithm.hpp>

using namespace ashlar;

template <class A, class B>
constexpr bool same = std::is_same_v<A, B>;

using data = meta_detail::axis_name<'d', 'a', 't', 'a'>;
using model = meta_detail::axis_name<'m', 'o', 'd', 'e', 'l'>;

// One entry a dimension; axes split it in the order named.
static_assert(
    same<layout<"data", none>, layout_detail::basic_layout<layout_detail::split<data>, layout_detail::whole>>);
static_assert(same<layout<axes("model", "data"), none>,
                   layout_detail::basic_layout<layout_detail::split<model, data>, layout_detail::whole>>);
static_assert(same<layout<>, layout_detail::basic_layout<>> && layout<>::rank == 0 &&
              layout<none, "data", none>::rank == 3);
static_assert(!same<layout<axes("model", "data")>, layout<axes("data", "model")>> &&
              !same<layout<none>, layout<none, none>>);

// A partial reduction: axes of one kind are a set, sorted by name, however they came together.
using rows = layout<"data", none>;
static_assert(same<partial<rows, "model">, layout_detail::basic_partial<rows, op::sum, model>>);
static_assert(same<partial<layout<none>, axes("model", "data")>,
                   layout_detail::basic_partial<layout<none>, op::sum, data, model>>);
static_assert(same<partial<partial<layout<none>, "model">, "data">, partial<layout<none>, axes("data", "model")>>);
static_assert(partial<rows, "model">::rank == 2);

// Kinds nest, the innermost is reduced first: max over a of sums over b is not the sum over b of maxima over a.
using sum_inside = partial<partial<layout<none>, "b">, "a", op::max>;
using max_inside = partial<partial<layout<none>, "a", op::max>, "b">;
static_assert(
    same<sum_inside,
         layout_detail::basic_partial<layout_detail::basic_partial<layout<none>, op::sum, meta_detail::axis_name<'b'>>,
                                      op::max, meta_detail::axis_name<'a'>>>);
static_assert(!same<sum_inside, max_inside>);
// A kind joins its neighbour, never one beyond another kind.
static_assert(same<partial<sum_inside, "c", op::max>, partial<partial<layout<none>, "b">, axes("a", "c"), op::max>>);
static_assert(
    same<partial<sum_inside, "c">, layout_detail::basic_partial<sum_inside, op::sum, meta_detail::axis_name<'c'>>>);

// A reduction of the user's own is a reduction: the union of bit sets.
struct bit_or {
  template <class T>
  static constexpr T identity() {
    return T(0);
  }
  template <class T>
  static constexpr T combine(T a, T b) {
    return a | b;
  }
};
using bits = partial<rows, "model", bit_or>;
static_assert(same<bits, layout_detail::basic_partial<rows, bit_or, model>>);
static_assert(layout_detail::value_v<layout_detail::context_of<bits>, bits>.reductions[0] ==
              layout_detail::partial_reduction{4, layout_detail::mask_of(1)});  // after the four built in
static_assert(same<partial<partial<rows, "b", bit_or>, "a", bit_or>, partial<rows, axes("a", "b"), bit_or>>);

// What is a layout.
static_assert(layout_detail::is_layout_v<rows> && layout_detail::is_layout_v<sum_inside> &&
              layout_detail::is_layout_v<layout<>>);
static_assert(!layout_detail::is_layout_v<layout_detail::whole> &&
              !layout_detail::is_layout_v<layout_detail::split<data>> && !layout_detail::is_layout_v<int>);

// The value of a type: axes are positions in a context's names.
using grid = layout_detail::context<meta_detail::name_list<data, model>>;
constexpr layout_value columns_value = layout_detail::value_v<grid, partial<layout<none, "model">, "data">>;
static_assert(columns_value.rank == 2 && columns_value.dim[0].size == 0 && columns_value.dim[1].size == 1 &&
              columns_value.dim[1][0] == 1);
static_assert(columns_value.levels == 1 &&
              columns_value.reductions[0] ==
                  layout_detail::partial_reduction{layout_detail::op_sum, layout_detail::mask_of(0)});
static_assert(columns_value.sharding() == layout_detail::mask_of(1) &&
              columns_value.partial() == layout_detail::mask_of(0) && columns_value.dim_of(1) == 1 &&
              columns_value.level_of(0) == 0 && columns_value.dim_of(0) == -1 && columns_value.level_of(1) == -1);

// A context of its own names what a layout uses, in order of appearance.
static_assert(same<layout_detail::context_of<layout<"model", "data">>::names, meta_detail::name_list<model, data>>);
static_assert(same<layout_detail::context_of<partial<layout<none, "model">, "data">, rows>::names,
                   meta_detail::name_list<model, data>>);

// From type to value to type: the same type, in any context that holds its names.
// A class: nvcc 13 refuses value_v of a context_of through an alias.
template <class Context, class L>
struct rebuilt_in {
  static constexpr layout_value value = layout_detail::value_v<Context, L>;
  using type =
      layout_detail::layout_from_t<Context, layout_detail::encode(value), layout_detail::encode_blocks(value), L::rank>;
};
template <class Context, class L>
using rebuilt = typename rebuilt_in<Context, L>::type;
template <class L>
constexpr bool survives = same<rebuilt<layout_detail::context_of<L>, L>, L>;
static_assert(survives<layout<>> && survives<layout<none>> && survives<rows> && survives<sum_inside> &&
              survives<max_inside> && survives<bits>);
static_assert(survives<partial<layout<>, "a">>);  // a scalar of which the result is partial
static_assert(survives<partial<bits, "b", op::min>>);
static_assert(same<rebuilt<grid, rows>, rows> &&
              same<rebuilt<layout_detail::context<meta_detail::name_list<model, data>>, rows>, rows>);
// The order of a context's names does not matter: partial axes are sorted by name.
using partial_both = partial<layout<none>, axes("data", "model")>;
static_assert(same<rebuilt<layout_detail::context<meta_detail::name_list<model, data>>, partial_both>, partial_both>);

// Up to 8 dimensions and 8 axes: each on a dimension of its own, all on one, all partial, four kinds nested.
static_assert(survives<layout<"a", "b", "c", "d", "e", "f", "g", "h">>);
static_assert(survives<layout<"h", "g", "f", "e", "d", "c", "b", "a">>);
static_assert(survives<layout<none, none, none, none, none, none, none, axes("h", "b", "c", "g", "e", "f", "d", "a")>>);
static_assert(survives<partial<layout<none>, axes("a", "b", "c", "d", "e", "f", "g", "h")>>);
static_assert(survives<partial<partial<partial<partial<layout<axes("h", "g"), "f", "e">, "d">, "c", op::max>, "b">, "a",
                               op::prod>>);

// Block-cyclic dimensions: by one axis or several, of different sizes in different dimensions, of axes that are partial otherwise.
static_assert(survives<layout<cyclic("a", 64), none>> && survives<layout<none, cyclic(axes("b", "a"), 65535)>> &&
              survives<layout<cyclic("a", 1), cyclic("b", 2), cyclic("c", 3), "d", cyclic("e", 4)>> &&
              survives<partial<layout<cyclic("a", 2)>, "b", op::max>>);
static_assert(!same<layout<cyclic("a", 1)>, layout<"a">> && !same<layout<cyclic("a", 1)>, layout<cyclic("a", 2)>> &&
              !same<layout<cyclic("a", 2), "b">, layout<"a", cyclic("b", 2)>>);
// What only steps on the way have: axes behind block-cyclic ones.
using cyclic_and_split = layout_detail::basic_layout<layout_detail::cyclic_split<3, 1, data, model>>;
static_assert(survives<cyclic_and_split> && !same<cyclic_and_split, layout<cyclic(axes("data", "model"), 3)>>);

// From value to type to value, for every layout of rank 2 on two axes with all kinds of reductions: 63 different types.
template <int Rank, int Axes, unsigned Ops, std::size_t Count>
constexpr auto codes = [] {
  std::array<unsigned long long, Count> all{};
  std::size_t n = 0;
  test::for_each_layout(Rank, Axes, Ops, [&](layout_value const& v) {
    if (layout_detail::decode(layout_detail::encode(v), layout_detail::encode_blocks(v), Rank) != v)
      throw "a layout does not survive packing";
    all[n++] = layout_detail::encode(v);
  });
  if (n != Count) throw "not all layouts are listed";
  return all;
}();
template <int Rank, int Axes, unsigned Ops, std::size_t Count>
constexpr bool types_are_different = []<std::size_t... I>(std::index_sequence<I...>) {
  using all = boost::mp11::mp_list<layout_detail::layout_from_t<grid, codes<Rank, Axes, Ops, Count>[I], 0, Rank>...>;
  static_assert(((layout_detail::encode(layout_detail::value_v<grid, boost::mp11::mp_at_c<all, I>>) ==
                  codes<Rank, Axes, Ops, Count>[I]) &&
                 ...));
  return boost::mp11::mp_is_set<all>::value;
}(std::make_index_sequence<Count>{});
static_assert(types_are_different<2, 2, test::all_ops, 63>);
// One axis on each dimension of eight: the arrays behind these differ only in the place of one element, which g++
// ignores in template arguments that hold arrays (docs/decisions/literals.md).
static_assert(types_are_different<8, 1, test::sums, 10>);

// Editing values keeps them canonical: levels that become neighbours of one kind join.
constexpr bool test_drop_partial() {
  using three = partial<partial<partial<layout<none>, "a">, "b", op::max>, "c">;
  using c = layout_detail::context_of<three>;
  layout_value v = layout_detail::value_v<c, three>;
  v.drop_partial(layout_detail::mask_of(1));
  return v == layout_detail::value_v<c, partial<layout<none>, axes("a", "c")>>;
}
static_assert(test_drop_partial());
// An axis of size 1 is named nowhere.
static_assert(layout_detail::value_v<grid, partial<layout<none, "model">, "data">>.without(layout_detail::mask_of(0)) ==
              layout_detail::value_v<grid, layout<none, "model">>);
static_assert(layout_detail::value_v<grid, partial<layout<none, "model">, "data">>.without(layout_detail::mask_of(1)) ==
              layout_detail::value_v<grid, partial<layout<none, none>, "data">>);
