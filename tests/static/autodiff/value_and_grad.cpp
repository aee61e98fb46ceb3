// Reverse mode in the dry run: layouts of cotangents and gradients, and what training steps communicate, pass by pass,
// against numbers worked out by hand.
#include <ashlar/train/sequential.hpp>
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"
#include "ashlar/train/strategies/strategy.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
constexpr axis_mask data = 1, model = 2;

// The cotangent of a value of layout L that is replicated over some axes and invariant over the others.
template <class L, axis_mask Replicated>
using cotangent = layout_t<typename active<abstract_tensor<float, L, grid>, Replicated>::cotangent_type>;
template <class A, class B>
inline constexpr bool same = std::is_same_v<A, B>;

// S* = S, P* = R, R* = P, I* = I, on each axis alone.
static_assert(same<cotangent<layout<"data", none>, 0>, layout<"data", none>>);
static_assert(same<cotangent<layout<axes("model", "data")>, 0>, layout<axes("model", "data")>>);
static_assert(same<cotangent<partial<layout<none>, "data">, 0>, layout<none>>);
static_assert(same<cotangent<layout<none>, data>, partial<layout<none>, "data">>);
static_assert(same<cotangent<layout<none>, 0>, layout<none>>);
static_assert(same<cotangent<layout<>, data | model>, partial<layout<>, axes("data", "model")>>);
static_assert(same<cotangent<layout<none, "model">, data>, partial<layout<none, "model">, "data">>);
static_assert(same<cotangent<partial<layout<"model">, "data">, 0>, layout<"model">>);
static_assert(same<cotangent<partial<layout<none>, "data">, model>, partial<layout<none>, "model">>);

template <class T, class L, class... N>
constexpr auto tensor_of(auto const& m, N... n) {
  return make<T, L>(m, {index_t(n)...});
}

// Bytes that a rank receives in an all-reduce of n floats over q ranks.
constexpr index_t reduced(index_t n, index_t q) { return q == 1 ? 0 : 2 * (n - n / q) * 4; }

using calls = ledger<grid>;

// Is the ledger these collectives and no others? Equal ones of a call site are neighbours.
struct entry {
  pass when;
  collective what;
  axis_mask axes;
  index_t bytes;
};
template <std::size_t N>
constexpr bool is(calls const& found, entry const (&expected)[N]) {
  entry const* e = expected;
  if (found.count() != static_cast<int>(N)) return false;
  for (plan_detail::collective_record const& r : found)
    for (int i = 0; i < r.times; ++i, ++e)
      if (r.when != e->when || r.what != e->what || r.axes != e->axes || r.bytes_per_rank != e->bytes) return false;
  return true;
}
constexpr auto forward = pass::forward, backward = pass::backward, update = pass::update;

template <class... M>
struct two;
template <class A, class B>
struct two<A, B> {
  A first;
  B second;
  static constexpr auto names = ashlar::names("first", "second");
};
template <class A, class B, class C>
struct three {
  A first;
  B second;
  C third;
  static constexpr auto names = ashlar::names("first", "second", "third");
};

// ---- The network 12 -> 8 -> 6 with a bias, on a batch of 16: kernels of 96 and 48 numbers, 6 of bias, loss and hits.

constexpr auto network = sequential<12>(dense<"first", 8>(without_bias), dense<"second", 6>()).weights();
using sharded =
    model_parallel<"data", rule<"first/kernel", layout<none, "model">>, rule<"second/kernel", layout<"model", none>>>;
using mirrored = data_parallel<"data">;

constexpr auto loss = [](auto const& p, auto const& x, auto const& labels) {
  auto h = dropout(relu(einsum<"bi,ih->bh">(x, p["first"_n].kernel)), 0.5f, prng_key{3});
  auto z = all_reduce(einsum<"bh,ho->bo">(h, p["second"_n].kernel)) + p["second"_n].bias;
  return build<with_aux>(softmax_cross_entropy(z, labels), accuracy_count(stop_gradient(z), labels));
};

template <class Strategy>
constexpr auto step_of = [](auto const& m) {
  auto p = init<Strategy>(m, network, prng_key{1});
  auto state = adam{}.init(p);
  auto const x = tensor_of<float, layout<"data", none>>(m, 16, 12);
  auto const labels = tensor_of<std::int32_t, layout<"data">>(m, 16);
  auto [value, hits, grads] = value_and_grad<"data">(loss)(p, x, labels);
  static_assert(same<layout_t<decltype(value)>, partial<layout<>, "data">>);
  static_assert(same<layout_t<decltype(grads["second"_n].bias)>, partial<layout<none>, "data">>);
  auto [l, h, g] = all_reduce<"data">(bundle(value, hits, grads));
  adam{}.update(p, state, g);
};

