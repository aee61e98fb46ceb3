// Layouts by the number of their dimensions are those that are written out.
#include "ashlar/layout/by_rank.hpp"

using namespace ashlar;

namespace {

template <class A, class B>
inline constexpr bool same = std::is_same_v<A, B>;

static_assert(same<replicated<0>, layout<>> && same<replicated<1>, layout<none>> &&
              same<replicated<4>, layout<none, none, none, none>>);
static_assert(same<batch_sharded<"data", 1>, layout<"data">> &&
              same<batch_sharded<"data", 4>, layout<"data", none, none, none>>);
static_assert(same<batch_sharded<axes("data", "model"), 2>, layout<axes("data", "model"), none>>);
static_assert(same<batch_sharded<cyclic("p", 2), 2>, layout<cyclic("p", 2), none>>);
static_assert(same<batch_sharded<none, 2>, replicated<2>>);

}  // namespace
