// Gradients in which the sum over the data axis still pends.
// EXPECT: ashlar::sum_of_squares: a reduction pends over the axis
#include "ashlar/train/optimizer.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
using gradient = layout<none, "model">;
#else
using gradient = partial<layout<none, "model">, "data">;
#endif
constexpr auto g = clip_by_global_norm(std::tuple(make<float, gradient>(m, {8, 4})), 1.0);
