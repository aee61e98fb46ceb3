// What you learn here: a pipeline. The stages of a network are one dimension of its parameters, which the axis "stage"
// shards; activations have that dimension too, one microbatch in each stage, and roll<"stage"> hands them on. So a pipeline is
// a network like any other: its messages are counted, it runs on as many ranks as divide the work, and its backward pass
// rolls back.
//
//   gpipe         all microbatches forward, then all backward: the derivative of a loop, whose tape grows with the microbatches
//   1f1b          one forward and one backward in each tick: what is kept does not depend on how many microbatches there are
//   unpipelined   one stage after the other, each gathered where it is needed: what the others are compared with
//
//   mpiexec -n 4 pipeline --mesh data=1,stage=4 --microbatches 16
#include <ashlar/tensor/memory_use.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <vector>

#include "digits.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"stage">>;

// [model]
template <class E, class S, class R>
struct residual_network {
  E embed;
  S stages;
  R readout;
  static constexpr auto names = ashlar::names("embed", "stages", "readout");
};
template <class O>
struct constants {
  O ones;
  static constexpr auto names = ashlar::names("ones");
};
constexpr index_t stages = 8, inputs = 784, width = 128, classes = 10;
constexpr auto model = build<residual_network>(weight{inputs, width}, weight{stages, width, width}, weight{width, classes});
constexpr auto one_a_stage = build<constants>(weight{stages}.from(initializer::ones));

using layouts = model_parallel<"data", rule<"stages", layout<"stage", none, none>>>;
using constant_layouts = model_parallel<"data", rule<"ones", layout<"stage">>>;
using in_stages = layout<"stage", "data", none>;  // microbatches under way: stage, row, feature
using image_rows = layout<"data", none>;
// [model]

// [parts]
// What lies in one stage, zeros elsewhere; or the reverse.
struct at_stage : user_operation<"sbi->sbi", "i", linearity::linear> {
  index_t stage;
  bool kept = true;
  constexpr at_stage(index_t s, bool k) : stage(s), kept(k) {}
  template <class Y, class X>
  ASHLAR_FUNCTION void forward(index_t const* at, Y y, X x) const {
    bool const keep = (at[0] == stage) == kept;
    for (index_t i = 0; i < x.extent(0); ++i) {
      y(i) = 0;
      if (keep) y(i) = x(i);
    }
  }
  template <int>
  constexpr auto pullback(auto const& ct, auto const&, auto const&) const {
    return apply(*this, ct);
  }
};
constexpr auto only = [](index_t stage, auto const& x) { return apply(at_stage(stage, true), x); };
constexpr auto all_but = [](index_t stage, auto const& x) { return apply(at_stage(stage, false), x); };
constexpr auto put_into = [](index_t stage, auto const& ones, auto const& x) { return only(stage, einsum<"s,bi->sbi">(ones, x)); };
// The same value, evaluated: a type that loops can assign to.
constexpr auto evaluated = [](auto const& x) { return redistribute<layout_t<decltype(x)>>(x); };

constexpr auto stage = [](auto const& kernels, auto const& h) { return h + relu(einsum<"sbi,sio->sbo">(h, kernels)); };

// The loss of one of n microbatches and its hits, from its activations, which are partial over "stage" where they are pipelined.
constexpr auto head = [](auto const& readout, auto const& y, auto const& one, index_t n) {
  auto z = all_reduce(einsum<"bh,ho->bo">(dropout(y, one.rate, one.key), readout));
  using T = element_t<decltype(z)>;
  auto const& labels = one.labels;
  return build<with_aux>(evaluated(softmax_cross_entropy(z, labels) * (T(1) / T(n))), accuracy_count(stop_gradient(z), labels));
};
// [parts]

// Microbatch i is batch(i). Its dropout draws by a key of its own, so that every schedule leaves out the same.
template <class X, class L, class R, class K>
struct microbatch {
  X images;
  L labels;
  R rate;
  K key;
};

