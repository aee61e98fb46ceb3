// One message of float and double.
// EXPECT: ashlar::bundle: the members have different element types
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto y = all_reduce<"model">(bundle(p, p));
#else
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto q = make<double, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto y = all_reduce<"model">(bundle(p, q));
#endif
