// labels: nightly
// Attention and embedding against arrays of PyTorch's: values and derivatives, on all meshes and in all classes of layouts
// that their rules allow, with uneven and empty shards.
#include "support/attention_rule.hpp"
#include "support/layer_reference.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

TEST_CASE("embedding") {
  check_layouts_beside<allowed_layouts<ops_detail::take_op, swept, 2, 2>>(
      "embedding", []<class I>(std::type_identity<I>) {
        return [](auto const& table) {
          return embedding(table, reference_tensor<I, std::int32_t>(table.mesh(), "embedding.x1"));
        };
      });
}

TEST_CASE("attention") {
  for (bool causal : {false, true})
    check_layouts<allowed_layouts<attention_rule, swept, 4, 4, 4>>(
        causal ? "attention_causal" : "attention",
        [causal](auto const& q, auto const& k, auto const& v) { return attention(q, k, v, causal); });
}
