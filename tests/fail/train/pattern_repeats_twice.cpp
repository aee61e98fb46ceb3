// A lazy repetition, which the subset lacks: *? would read as two.
// EXPECT: ashlar::rule: one of . \+ and . follows what it repeats
#include "ashlar/train/strategy.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
template <class K>
struct linear {
  K kernel;
  static constexpr auto names = ashlar::names("kernel");
};
template <class A, class B>
struct two {
  A d1;
  B d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
constexpr auto model = build<two>(build<linear>(weight{8, 4}), build<linear>(weight{4, 2}));
constexpr auto p = init<model_parallel<"data", rule<"d1.*l", layout<none, "model">>>>(m, model, prng_key{1});
#else
template <class K>
struct linear {
  K kernel;
  static constexpr auto names = ashlar::names("kernel");
};
template <class A, class B>
struct two {
  A d1;
  B d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
constexpr auto model = build<two>(build<linear>(weight{8, 4}), build<linear>(weight{4, 2}));
constexpr auto p = init<model_parallel<"data", rule<"d1.*?l", layout<none, "model">>>>(m, model, prng_key{1});
#endif