// [gpipe]
constexpr auto gpipe = [](auto const& p, auto const& ones, auto const& batch, index_t n) {
  return value_and_grad<axes("data", "stage")>([&](auto const& q) {
    auto const enter = [&](index_t i) { return put_into(0, ones, einsum<"bi,ih->bh">(batch(i).images, q.embed)); };
    auto const leave = [&](index_t i, auto const& h) { return head(q.readout, sum<0>(only(0, h)), batch(i), n); };
    auto const tick = [&](auto const& h) { return roll<"stage">(stage(q.stages, h)); };
    auto h = tick(enter(0));
    auto const advance = [&](index_t t) { h = t < n ? tick(all_but(0, h) + enter(t)) : tick(all_but(0, h)); };
    for (index_t t = 1; t < stages; ++t) advance(t);
    auto result = leave(0, h);  // what has left the last stage has come around to the first
    for (index_t i = 1; i < n; ++i) {
      advance(i + stages - 1);
      auto const more = leave(i, h);
      result.value = evaluated(result.value + more.value);
      result.aux = evaluated(result.aux + more.aux);
    }
    return result;
  })(p);
};
// [gpipe]

// [1f1b]
// In tick t stage s has microbatch t - s forward, and backward the one that it had 2 (stages - 1 - s) ticks ago.
constexpr auto one_forward_one_backward = [](auto const& p, auto const& ones, auto const& batch, index_t n) {
  constexpr index_t last = stages - 1;
  auto const enter = [&](index_t i) { return put_into(0, ones, einsum<"bi,ih->bh">(batch(i).images, p.embed)); };
  auto const leave = [&](index_t i, auto const& h) {
    return value_and_grad<axes("data", "stage")>([&](auto const& q) {
      return head(std::get<0>(q), std::get<1>(q), batch(i), n);
    })(std::tuple(p.readout, sum<0>(only(0, h))));
  };
  std::vector kept{enter(0)};  // what the stages were given, in the last 2 stages - 1 ticks
  index_t oldest = 0;
  auto h = roll<"stage">(stage(p.stages, kept.back()));
  auto const forward = [&](index_t t) {
    if (t >= 2 * stages - 1) kept.erase(kept.begin()), ++oldest;
    kept.push_back(t < n ? evaluated(all_but(0, h) + enter(t)) : all_but(0, h));
    h = roll<"stage">(stage(p.stages, kept.back()));
  };
  auto const given = [&](index_t t) {  // to each stage, when it had what it has backward in tick t
    auto const at = [&](index_t s) { return t - 2 * (last - s) - oldest; };
    auto x = only(0, kept[static_cast<std::size_t>(std::max<index_t>(at(0), 0))]);
    for (index_t s = 1; s < stages; ++s)
      if (at(s) >= 0 && at(s) < static_cast<index_t>(kept.size())) x = evaluated(x + only(s, kept[static_cast<std::size_t>(at(s))]));
    return x;
  };
  auto const backward = [&](index_t t, auto const& cotangent) { return vjp<axes("data", "stage")>(stage)(cotangent, p.stages, given(t)); };
  auto const of_embed = [&](index_t i, auto const& ct) { return einsum<"bi,bh->ih">(batch(i).images, sum<0>(only(0, ct))); };

  for (index_t t = 1; t < stages; ++t) forward(t);
  auto first = leave(0, h);
  auto pulled = backward(last, put_into(last, ones, std::get<1>(first.gradients)));
  auto result = build<value_aux_and_gradients>(
      first.value, first.aux, build<residual_network>(of_embed(0, std::get<1>(pulled)), std::get<0>(pulled), std::get<0>(first.gradients)));
  auto add = [](auto& total, auto const& x) { total = evaluated(total + x); };
  for (index_t t = stages; t < n + 2 * last; ++t) {
    if (t < n + last) forward(t);
    auto from_next = all_but(last, roll<"stage">(std::get<1>(pulled), -1));
    if (t < n + last) {
      auto const left = leave(t - last, h);
      add(result.value, left.value);
      add(result.aux, left.aux);
      add(result.gradients.readout, std::get<0>(left.gradients));
      add(from_next, put_into(last, ones, std::get<1>(left.gradients)));
    }
    pulled = backward(t, from_next);
    add(result.gradients.stages, std::get<0>(pulled));
    if (t >= 2 * last) add(result.gradients.embed, of_embed(t - 2 * last, std::get<1>(pulled)));
  }
  return result;
};
// [1f1b]