template <class Strategy>
constexpr calls ledger_on(int d, int m) {
  return dry_run(grid{{d, m}}, step_of<Strategy>);
}

// Logits 16 / data x 6 are reduced over "model"; a rank's share of the kernels, and 8 numbers more, over "data".
static_assert(is(ledger_on<sharded>(2, 2), {{forward, collective::all_reduce, model, reduced(48, 2)},
                                            {update, collective::all_reduce, data, reduced(80, 2)}}));
static_assert(is(ledger_on<sharded>(2, 4), {{forward, collective::all_reduce, model, reduced(48, 4)},
                                            {update, collective::all_reduce, data, reduced(44, 2)}}));
static_assert(is(ledger_on<sharded>(4, 1), {{update, collective::all_reduce, data, reduced(152, 4)}}));
static_assert(is(ledger_on<sharded>(1, 4), {{forward, collective::all_reduce, model, reduced(96, 4)}}));
static_assert(ledger_on<sharded>(1, 1).count() == 0);
static_assert(is(ledger_on<sharded>(3, 3),
                 {{forward, collective::all_reduce, model, reduced(36, 3)},
                  {update, collective::all_reduce, data, reduced(62, 3)}}));  // 6 rows, 3 columns
static_assert(reduced(48, 2) == 192 && reduced(80, 2) == 320 && reduced(152, 4) == 912 && reduced(96, 4) == 576 &&
              reduced(62, 3) == 336);

static_assert(is(ledger_on<mirrored>(2, 2), {{update, collective::all_reduce, data, reduced(152, 2)}}));
static_assert(is(ledger_on<mirrored>(2, 4), {{update, collective::all_reduce, data, reduced(152, 2)}}));
static_assert(is(ledger_on<mirrored>(4, 1), {{update, collective::all_reduce, data, reduced(152, 4)}}));
static_assert(ledger_on<mirrored>(1, 4).count() == 0 && ledger_on<mirrored>(1, 1).count() == 0);

// The ledger's questions agree with its lines.
constexpr calls on_2x4 = ledger_on<sharded>(2, 4);
static_assert(on_2x4.count(forward) == 1 && on_2x4.count(backward) == 0 && on_2x4.count(update) == 1 &&
              on_2x4.count(collective::all_reduce) == 2);
static_assert(on_2x4.bytes_per_rank(forward) == 288 && on_2x4.bytes_per_rank(backward) == 0 &&
              on_2x4.bytes_per_rank(update) == 176);
static_assert(on_2x4.count(update, collective::all_reduce, "data") == 1 &&
              on_2x4.count(update, collective::all_reduce, "model") == 0);
static_assert(on_2x4.bytes_per_rank() == 288 + 176);

// ---- Programs that differentiate `f` and count. Gradients are returned to be looked at, not reduced.

constexpr auto mean_square = [](auto const& y) { return mean(square(y)); };

template <dimension Batch, class Inputs, class F>
struct gradient_of {
  Inputs inputs;
  F f;
  constexpr auto run(auto const& m) const {
    return [&](auto const& p, auto const&... x) { return value_and_grad<Batch>(f)(p, x...); }(inputs(m));
  }
  constexpr void operator()(auto const& m) const { (void)run(m); }
  constexpr calls on(int d, int m) const { return dry_run(grid{{d, m}}, *this); }
};
template <dimension Batch, class Inputs, class F>
constexpr gradient_of<Batch, Inputs, F> differentiate(Inputs in, F f) {
  return {in, f};
}
template <class Program>
using gradients_of = std::remove_cvref_t<decltype(std::declval<Program>().run(grid{{2, 2}}).gradients)>;

// ---- Megatron: two column-then-row pairs behind a layer whose gradient needs theirs. One all-reduce a pair each way:
// forward its result, 16 / data x 10, backward its operand's cotangent, as large.

constexpr auto pair_of = [](auto const& x, auto const& p) {
  auto h = relu(einsum<"bi,ih->bh">(as_replicated<"model">(x), p.first));
  return all_reduce<"model">(einsum<"bh,ho->bo">(h, p.second));
};
constexpr auto megatron = differentiate<"data">(
    [](auto const& m) {
      auto const a = make<float, layout<none, "model">>(m, {10, 8});
      auto const b = make<float, layout<"model", none>>(m, {8, 10});
      return build<three>(make<float, layout<none, none>>(m, {12, 10}), build<two>(a, b), build<two>(a, b));
    },
    [](auto const& p) {
      auto const x = make<float, layout<"data", none>>(p.first.mesh(), {16, 12});
      auto y = pair_of(einsum<"bi,io->bo">(x, p.first), p.second);
      return mean_square(pair_of(y, p.third));
    });
