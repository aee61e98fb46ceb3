#include "ashlar/meta/tree.hpp"

using namespace ashlar;

// A tree of two members with one name.
namespace names_of_other_number_than_members {
namespace right {
template <class K, class B>
struct layer {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
constexpr auto doubled = ashlar::map([](int n) { return 2 * n; }, layer<int, int>{1, 2});
}  // namespace right
// error: ashlar::names: a tree has one name and one type parameter for each member; write as many names as type parameters
namespace wrong {
template <class K, class B>
struct layer {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel");
};
constexpr auto doubled = ashlar::map([](int n) { return 2 * n; }, layer<int, int>{1, 2});
}  // namespace wrong
}  // namespace names_of_other_number_than_members

// A tree of 13 members.
namespace of_13_members {
constexpr int sum_of(auto const& tree) {
  int sum = 0;
  for_each_leaf([&](int x) { sum += x; }, tree);
  return sum;
}
namespace right {
template <class A, class B>
struct weights {
  A kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
constexpr auto all = build<weights>(1, 2);
constexpr int number = sum_of(all);
}  // namespace right
// error: ashlar::tree: a tree has 1 to 12 members; group them
namespace wrong {
template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J, class K, class L,
          class M>
struct weights {
  A a;
  B b;
  C c;
  D d;
  E e;
  F f;
  G g;
  H h;
  I i;
  J j;
  K k;
  L l;
  M m;
  static constexpr auto names = ashlar::names("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m");
};
constexpr auto all = build<weights>(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
constexpr int number = sum_of(all);
}  // namespace wrong
}  // namespace of_13_members
