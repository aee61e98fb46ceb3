// Extents that do not fit: the sentence blames the function that was called, and says what was expected.
#include "ashlar/ops/metrics.hpp"
#include "ashlar/plan/static_extents.hpp"
#include "ashlar/ops/sharded_cross_entropy.hpp"
#include <doctest/doctest.h>
#include <string>

using namespace ashlar;

TEST_CASE("labels that are more than there are rows") {
  mesh<axis<"data">> const m{{2}};
  auto const logits = make<float, layout<"data", none>>(m, {4, 3});
  auto const labels = make<int, layout<"data">>(m, {5});
  auto const fit = make<int, layout<"data">>(m, {4});
  auto const weights = make<float, layout<"data">>(m, {5});
  auto const rule = [](char const* name) {
    return "ashlar::" + std::string(name) + ": there is one label a row of the logits; found (4, 3) and (5)";
  };
  CHECK_THROWS_WITH_AS((void)softmax_cross_entropy(logits, labels), rule("softmax_cross_entropy").c_str(), error);
  CHECK_THROWS_WITH_AS((void)accuracy_count(logits, labels), rule("accuracy_count").c_str(), error);
  CHECK_THROWS_WITH_AS((void)top_k_count(logits, labels, 2), rule("top_k_count").c_str(), error);
  CHECK_THROWS_WITH_AS((void)confusion_counts(logits, labels), rule("confusion_counts").c_str(), error);
  CHECK_THROWS_WITH_AS((void)sharded_cross_entropy(logits, labels), rule("sharded_cross_entropy").c_str(), error);
  CHECK_THROWS_WITH_AS((void)softmax_cross_entropy(logits, fit, weights),
                       "ashlar::softmax_cross_entropy: there is one weight a row of the logits; found (4, 3) and (5)",
                       error);
}

TEST_CASE("extents of a type that are not the tensor's") {
  mesh<axis<"data">> const m{{2}};
  auto const x = make<float, layout<"data", none>>(m, {4, 3});
  CHECK_THROWS_WITH_AS(
      (void)(fix_extents<4, 5>(x)),
      "ashlar::fix_extents: the tensor has the extents that its type is to have; expected (4, 5), found (4, 3)", error);
}
