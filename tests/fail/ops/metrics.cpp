#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});

// Labels with as many dimensions as the logits.
namespace confusion_counts_of_labels_of_other_rank {
constexpr auto right = confusion_counts(x, make<int, layout<"data">>(m, {8}));
// error: ashlar::nn::confusion_counts: labels have one dimension less than logits, one label per row
constexpr auto wrong = confusion_counts(x, make<int, layout<"data", none>>(m, {8, 4}));
}  // namespace confusion_counts_of_labels_of_other_rank

// Labels with as many dimensions as the logits.
namespace top_k_count_of_labels_of_other_rank {
constexpr auto right = top_k_count(x, make<int, layout<"data">>(m, {8}), 5);
// error: ashlar::nn::top_k_count: labels have one dimension less than logits, one label per row
constexpr auto wrong = top_k_count(x, make<int, layout<"data", none>>(m, {8, 4}), 5);
}  // namespace top_k_count_of_labels_of_other_rank