static_assert(is(megatron.on(2, 4), {{forward, collective::all_reduce, model, reduced(80, 4)},
                                     {forward, collective::all_reduce, model, reduced(80, 4)},
                                     {backward, collective::all_reduce, model, reduced(80, 4)},
                                     {backward, collective::all_reduce, model, reduced(80, 4)}}));
static_assert(reduced(80, 4) == 480 && megatron.on(4, 1).count() == 0);
using megatron_gradients = gradients_of<decltype(megatron)>;
static_assert(same<layout_t<decltype(megatron_gradients::first)>, partial<layout<none, none>, "data">>);
static_assert(same<layout_t<decltype(megatron_gradients::second.first)>, partial<layout<none, "model">, "data">>);
static_assert(same<layout_t<decltype(megatron_gradients::third.second)>, partial<layout<"model", none>, "data">>);

// A backward collective has the line of the collective that caused it.
constexpr calls lines = megatron.on(1, 2);
static_assert(lines[0].times == 2 && lines[1].times == 2 && lines[1].line + 1 == lines[0].line);

// The first layer alone under differentiation: its cotangent still passes both pairs. The last alone: nothing passes.
constexpr auto last_alone = differentiate<"data">(
    [](auto const& m) {
      return build<two>(make<float, layout<none, "model">>(m, {10, 8}), make<float, layout<"model", none>>(m, {8, 10}));
    },
    [](auto const& p) {
      auto const x = make<float, layout<"data", none>>(p.first.mesh(), {16, 10});
      return mean_square(pair_of(x, p));
    });
static_assert(is(last_alone.on(2, 2), {{forward, collective::all_reduce, model, reduced(80, 2)}}));

// ---- The same pair with tokens sharded between the pairs: an all-gather and a reduce-scatter, and backward the other
// way. On 2 x 2 a rank has 4 of 16 tokens of 10 numbers and receives 4 more, 160 bytes, each time.

constexpr auto sequence = differentiate<axes("data", "model")>(
    [](auto const& m) {
      return build<three>(make<float, layout<none, none>>(m, {12, 10}), make<float, layout<none, "model">>(m, {10, 8}),
                          make<float, layout<"model", none>>(m, {8, 10}));
    },
    [](auto const& p) {
      auto const tokens = make<float, layout<axes("data", "model"), none>>(p.first.mesh(), {16, 12});
      auto x = all_gather<"model">(einsum<"bi,io->bo">(tokens, p.first));
      auto h = relu(einsum<"bi,ih->bh">(x, p.second));
      return mean_square(reduce_scatter<"model", 0>(einsum<"bh,ho->bo">(h, p.third)));
    });
static_assert(is(sequence.on(2, 2), {{forward, collective::all_gather, model, 160},
                                     {forward, collective::reduce_scatter, model, 160},
                                     {backward, collective::all_gather, model, 160},
                                     {backward, collective::reduce_scatter, model, 160}}));
using sequence_gradients = gradients_of<decltype(sequence)>;
static_assert(same<layout_t<decltype(sequence_gradients::first)>, partial<layout<none, none>, axes("data", "model")>>);
static_assert(same<layout_t<decltype(sequence_gradients::second)>, partial<layout<none, "model">, "data">>);

// ---- ZeRO 3: parameters and moments are sharded over "data", gathered to be used; gradients arrive as they lie, and
// the update communicates nothing. On 4 ranks a kernel of 12 x 8 is 24 numbers on each and 72 to receive, each way.

constexpr auto zero_step = [](auto const& m) {
  auto p = build<two>(make<float, layout<"data", none>>(m, {12, 8}), make<float, layout<"data", none>>(m, {8, 4}));
  auto state = adam{}.init(p);
  auto f = [&](auto const& w) {
    auto const x = make<float, layout<"data", none>>(m, {16, 12});
    auto h = relu(einsum<"bi,ih->bh">(x, all_gather<"data">(w.first)));
    return mean_square(einsum<"bh,ho->bo">(h, all_gather<"data">(w.second)));
  };
  auto [value, grads] = value_and_grad<"data">(f)(p);
  static_assert(same<decltype(grads), decltype(p)>);
  adam{}.update(p, state, grads);
};
static_assert(is(dry_run(grid{{4, 1}}, zero_step), {{forward, collective::all_gather, data, 72 * 4},
                                                    {forward, collective::all_gather, data, 24 * 4},
                                                    {backward, collective::reduce_scatter, data, 24 * 4},
                                                    {backward, collective::reduce_scatter, data, 72 * 4}}));