// One stage after the other.
constexpr auto one_by_one = [](auto const& q, auto const& images) {
  auto h = evaluated(einsum<"bi,ih->bh">(images, q.embed));
  for (index_t s = 0; s < stages; ++s) h = evaluated(h + relu(einsum<"bi,io->bo">(h, all_reduce(sum<0>(only(s, q.stages))))));
  return h;
};
constexpr auto unpipelined = [](auto const& p, auto const&, auto const& batch, index_t n) {
  return accumulate(n, [&](index_t i) {
    auto const one = batch(i);
    return value_and_grad<"data">([&](auto const& q) { return head(q.readout, one_by_one(q, one.images), one, n); })(p);
  });
};

constexpr auto step = [](auto const& gradients_of, auto& p, auto& state, auto const& ones, auto const& batch, index_t n) {
  auto const result = gradients_of(p, ones, batch, n);
  auto [l, hits] = all_reduce<"data">(bundle(result.value, result.aux));
  auto const g = map([](auto const& x) { return all_reduce(x); }, result.gradients);  // what is partial: "data", and "stage" outside the stages
  adam{}.update(p, state, g);
  return std::pair{l, hits};
};

// [proof]
template <class T, class Schedule>
constexpr auto dry_step(Schedule schedule, index_t n, index_t rows_of_one = 16) {
  return [=](auto const& m) {
    auto p = init<layouts, T>(m, model, prng_key{1});
    auto state = adam{}.init(p);
    auto const ones = init<constant_layouts, T>(m, one_a_stage, prng_key{1}).ones;
    auto const batch = [&](index_t) {
      return build<microbatch>(make<T, image_rows>(m, {rows_of_one, inputs}), make<std::int32_t, layout<"data">>(m, {rows_of_one}), T(0.1), prng_key{2});
    };
    (void)step(schedule, p, state, ones, batch, n);
  };
}
constexpr index_t handed_on = 16 * width * 8;  // what a rank gets from its neighbour in one tick: one stage's rows
constexpr auto of_gpipe = collectives(grid{{1, 4}}, dry_step<double>(gpipe, 6));
static_assert(of_gpipe.count(pass::forward, collective::permute, "stage") == 6 + stages - 1);
static_assert(of_gpipe.count(pass::backward, collective::permute, "stage") == 6 + stages - 1);
static_assert(of_gpipe.bytes_per_rank(collective::permute) == 2 * (6 + stages - 1) * handed_on);
static_assert(of_gpipe.count(collective::all_reduce) == 6 + 2);  // the logits of each microbatch; gradients of what lies outside the stages
constexpr auto of_1f1b = collectives(grid{{1, 4}}, dry_step<double>(one_forward_one_backward, 6));
static_assert(of_1f1b.count(collective::permute, "stage") == 2 * (6 + stages - 1) - 1);
static_assert(of_1f1b.bytes_per_rank(collective::permute) == (2 * (6 + stages - 1) - 1) * handed_on);
static_assert(of_1f1b.count(collective::all_reduce) == 6 + 2 && of_1f1b.count() == of_gpipe.count() - 1);
static_assert(collectives(grid{{1, 1}}, dry_step<double>(one_forward_one_backward, 6)).count() == 0);
// [proof]

program const about{.name = "pipeline", .purpose = "Trains a deep network on handwritten digits, in stages that work at the same time, on a mesh of MPI ranks.",
                    .axes = {"data", "stage"}, .strategies = {"1f1b", "gpipe", "unpipelined"}, .batch = "128", .dropout = "0", .microbatches = "8"};

// Parameters, two moments, gradients as they are summed up; the activations of as many microbatches as there are stages: what
// each stage is given and what it makes of it; and those of one more microbatch, forward and backward, with its images.
template <class T, class P>
std::size_t bound_of_1f1b(P const& p, index_t rows_of_one) {
  index_t state = 0;
  for_each_leaf([&](auto const& x) { state += x.local_size(); }, p);
  mesh_shape const& sizes = p.embed.mesh().sizes();
  index_t const stage_rows = layout_detail::largest_shard(shape::of(stages, rows_of_one, width), sharded_tensor<T, in_stages, grid>::layout, sizes);
  index_t const images = layout_detail::largest_shard(shape::of(rows_of_one, inputs), sharded_tensor<T, image_rows, grid>::layout, sizes);
  return static_cast<std::size_t>(6 * state + 2 * stages * stage_rows + 8 * stage_rows + 2 * images) * sizeof(T);
}

