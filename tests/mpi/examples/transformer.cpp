// A transformer's ten steps of AdamW, on every mesh of data, model and sequence, against PyTorch's.
#include "../examples/support/transformer.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"
#include "support/layer_reference.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace ashlar::test;

namespace {

// Calls f(sizes) for every way to write the number of ranks as a product of three.
template <class F>
void for_each_mesh(F f) {
  int const p = world_size();
  for (int a = 1; a <= p; ++a)
    for (int b = 1; p % a == 0 && b <= p / a; ++b)
      if (p / a % b == 0) {
        int const sizes[]{a, b, p / a / b};
        f(sizes);
      }
}

// Tensor `text` of batch i, without its last character, or without its first.
auto characters(device_mesh<transformer::grid> const& m, layer_array const& text, index_t batch, index_t shift) {
  index_t const rows = text.extents[1], n = text.extents[2];
  return tensor_of<std::int32_t, transformer::text_layout>(m, shape::of(rows, n - 1), [&](index_t g, int) {
    return text[(batch * rows + g / (n - 1)) * n + g % (n - 1) + shift];
  });
}

}  // namespace

TEST_CASE("a transformer's losses, gradients' norms and parameters are PyTorch's") {
  layer_array const text("transformer.text"), before("transformer.before"), after("transformer.after"),
      losses("transformer.losses"), norms("transformer.norms");
  for_each_mesh([&](auto const& sizes) {
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    CAPTURE(sizes[2]);
    device_mesh<transformer::grid> const m(MPI_COMM_WORLD, sizes);
    adamw const optimizer{.rate = 0.02, .beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-4, .decay = 0.1};
    auto const one = step<transformer::layouts_of<0>>(transformer::network<2, 1>({7, 12, 3}, 0.),
                                                      transformer::next_character_loss{}, optimizer, no_metric, 1);
    auto [p, state] = one.template init<double>(m, prng_key{1});
    index_t first = 0;
    for_each_leaf(
        [&](auto& x) {
          using X = std::remove_cvref_t<decltype(x)>;
          x = tensor_of<double, layout_t<X>>(m, x.extents(), [&](index_t g, int) { return before[first + g]; });
          first += x.extents().size();
        },
        p);
    REQUIRE(first == before.extents.size());
    for (index_t i = 0; i < 10; ++i) {
      auto const x = characters(m, text, i, 0), next = characters(m, text, i, 1);
      auto const of_batch = one.gradients(p, state.variables, std::tie(x, next), prng_key{2});
      auto const [g] = all_reduce(bundle(of_batch.gradients));
      CHECK(std::abs(item(clip_by_global_norm(g, 1.).norm) - norms[i]) <= 1e-10 * norms[i]);
      auto const [loss, none_counted] = one.update(p, state, of_batch);
      CHECK(std::abs(item(loss) - losses[i]) <= 1e-10 * losses[i]);
    }
    first = 0;
    for_each_leaf(
        [&](auto const& x) {
          auto const own = shard(x);
          auto const at = positions(x.extents(), x.layout, m.sizes(), m.rank());
          double difference = 0;
          for (std::size_t i = 0; i < own.size(); ++i)
            difference = test::larger(difference, std::abs(own[i] - after[first + at[i]]));
          CHECK(difference <= 1e-10);
          first += x.extents().size();
        },
        p);
  });
}