// ---- An embedding whose vocabulary is sharded: take leaves a partial sums, and nothing goes back.

constexpr auto embedding = differentiate<"data">(
    [](auto const& m) {
      return make<float, layout<"model", none>>(m, {20, 10});
    },
    [](auto const& table) {
      auto const words = make<std::int32_t, layout<"data">>(table.mesh(), {16});
      return mean_square(all_reduce<"model">(take(table, words)));
    });
static_assert(is(embedding.on(2, 2), {{forward, collective::all_reduce, model, reduced(80, 2)}}));
static_assert(same<layout_t<gradients_of<decltype(embedding)>>, partial<layout<"model", none>, "data">>);

// A whole table: each rank adds up what its own words saw.
constexpr auto whole_embedding = differentiate<"data">(
    [](auto const& m) {
      return make<float, layout<none, "model">>(m, {20, 10});
    },
    [](auto const& table) {
      auto const words = make<std::int32_t, layout<"data", none>>(table.mesh(), {16, 3});
      return mean_square(all_gather<"model", invariant>(take(table, words)));
    });
static_assert(is(whole_embedding.on(2, 2), {{forward, collective::all_gather, model, 8 * 3 * 5 * 4}}));
static_assert(same<layout_t<gradients_of<decltype(whole_embedding)>>, partial<layout<none, "model">, "data">>);

// ---- Maxima and minima: nothing where the dimension is whole; where it is sharded, backward the maximum once more and the
// number of its ties. 16 x 12 floats.

template <class L, auto Extremum>
constexpr auto extremum = differentiate<"data">(
    [](auto const& m) {
      return make<float, L>(m, {16, 12});
    },
    [](auto const& x) { return mean_square(all_reduce(Extremum(x))); });
constexpr auto largest = [](auto const& x) { return max<0>(x); };
constexpr auto smallest = [](auto const& x) { return min<0>(x); };
constexpr auto largest_of_largest = [](auto const& x) { return max(max<0>(x)); };
static_assert(extremum<layout<none, "data">, largest>.on(2, 2).count() == 0);
static_assert(same<layout_t<gradients_of<decltype(extremum<layout<none, "data">, smallest>)>>, layout<none, "data">>);
static_assert(is(extremum<layout<"data", "model">, largest>.on(2, 3),
                 {{forward, collective::all_reduce, data, reduced(4, 2)},
                  {backward, collective::all_reduce, data, reduced(4, 2)},
                  {backward, collective::all_reduce, data, reduced(4, 2)}}));
static_assert(extremum<layout<"data", "model">, smallest>.on(2, 3).bytes_per_rank(backward) == 2 * reduced(4, 2));
// The outer one: its value, and the inner ones', after which no tie is partial; the inner ones: theirs once more, and ties.
static_assert(extremum<layout<"data", none>, largest_of_largest>.on(2, 3).count(backward) == 4);
static_assert(
    same<layout_t<gradients_of<decltype(extremum<layout<"data", none>, largest_of_largest>)>>, layout<"data", none>>);

// ---- redistribute goes back by the plan between the duals. 16 x 12 floats.

template <class From, class To>
constexpr auto moved = differentiate<"data">(
    [](auto const& m) {
      return make<float, From>(m, {16, 12});
    },
    [](auto const& x) { return mean_square(redistribute<To>(x)); });
template <class From, class To>
using gradient_after = layout_t<gradients_of<decltype(moved<From, To>)>>;

// A rank has 4 x 12 of them, then 16 x 3, of which it had 4 x 3.
static_assert(is(moved<layout<"data", none>, layout<none, "data">>.on(4, 2),
                 {{forward, collective::all_to_all, data, 12 * 3 * 4},
                  {backward, collective::all_to_all, data, 4 * 9 * 4}}));
// The cotangent of a slice of a replicated value is padded with zeros, of an invariant one gathered.
static_assert(moved<layout<none, none>, layout<"data", none>>.on(4, 2).count() == 0);
static_assert(same<gradient_after<layout<none, none>, layout<"data", none>>, partial<layout<none, none>, "data">>);
static_assert(is(moved<layout<none, none>, layout<"data", "model">>.on(2, 4),
                 {{backward, collective::all_gather, model, 8 * 9 * 4}}));
