// What multi-head attention communicates, against numbers worked out by hand, and bundles of all that is partial.
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::nn;

namespace {

using grid = mesh<axis<"data">, axis<"model">, axis<"sequence">>;
constexpr auto forward = pass::forward, backward = pass::backward;

// 8 sequences of 24 positions and 16 channels, 4 heads of 4 numbers.
template <dimension Axes, class X, class Qkv, class Out, class F>
constexpr auto attention_of(auto const& m, F const& f) {
  return value_and_grad<Axes>([&](auto const& p) { return sum(square(f(std::get<0>(p), std::get<1>(p)))); })(
      std::tuple(make<float, X>(m, {8, 24, 16}),
                 build<attention_kernels>(make<float, Qkv>(m, {3, 16, 4, 4}), make<float, Out>(m, {4, 4, 16}))));
}

// Heads over "model": nothing but the reduction of what is partial, and what that entails backward.
constexpr auto by_heads = [](auto const& m) {
  auto const r = attention_of<axes("data", "model"), layout<"data", none, none>, layout<none, none, "model", none>,
                              layout<"model", none, none>>(m, [](auto const& x, auto const& p) {
    auto const y = multi_head_attention(x, p, true);
    static_assert(std::is_same_v<layout_t<decltype(y)>, partial<layout<"data", none, none>, "model">>);
    return all_reduce<"model">(y);
  });
  using of_x = layout_t<std::tuple_element_t<0, decltype(r.gradients)>>;
  static_assert(std::is_same_v<of_x, partial<layout<"data", none, none>, "model">>);
};
static_assert(dry_run(grid{{2, 2, 1}}, by_heads).count() == 1 && dry_run(grid{{4, 1, 1}}, by_heads).count() == 0);

// Positions over "sequence": two exchanges each way, of three quarters of the shards on 4 ranks.
constexpr auto by_positions = [](auto const& m) {
  (void)attention_of<axes("data", "sequence"), layout<"data", "sequence", none>, layout<none, none, none, none>,
                     layout<none, none, none>>(m, [](auto const& x, auto const& p) {
    auto const y = multi_head_attention<"sequence">(x, p, true);
    static_assert(std::is_same_v<layout_t<decltype(y)>, layout<"data", "sequence", none>>);
    return y;
  });
};
constexpr auto positions_4 = dry_run(grid{{2, 1, 4}}, by_positions);
static_assert(positions_4.count() == 4 && positions_4.count(forward, collective::all_to_all, "sequence") == 2 &&
              positions_4.count(backward, collective::all_to_all, "sequence") == 2);
static_assert(positions_4.bytes_per_rank(forward) == 4 * (4 * 6 * 16) * 4 * 3 / 4 &&
              positions_4.bytes_per_rank(backward) == positions_4.bytes_per_rank(forward));
static_assert(dry_run(grid{{2, 4, 1}}, by_positions).count() == 0);

// Both, between activations whose positions both axes shard: the scattered sum, and its dual.
constexpr auto by_both = [](auto const& m) {
  (void)attention_of<axes("data", "model", "sequence"), layout<"data", axes("sequence", "model"), none>,
                     layout<none, none, "model", none>, layout<"model", none, none>>(
      m, [](auto const& x, auto const& p) {
        return reduce_scatter<"model", 1>(multi_head_attention<"sequence">(all_gather<"model">(x), p, true));
      });
};
constexpr auto both = dry_run(grid{{1, 2, 2}}, by_both);
static_assert(both.count() == 8 && both.count(collective::all_to_all, "sequence") == 4);
static_assert(both.count(forward, collective::all_gather, "model") == 1 &&
              both.count(backward, collective::reduce_scatter, "model") == 1);
static_assert(both.count(forward, collective::reduce_scatter, "model") == 1 &&
              both.count(backward, collective::all_gather, "model") == 1);

// One message for each set of axes, none where no tensor is partial.
constexpr auto every_partial = [](auto const& m) {
  auto const a = make<float, partial<layout<none, "model">, "data">>(m, {10, 4});
  auto const b = make<float, partial<layout<none>, axes("data", "model")>>(m, {10});
  auto const c = make<float, layout<"data">>(m, {10});
  auto const [ra, rb, rc, rd] = all_reduce(bundle(a, b, c, std::tuple(a, b)));
  static_assert(std::is_same_v<layout_t<decltype(ra)>, layout<none, "model">> &&
                std::is_same_v<layout_t<decltype(rb)>, layout<none>>);
  static_assert(std::is_same_v<layout_t<decltype(rc)>, layout<"data">>);
  (void)all_reduce(bundle(c));
};
constexpr auto reduced = dry_run(grid{{2, 2, 1}}, every_partial);
static_assert(reduced.count() == 2 && reduced.count(collective::all_reduce, "data") == 1 &&
              reduced.count(collective::all_reduce, axes("data", "model")) == 1);
static_assert(reduced.bytes_per_rank(collective::all_reduce, "data") == 2 * 20 * 4 &&
              reduced.bytes_per_rank(collective::all_reduce, axes("data", "model")) == 2 * 20 * 3 / 4 * 4);
static_assert(dry_run(grid{{1, 4, 1}}, every_partial).count() == 1);

}  // namespace
