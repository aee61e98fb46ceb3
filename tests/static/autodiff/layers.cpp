// What the operations behind layers communicate, forward and backward, against numbers worked out by hand.
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"
#include <cstdint>

using namespace ashlar;
using namespace ashlar::nn;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
using notes = ledger<grid>;
constexpr auto forward = pass::forward, backward = pass::backward;

// Bytes that a rank receives in an all-reduce of two doubles for each of n channels over q ranks.
constexpr index_t moments(index_t n, index_t q) { return 2 * (2 * n - 2 * n / q) * 8; }
constexpr index_t parts(index_t n, index_t q) { return 2 * (n - n / q) * 24; }

template <class L>
constexpr auto zeros(auto const& m, auto... n) {
  return make<float, L>(m, {index_t(n)...});
}
template <class L>
constexpr auto statistics_of(auto const& m, index_t n) {
  return build<moving_statistics>(zeros<L>(m, n), zeros<L>(m, n));
}

// A convolution and its normalisation; gradients stay partial. The batch is sharded: the moments of 12 channels are reduced once each way, all that is communicated.
constexpr auto by_data = [](auto const& m) {
  return value_and_grad<"data">([&](auto const& p) {
    auto const h = conv2d<2>(zeros<layout<"data", none, none, none>>(m, 16, 8, 8, 4), std::get<0>(p));
    auto const [y, state] = batch_norm(h, std::get<1>(p), std::get<2>(p), statistics_of<layout<none>>(m, 12));
    static_assert(std::is_same_v<layout_t<decltype(y)>, layout<"data", none, none, none>>);
    static_assert(std::is_same_v<layout_t<decltype(state.mean)>, layout<none>>);
    return mean(square(relu(y)));
  })(std::tuple(zeros<layout<none, none, none, none>>(m, 3, 3, 4, 12), zeros<layout<none>>(m, 12),
                zeros<layout<none>>(m, 12)));
};
constexpr auto run_by_data = [](auto const& m) { (void)by_data(m); };
constexpr notes data_4 = dry_run(grid{{4, 1}}, run_by_data);
static_assert(data_4.count() == 2 && data_4.count(forward, collective::all_reduce, "data") == 1 &&
              data_4.count(backward, collective::all_reduce, "data") == 1);
static_assert(data_4.bytes_per_rank(forward) == parts(12, 4) && data_4.bytes_per_rank(backward) == moments(12, 4));
static_assert(dry_run(grid{{1, 4}}, run_by_data).count() == 0 && dry_run(grid{{3, 2}}, run_by_data).count() == 2);

using gradients = decltype(by_data(grid{{2, 2}}).gradients);
static_assert(
    std::is_same_v<layout_t<std::tuple_element_t<0, gradients>>, partial<layout<none, none, none, none>, "data">>);
static_assert(std::is_same_v<layout_t<std::tuple_element_t<1, gradients>>, partial<layout<none>, "data">>);
static_assert(std::is_same_v<layout_t<std::tuple_element_t<2, gradients>>, partial<layout<none>, "data">>);

// Per shard nothing is, but the moving statistics: their moments are reduced forward, without a derivative.
constexpr auto per_shard = [](auto const& m) {
  (void)value_and_grad<"data">([&](auto const& p) {
    auto const x = zeros<layout<"data", none, none, none>>(m, 16, 8, 8, 12) * std::get<0>(p);
    return mean(
        square(batch_norm<statistics::per_shard>(x, std::get<0>(p), none, statistics_of<layout<none>>(m, 12)).y));
  })(std::tuple(zeros<layout<none>>(m, 12)));
};
constexpr notes shards_4 = dry_run(grid{{4, 1}}, per_shard);
static_assert(shards_4.count() == 1 && shards_4.count(forward, collective::all_reduce, "data") == 1 &&
              shards_4.bytes_per_rank() == parts(12, 4));

// Channels sharded by the filters of a convolution: each rank reduces its own 6.
constexpr auto by_both = [](auto const& m) {
  (void)value_and_grad<"data">([&](auto const& p) {
    auto const h = conv2d(zeros<layout<"data", none, none, none>>(m, 16, 8, 8, 4), std::get<0>(p));
    auto const [y, state] = batch_norm(h, none, std::get<1>(p), statistics_of<layout<"model">>(m, 12));
    static_assert(std::is_same_v<layout_t<decltype(y)>, layout<"data", none, none, "model">>);
    return all_reduce<"model">(mean(square(y)));
  })(std::tuple(zeros<layout<none, none, none, "model">>(m, 3, 3, 4, 12), zeros<layout<"model">>(m, 12)));
};
constexpr notes both = dry_run(grid{{4, 2}}, by_both);
static_assert(both.count(collective::all_reduce, "data") == 2 &&
              both.count(forward, collective::all_reduce, "model") == 1 && both.count() == 3);