template <class T, class P>
double accuracy_of(device_mesh<grid> const& m, P const& p, digit_data const& data) {
  return mean_over(data.test_images.extents[0], 1000, [&](shuffled_batches const& tests, index_t i) {
    auto const x = feed<T, image_rows>(m, data.test_images, tests, i, T(1) / T(255));
    auto const labels = feed<std::int32_t, layout<"data">>(m, data.test_labels, tests, i, 1);
    return item(all_reduce(accuracy_count(einsum<"bh,ho->bo">(one_by_one(p, x), p.readout), labels)));
  });
}

// The batches of an epoch, each of so many microbatches. The rest of the images is left out.
struct batches_in_pieces {
  shuffled_batches pieces;
  index_t batches;
  index_t count() const { return batches; }
};

template <class T, class Schedule>
int train(device_mesh<grid> const& m, options const& o, digit_data const& data, Schedule schedule) {
  bool const root = m.rank() == 0;
  index_t const n = o.microbatches, size = o.batch / n;
  if (o.batch % n != 0) throw error("pipeline: --batch divides by --microbatches, which have the same size; found " + std::to_string(o.batch) + " and " + std::to_string(n));
  if (index_t const images = data.train_images.extents[0]; o.batch > images)
    throw error("pipeline: an epoch has a batch or more; found " + std::to_string(images) + " images and --batch " + std::to_string(o.batch));
  auto p = init<layouts, T>(m, model, fold_in(o.seed, 0));
  auto state = adam{}.init(p);
  auto const ones = init<constant_layouts, T>(m, one_a_stage, prng_key{0}).ones;
  if (root && n <= 8) std::cout << "\ncollectives of a step\n" << collectives(m.shape(), dry_step<T>(schedule, n, size)) << std::endl;

  index_t const images = data.train_images.extents[0], steps_of_epoch = images / o.batch;
  auto saved = o.checkpoints(m.communicator(), conditions_of(data));
  training_run run(m.communicator(), o.run, saved.resume(p, state), o.taken_in(steps_of_epoch * o.batch));
  auto const order = [&](index_t epoch) { return batches_in_pieces{o.batches(images, size, epoch), steps_of_epoch}; };
  auto const take = [&](batches_in_pieces const& batches, data_position const& at) {
    auto const batch = [&](index_t i) {
      index_t const piece = at.batch * n + i;
      return build<microbatch>(feed<T, image_rows>(m, data.train_images, batches.pieces, piece, T(1) / T(255)),
                               feed<std::int32_t, layout<"data">>(m, data.train_labels, batches.pieces, piece, 1), T(o.dropout),
                               fold_in(fold_in(o.seed, 2), static_cast<std::uint64_t>(at.step * n + i)));
    };
    auto const [l, h] = step(schedule, p, state, ones, batch, n);
    return step_result{item(l), static_cast<double>(item(h)), o.batch};
  };
  reset_peak_memory();
  run.go_on(saved, order, take, nothing_else, p, state);
  std::size_t const peak = memory_in_use().peak, bound = bound_of_1f1b<T>(p, size);

  double const reached = accuracy_of<T>(m, p, data);
  if (root) std::printf("\npeak memory of rank 0: %zu bytes; state and the activations of %d microbatches: %zu bytes\n", peak, static_cast<int>(stages), bound);
  if (root) std::printf("test accuracy: %.4f\n", reached);
  require_equal_replicas(m, p);
  comm::collectively(m.communicator(), [&] {
    if (std::is_same_v<Schedule, std::remove_cvref_t<decltype(one_forward_one_backward)>> && peak > bound)
      throw error("pipeline: a rank takes " + std::to_string(peak) + " bytes, more than the bound of " + std::to_string(bound));
  });
  return 0;
}

template <class T>
int train_by_schedule(device_mesh<grid> const& m, options const& o, digit_data const& data) {
  if (o.strategy == 0) return train<T>(m, o, data, one_forward_one_backward);
  if (o.strategy == 1) return train<T>(m, o, data, gpipe);
  return train<T>(m, o, data, unpipelined);
}

int run(options const& o) {
  device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1]});
  if (m.rank() == 0) std::printf("mesh data=%d x stage=%d on %d ranks\n", o.size[0], o.size[1], m.size());
  digit_data const data = load_digits(m.communicator(), o);
  return o.precision == 1 ? train_by_schedule<double>(m, o, data) : train_by_schedule<float>(m, o, data);
}

int main(int argc, char** argv) { return start(argc, argv, about, run); }
