// Gradients that are still partial over the data axis.
// EXPECT: ashlar::sum_of_squares: the tensor is partial over the axis
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
