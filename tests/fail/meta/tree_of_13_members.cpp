// A tree of 13 members.
// EXPECT: ashlar::tree: a tree has 1 to 12 members; group them
#include "ashlar/meta/tree.hpp"

using namespace ashlar;
#ifdef ASHLAR_CONTROL
template <class A, class B>
struct weights {
  A kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
constexpr auto all = build<weights>(1, 2);
#else
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
#endif
constexpr int total = [] {
  int sum = 0;
  for_each_leaf([&](int x) { sum += x; }, all);
  return sum;
}();
