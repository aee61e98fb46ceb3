// The result of a collective that nobody takes.
// EXPECT: ignoring return value|nodiscard
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
void f() {
  auto y = all_reduce<"model">(p);
  (void)y;
}
#else
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
void f() { all_reduce<"model">(p); }
#endif
