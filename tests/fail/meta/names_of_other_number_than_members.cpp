// A tree of two members with one name.
// EXPECT: ashlar::names: a tree has one name and one type parameter for each member
// ONE ERROR
#include "ashlar/meta/tree.hpp"

template <class K, class B>
struct layer {
  K kernel;
  B bias;
#ifdef ASHLAR_CONTROL
  static constexpr auto names = ashlar::names("kernel", "bias");
#else
  static constexpr auto names = ashlar::names("kernel");
#endif
};

constexpr auto doubled = ashlar::map([](int n) { return 2 * n; }, layer<int, int>{1, 2});