static_assert(both[0].bytes_per_rank == parts(6, 4) && both.bytes_per_rank(backward) == moments(6, 4));

// A pair of convolutions as Megatron's pair of kernels: filters, then channels, over "model". One all-reduce forward.
constexpr auto pair = [](auto const& m) {
  (void)value_and_grad<"data">([&](auto const& p) {
    auto const h = relu(conv2d(zeros<layout<"data", none, none, none>>(m, 16, 8, 8, 4), std::get<0>(p)));
    auto const y = conv2d<2>(h, std::get<1>(p));
    static_assert(std::is_same_v<layout_t<decltype(y)>, partial<layout<"data", none, none, none>, "model">>);
    return mean(square(max_pool2d<2>(all_reduce<"model">(y))));
  })(std::tuple(zeros<layout<none, none, none, "model">>(m, 3, 3, 4, 12),
                zeros<layout<none, none, "model", none>>(m, 5, 5, 12, 6)));
};
constexpr notes pairs = dry_run(grid{{2, 4}}, pair);
static_assert(pairs.count() == 1 && pairs.count(forward, collective::all_reduce, "model") == 1);

// Normalisation of rows, attention with heads on an axis, and inference: nothing, either way.
constexpr auto silent = [](auto const& m) {
  (void)value_and_grad<axes("data", "model")>([&](auto const& p) {
    using heads = layout<"data", none, "model", none>;
    auto const x = layer_norm(zeros<heads>(m, 4, 6, 8, 16), std::get<0>(p), std::get<1>(p), 1e-5);
    auto const y = rms_norm(attention(x, x, zeros<heads>(m, 4, 6, 8, 16), true), std::get<0>(p), 1e-5);
    return mean(batch_norm_inference(y, std::get<0>(p), none, statistics_of<layout<none>>(m, 16)));
  })(std::tuple(zeros<layout<none>>(m, 16), zeros<layout<none>>(m, 16)));
};
static_assert(dry_run(grid{{2, 4}}, silent).count() == 0);

// A table split over its rows, a vocabulary: one all-reduce forward, none backward.
constexpr auto vocabulary = [](auto const& m) {
  (void)value_and_grad<"data">([&](auto const& p) {
    auto const rows = embedding(std::get<0>(p), make<std::int32_t, layout<"data", none>>(m, {16, 8}));
    static_assert(std::is_same_v<layout_t<decltype(rows)>, partial<layout<"data", none, none>, "model">>);
    return mean(square(all_reduce<"model">(rows)));
  })(std::tuple(zeros<layout<"model", none>>(m, 100, 12)));
};
constexpr notes sharded_log = dry_run(grid{{2, 4}}, vocabulary);
static_assert(sharded_log.count() == 1 && sharded_log.count(forward, collective::all_reduce, "model") == 1);

// The loss over classes that are split: three numbers for each of 16 / 2 rows, forward, and nothing backward.
constexpr auto loss_of_classes = [](auto const& m) {
  auto const result = value_and_grad<"data">([&](auto const& p) {
    auto const logits = einsum<"bi,io->bo">(zeros<layout<"data", none>>(m, 16, 12), std::get<0>(p));
    auto const l = sharded_cross_entropy(logits, make<std::int32_t, layout<"data">>(m, {16}));
    static_assert(std::is_same_v<layout_t<decltype(l)>, partial<layout<>, "data">>);
    return l;
  })(std::tuple(zeros<layout<none, "model">>(m, 12, 100)));
  static_assert(std::is_same_v<layout_t<std::tuple_element_t<0, decltype(result.gradients)>>,
                               partial<layout<none, "model">, "data">>);
};
constexpr notes classes = dry_run(grid{{2, 4}}, loss_of_classes);
static_assert(classes.count() == 1 && classes.count(forward, collective::all_reduce, "model") == 1);
static_assert(classes.bytes_per_rank() == 2 * (8 - 8 / 4) * 3 * 4);
static_assert(dry_run(grid{{8, 1}}, loss_of_classes).count() == 0);

// Static extents stay so.
constexpr grid m22{{2, 2}};
constexpr auto fixed = conv2d<2>(make<float, layout<"data", none, none, none>>(m22, static_extents<4, 7, 6, 3>{}),
                                 make<float, layout<none, none, none, none>>(m22, static_extents<3, 3, 3, 5>{}));
static_assert(static_extents_v<decltype(fixed)> == shape::of(4, 4, 3, 5));
static_assert(static_extents_v<decltype(flatten(average_pool2d<2>(fixed)))> == shape::of(4, 10));

}  // namespace
