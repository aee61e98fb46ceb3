// Labels as floating-point numbers: a label is the class of a row.
// EXPECT: ashlar::softmax_cross_entropy: labels are integers, the class of each row; write cast<int>\(labels\), or give
// EXPECT: ashlar::softmax_cross_entropy: labels are integers, the class of each row, and weights follow them
// EXPECT: ashlar::sharded_cross_entropy: labels are integers, the class of each row; write cast<int>\(labels\)
// EXPECT: ashlar::accuracy_count: labels are integers, the class of each row; write cast<int>\(labels\)
// EXPECT: ashlar::top_k_count: labels are integers, the class of each row; write cast<int>\(labels\)
// EXPECT: ashlar::confusion_counts: labels are integers, the class of each row; write cast<int>\(labels\)
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto z = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto w = make<float, layout<"data">>(m, {8});

#ifdef ASHLAR_CONTROL
constexpr auto labels = make<int, layout<"data">>(m, {8});
#else
constexpr auto labels = make<float, layout<"data">>(m, {8});
#endif
constexpr auto a = softmax_cross_entropy(z, labels);
constexpr auto b = softmax_cross_entropy(z, labels, w);
constexpr auto c = sharded_cross_entropy(z, labels);
constexpr auto d = accuracy_count(z, labels);
constexpr auto e = top_k_count(z, labels, 2);
constexpr auto f = confusion_counts(z, labels);