// Axes in another order: every rank sends its block to one other, there and back.
static_assert(is(moved<layout<axes("data", "model"), none>, layout<axes("model", "data"), none>>.on(2, 2),
                 {{forward, collective::permute, data | model, 4 * 12 * 4},
                  {backward, collective::permute, data | model, 4 * 12 * 4}}));

// ---- What nobody needs costs nothing.

// A collective on values without a derivative, and one whose result the loss does not use.
constexpr auto idle = differentiate<"data">(
    [](auto const& m) {
      return build<two>(make<float, layout<none, none>>(m, {12, 10}), make<float, layout<"model", none>>(m, {8, 10}));
    },
    [](auto const& p) {
      auto const x = make<float, layout<"data", "model">>(p.first.mesh(), {16, 12});
      (void)all_gather<"model">(p.second);
      return mean_square(einsum<"bi,io->bo">(all_gather<"model">(x), p.first));
    });
static_assert(idle.on(2, 2).count(forward) == 2 && idle.on(2, 2).count(backward) == 0);
static_assert(same<layout_t<decltype(gradients_of<decltype(idle)>::second)>, partial<layout<"model", none>, "data">>);

// Invariant parameters, each brought to the batch's axis where its layer begins: an all-reduce of each gradient, backward,
// of 12 x 8 and 8 x 4 numbers, the last layer's first; and the gradients come out whole.
template <bool InFlight>
constexpr auto two_layers_at_once = differentiate<none>(
    [](auto const& m) {
      return build<two>(make<float, layout<none, none>>(m, {12, 8}), make<float, layout<none, none>>(m, {8, 4}));
    },
    [](auto const& p) {
      constexpr auto of_batch = [](auto const& w) {
        if constexpr (InFlight)
          return as_replicated_async<"data">(w);
        else
          return as_replicated<"data">(w);
      };
      auto const x = make<float, layout<"data", none>>(p.first.mesh(), {16, 12});
      return sum(einsum<"bi,io->bo">(relu(einsum<"bi,io->bo">(x, of_batch(p.first))), of_batch(p.second)));
    });
static_assert(is(two_layers_at_once<true>.on(4, 1), {{backward, collective::all_reduce, data, reduced(32, 4)},
                                                     {backward, collective::all_reduce, data, reduced(96, 4)}}));
static_assert(is(two_layers_at_once<false>.on(4, 1), {{backward, collective::all_reduce, data, reduced(32, 4)},
                                                      {backward, collective::all_reduce, data, reduced(96, 4)}}));
static_assert(
    std::is_same_v<layout_t<decltype(gradients_of<decltype(two_layers_at_once<true>)>::first)>, layout<none, none>>);

// A value that is used twice gathers both cotangents before they pass on.
constexpr auto fan_out = differentiate<"data">(
    [](auto const& m) {
      return make<float, layout<none, "model">>(m, {12, 8});
    },
    [](auto const& w) {
      auto y =
          all_gather<"model", invariant>(einsum<"bi,io->bo">(make<float, layout<"data", none>>(w.mesh(), {16, 12}), w));
      auto z = as_replicated<"model">(y);
      auto v = make<float, layout<none, "model">>(w.mesh(), {8, 4});
      return all_reduce<"model">(sum(einsum<"bi,io->bo">(z, v)) + sum(square(einsum<"bi,io->bo">(z, v)))) +
             mean_square(y);
    });
static_assert(fan_out.on(2, 2).count(backward) == 1 &&
              fan_out.on(2, 2).count(backward, collective::all_reduce, "model") == 1);

// Two steps, one after the other: each has its passes.
static_assert([] {
  calls const l = dry_run(grid{{2, 2}}, [](auto const& m) {
    step_of<sharded>(m);
    step_of<sharded>(m);
  });
  return l.count(forward) == 2 && l.count(update) == 2 && l[0].when == forward && l[0].times == 2;
}());

// Gradients of microbatches add up while they are partial and are reduced once.
static_assert(is(dry_run(grid{{2, 1}},
                         [](auto const& m) {
                           auto const w = make<float, layout<none>>(m, {10});
                           auto f = [&](auto const& p) {
                             return mean_square(make<float, layout<"data", none>>(m, {16, 10}) * p);
                           };
                           auto const first = value_and_grad<"data">(f)(w).gradients,
                                      second = value_and_grad<"data">(f)(w).gradients;
                           (void)all_reduce<"data">(first + second);
                         }),
                 {{update, collective::all_reduce, data, reduced(10, 2)}}));

}  // namespace
