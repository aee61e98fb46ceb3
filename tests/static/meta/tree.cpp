// Trees: the order of leaves, the trees that results make, and one layer that counts for several.
#include "ashlar/meta/tree.hpp"
#include <string_view>

using namespace ashlar;
using namespace ashlar::meta_detail;

namespace {

// clang-format off
template <class A> struct of_1 { A a; static constexpr auto names = ashlar::names("a"); };
template <class A, class B> struct of_2 { A a; B b; static constexpr auto names = ashlar::names("a", "b"); };
template <class A, class B, class C> struct of_3 { A a; B b; C c; static constexpr auto names = ashlar::names("a", "b", "c"); };
template <class A, class B, class C, class D> struct of_4 { A a; B b; C c; D d; static constexpr auto names = ashlar::names("a", "b", "c", "d"); };
template <class A, class B, class C, class D, class E> struct of_5 { A a; B b; C c; D d; E e; static constexpr auto names = ashlar::names("a", "b", "c", "d", "e"); };
template <class A, class B, class C, class D, class E, class F> struct of_6 { A a; B b; C c; D d; E e; F f; static constexpr auto names = ashlar::names("a", "b", "c", "d", "e", "f"); };
template <class A, class B, class C, class D, class E, class F, class G> struct of_7 { A a; B b; C c; D d; E e; F f; G g; static constexpr auto names = ashlar::names("a", "b", "c", "d", "e", "f", "g"); };
template <class A, class B, class C, class D, class E, class F, class G, class H> struct of_8 { A a; B b; C c; D d; E e; F f; G g; H h; static constexpr auto names = ashlar::names("a", "b", "c", "d", "e", "f", "g", "h"); };
template <class A, class B, class C, class D, class E, class F, class G, class H, class I> struct of_9 { A a; B b; C c; D d; E e; F f; G g; H h; I i; static constexpr auto names = ashlar::names("a", "b", "c", "d", "e", "f", "g", "h", "i"); };
template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J> struct of_10 { A a; B b; C c; D d; E e; F f; G g; H h; I i; J j; static constexpr auto names = ashlar::names("a", "b", "c", "d", "e", "f", "g", "h", "i", "j"); };
template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J, class K> struct of_11 { A a; B b; C c; D d; E e; F f; G g; H h; I i; J j; K k; static constexpr auto names = ashlar::names("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"); };
template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J, class K, class L> struct of_12 { A a; B b; C c; D d; E e; F f; G g; H h; I i; J j; K k; L l; static constexpr auto names = ashlar::names("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"); };
// clang-format on

// The numbers of the leaves that a function saw, in order.
struct seen {
  int number[40]{}, size = 0;
  constexpr void add(int n) { number[size++] = n; }
  // True if they are first, first + 1, ..., and there are n of them.
  constexpr bool are(int n, int first = 1, int step = 1) const {
    for (int i = 0; i < size; ++i)
      if (number[i] != first + i * step) return false;
    return size == n;
  }
};
struct doubled {
  long value;
};

// A tree of the numbers 1 to n: functions see its members in order, and each once.
template <template <class...> class Tree, std::size_t... I>
constexpr bool has_members_in_order(std::index_sequence<I...>) {
  constexpr int n = sizeof...(I);
  auto x = build<Tree>(static_cast<int>(I + 1)...);
  seen one, two, three, mapped, members;
  for_each_leaf([&](int a) { one.add(a); }, x);
  auto const tens = build<Tree>(static_cast<int>(10 * (I + 1))...),
             hundreds = build<Tree>(static_cast<int>(100 * (I + 1))...);
  for_each_leaf([&](int a, int b) { two.add(b - a); }, x, tens);
  for_each_leaf([&](int a, int b, int c) { three.add(c - b + a); }, x, tens, hundreds);
  auto const y = map([&](int a) { return mapped.add(a), doubled{2 * a}; }, x);
  static_assert(std::is_same_v<decltype(y), Tree<decltype(doubled{static_cast<long>(I)})...> const>);
  auto const z = map_members([&](int a) { return members.add(a), doubled{3 * a}; }, x);
  bool const right =
      ((member<I>(x) == I + 1 && member<I>(y).value == 2 * (I + 1) && member<I>(z).value == 3 * (I + 1)) && ...);
  for_each_leaf([](int& a) { a += 10; }, x);
  return right && one.are(n) && two.are(n, 9, 9) && three.are(n, 91, 91) && mapped.are(n) && members.are(n) &&
         ((member<I>(x) == I + 11) && ...) && first_leaf(x) == 11;
}
template <template <class...> class Tree, std::size_t N>
inline constexpr bool in_order = has_members_in_order<Tree>(std::make_index_sequence<N>{});
static_assert(in_order<of_1, 1> && in_order<of_2, 2> && in_order<of_3, 3> && in_order<of_4, 4> && in_order<of_5, 5>);
static_assert(in_order<of_6, 6> && in_order<of_7, 7> && in_order<of_8, 8> && in_order<of_9, 9>);
static_assert(in_order<of_10, 10> && in_order<of_11, 11> && in_order<of_12, 12>);
static_assert(in_order<std::tuple, 1> && in_order<std::tuple, 5> && in_order<std::tuple, 13>);

// Names are the members', in order.
static_assert(of_3<int, int, int>::names.count == 3 && std::string_view(of_3<int, int, int>::names.name[2]) == "c");
constexpr auto long_names = names("kernel", "a bias");
static_assert(std::string_view(long_names.name[0]) == "kernel" && std::string_view(long_names.name[1]) == "a bias");

// Trees are aggregates with names, and tuples. Anything else is a leaf.
template <class A>
struct without_names {
  A a;
};
static_assert(tree<of_1<int>> && tree<of_1<int> const&> && tree<std::tuple<>> && tree<std::tuple<int>&>);
static_assert(!tree<int> && !tree<std::pair<int, int>> && !tree<without_names<int>>);
static_assert(map([](int a) { return a + 1; }, 4) == 5);
constexpr seen of_a_leaf = [] {
  seen s;
  for_each_leaf([&](int a) { s.add(a); }, std::as_const(s.size));
  return s;
}();
static_assert(of_a_leaf.size == 1 && of_a_leaf.number[0] == 0);

// Trees of trees, empty ones among them: leaves in order of depth first, and results of the same structure.
constexpr auto nested = build<of_3>(std::tuple(1, of_2<int, std::tuple<>>{2, {}}), of_1<std::tuple<int>>{{3}},
                                    std::tuple(std::tuple<>(), 4, std::tuple(5)));
static_assert([] {
  seen s;
  for_each_leaf([&](int a) { s.add(a); }, nested);
  return s.are(5);
}());
static_assert([] {
  seen s;
  auto const twice = map([](int a) { return doubled{2 * a}; }, nested);
  for_each_leaf([&](int a, doubled b, int c) { s.add(a + static_cast<int>(b.value) + c); }, nested, twice, nested);
  return s.are(5, 4, 4);
}());
static_assert(std::is_same_v<decltype(map([](int) { return 'c'; }, nested)),
                             of_3<std::tuple<char, of_2<char, std::tuple<>>>, of_1<std::tuple<char>>,
                                  std::tuple<std::tuple<>, char, std::tuple<char>>>>);
static_assert(first_leaf(nested) == 1);
// map_members stops at the members.
static_assert(std::is_same_v<decltype(map_members([](auto const& x) { return sizeof x; }, nested)),
                             of_3<std::size_t, std::size_t, std::size_t>>);
// A leaf that is not as a predicate wants it is found at any depth.
static_assert(!some_leaf_is_not<std::is_integral, std::remove_const_t<decltype(nested)>>);
static_assert(some_leaf_is_not<std::is_integral, std::tuple<int, of_2<int, std::tuple<int, float>>>>);
static_assert(!some_leaf_is_not<std::is_integral, std::tuple<>> && some_leaf_is_not<std::is_integral, float>);

// Equal layers, as n members and as one that counts for all.
static_assert(std::is_same_v<decltype(stack<3>(of_1<int>{7})), std::tuple<of_1<int>, of_1<int>, of_1<int>>>);
static_assert(std::get<0>(stack<3>(7)) == 7 && std::get<2>(stack<3>(7)) == 7);
static_assert(std::is_same_v<decltype(stack<0>(7)), std::tuple<>>);
static_assert(std::string_view(decltype(equal_layers<5>(1))::names.name[0]) == "each");
static_assert(map([](int a) { return a + 1; }, equal_layers<5>(of_1<int>{1})).each.a == 2);
static_assert(std::is_same_v<decltype(map([](int) { return 'c'; }, equal_layers<5>(of_1<int>{1}))),
                             decltype(equal_layers<5>(of_1<char>{'c'}))>);
static_assert(!std::is_same_v<decltype(equal_layers<5>(1)), decltype(equal_layers<4>(1))>);

// A leaf whose mesh has a ledger.
struct log_of_times {
  int times = 1;
  constexpr int times_counted() const { return times; }
  constexpr void count_times(int n) { times = n; }
};
struct recorder_of_times {
  log_of_times log;
};
struct leaf {
  recorder_of_times* at;
  constexpr leaf const& mesh() const { return *this; }
  constexpr recorder_of_times* recorder() const { return at; }
};
// The times that its collectives count for, where functions see it.
constexpr bool layers_count(bool with_ledger) {
  recorder_of_times r;
  leaf const x{with_ledger ? &r : nullptr};
  auto const model = std::tuple(x, equal_layers<3>(std::tuple(x, equal_layers<4>(x))), equal_layers<1>(x), x);
  constexpr int expected[]{1, 3, 12, 1, 1};
  seen leaves, pairs, mapped, members;
  auto const note_in = [&](seen& s) { return [&](leaf const&, auto const&...) { return s.add(r.log.times), 0; }; };
  for_each_leaf(note_in(leaves), model);
  for_each_leaf(note_in(pairs), model, model);
  (void)map(note_in(mapped), model);
  (void)map_members(note_in(members), std::get<1>(std::get<1>(model).each));
  bool right = r.log.times == 1 && members.size == 1 && members.number[0] == (with_ledger ? 4 : 1);
  for (seen const& s : {leaves, pairs, mapped}) {
    right = right && s.size == 5;
    for (int i = 0; i < 5; ++i) right = right && s.number[i] == (with_ledger ? expected[i] : 1);
  }
  return right;
}
static_assert(layers_count(true) && layers_count(false));

}  // namespace
