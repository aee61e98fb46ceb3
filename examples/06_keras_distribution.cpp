// What you learn here: Keras' guide to its distribution API, word for word in types. A mesh and layouts, data and model
// parallelism, a map of layouts for weights and for a layer's output, a strategy of one's own, fit and evaluate. The mesh is
// an option: 8x1, 4x2, 2x4 and 1x8 train alike, and nothing else changes.
//
// The network: images -> flatten -> dense 200, relu, no bias -> dropout -> dense 10, softmax; mean squared error; RMSprop.
//   mpiexec -n 8 keras_distribution --mesh data=2,model=4 --checkpoint run1 --every 10 --log run1.csv
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <ranges>
#include <vector>

#include "options.hpp"

using namespace ashlar;

// [mesh]
using grid = mesh<axis<"data">, axis<"model">>;  // device_mesh<grid> m(MPI_COMM_WORLD, {2, 4})
using line = mesh<axis<"data">>;                 // device_mesh<line> m(MPI_COMM_WORLD): all ranks there are

using layout_2d = layout<"model", "data">;
using layout_4d = layout<"data", none, none, none>;  // batch_sharded<"data", 4> is another name of it
static_assert(std::is_same_v<layout_4d, batch_sharded<"data", 4>>);
// [mesh]

// [model]
template <class D1, class D2>
struct mlp {
  D1 d1;
  D2 d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
constexpr auto model = build<mlp>(build<linear>(weight{784, 200}), build<affine>(weight{200, 10}, weight{10}));

template <class Strategy>
constexpr auto network = [](auto const& p, auto const& images, auto rate, prng_key key) {
  auto x = flatten<1, 3>(images);
  auto h = place<Strategy, "d1">(p, relu(einsum<"bi,ih->bh">(x, p.d1.kernel)));
  auto y = place<Strategy, "d2">(p, einsum<"bh,ho->bo">(dropout(h, rate, key), p.d2.kernel));
  return softmax(y + p.d2.bias);
};
// [model]

// [strategies]
using mirrored = data_parallel<"data">;

using sharded = model_parallel<"data",                                    // batch_dim_name
                               rule<"d1/kernel", layout<none, "model">>,  //
                               rule<"d2/kernel", layout<"model", none>>,
                               output_rule<"d2", layout<"data", none>>>;  // "d2/output": it completes a sum

// With d2/kernel whole, as the guide has it, it is d1's output that is made whole, at ten times the bytes.
using gathered_hidden = model_parallel<"data", rule<"d1/kernel", layout<none, "model">>,
                                       output_rule<"d1", layout<"data", none>>, output_rule<"d2", layout<"data", none>>>;
// [strategies]

// [own_strategy]
// Kernels are split over "model" by columns and by rows in turn, and what the second of two layers gives is whole.
struct columns_then_rows : data_parallel<"data"> {
  template <class Parameter>
  using parameter_layout = std::conditional_t<Parameter::has("[13579]/kernel"), layout<none, "model">,
                           std::conditional_t<Parameter::has("[02468]/kernel"), layout<"model", none>, replicated<Parameter::rank>>>;
  template <class Output>
  using output_layout = std::conditional_t<Output::has("[02468]"), batch_sharded<"data", Output::rank>, void>;
};
// [own_strategy]

// [step]
template <class P, class O>
struct train_state {
  P weights;
  O optimizer;
};

template <class Strategy>
constexpr auto loss = [](auto const& p, auto const& images, auto const& labels, auto rate, prng_key key) {
  return mean_squared_error(network<Strategy>(p, images, rate, key), labels);
};

template <class Strategy>
constexpr auto train_step = [](auto& s, auto const& images, auto const& labels, auto rate, prng_key key) {
  auto [value, grads] = value_and_grad<"data">(loss<Strategy>)(s.weights, images, labels, rate, key);
  auto [l, g] = all_reduce<"data">(bundle(value, grads));
  rmsprop{}.update(s.weights, s.optimizer, g);
  return l;
};
// [step]

// [proof]
template <class Strategy, class T>
constexpr auto initial_state = [](auto const& m, prng_key key) {
  auto p = init<Strategy, T>(m, model, key);
  return build<train_state>(p, rmsprop{}.init(p));
};
template <class Strategy, class T = float>
constexpr auto dry_step = [](auto const& m, index_t batch = 16) {
  auto state = initial_state<Strategy, T>(m, prng_key{1});
  auto images = make<T, data_layout<Strategy, 4>>(m, {batch, 28, 28, 1});
  auto labels = make<T, data_layout<Strategy, 2>>(m, {batch, 10});
  (void)train_step<Strategy>(state, images, labels, T(0.4), prng_key{2});
};

// Every mesh of the guide, by one source: what is sharded sends one message forward, the batch's axis one for the update.
template <class Strategy>
constexpr bool sends(grid m, int over_model, int over_data) {
  auto const log = collectives(m, dry_step<Strategy>);
  return log.count() == over_model + over_data && log.count(pass::backward) == 0 &&
         log.count(pass::forward, collective::all_reduce, "model") == over_model && log.count(pass::update, collective::all_reduce, "data") == over_data;
}
static_assert(sends<sharded>({{8, 1}}, 0, 1));
static_assert(sends<sharded>({{4, 2}}, 1, 1));
static_assert(sends<sharded>({{2, 4}}, 1, 1));
static_assert(sends<sharded>({{1, 8}}, 1, 0));
static_assert(sends<sharded>({{1, 1}}, 0, 0));
static_assert(collectives(line{{8}}, dry_step<mirrored>).count() == 1);
static_assert(sends<mirrored>({{2, 4}}, 0, 1) && sends<mirrored>({{1, 8}}, 0, 0));
static_assert(sends<columns_then_rows>({{2, 4}}, 1, 1));
static_assert(collectives(grid{{2, 4}}, dry_step<gathered_hidden>).count(pass::forward, collective::all_gather, "model") == 1);
static_assert(collectives(grid{{2, 4}}, dry_step<gathered_hidden>).count() == 2);
static_assert(collectives(grid{{2, 4}}, dry_step<gathered_hidden>).bytes_per_rank(collective::all_gather, "model") == (8 * 200) * 4 * 3 / 4);
static_assert(collectives(grid{{2, 4}}, dry_step<sharded>).bytes_per_rank(collective::all_reduce, "model") == 2 * (8 * 10) * 4 * 3 / 4);
static_assert(collectives(grid{{2, 4}}, dry_step<sharded>).bytes_per_rank(collective::all_reduce, "data") == 4 * (784 * 50 + 50 * 10 + 10 + 1 + 1));  // odd, so one more
// [proof]

program const about{.name = "keras_distribution", .purpose = "Trains a small network on noise, as Keras' guide to its distribution API does.",
                    .axes = {"data", "model"}, .strategies = {"model_parallel", "data_parallel", "columns_then_rows", "gathered_hidden"},
                    .batch = "16", .epochs = "3", .dropout = "0.4", .digits = false};

// [data]
template <class X, class Y>
struct noise_batch {
  X images;
  Y labels;
};
// 128 examples in batches, each number where it is needed: element i is a function of the key and i, on every mesh.
template <class Strategy, class T, class M>
auto noise(device_mesh<M> const& m, index_t batch, prng_key key) {
  auto const one = [&](index_t n, std::uint64_t i) {
    return build<noise_batch>(normal<T, data_layout<Strategy, 4>>(m, {n, 28, 28, 1}, fold_in(key, 2 * i)),
                                normal<T, data_layout<Strategy, 2>>(m, {n, 10}, fold_in(key, 2 * i + 1)));
  };
  std::vector<decltype(one(0, 0))> data;
  for (index_t done = 0; done < 128; done += batch) data.push_back(one(std::min(batch, 128 - done), data.size()));
  return data;
}
// [data]

// Roundings differ from mesh to mesh, and grow: a relu whose argument is next to 0 is on in one run and off in another. So runs
// are compared over as many steps as the guide takes.
constexpr index_t compared_steps = 24;
struct outcome {
  double test_loss = 0, seconds = 0;
  index_t steps_before = 0;      // of the run from which it goes on
  std::vector<double> losses{};  // of its steps among the first
};
bool agree(outcome const& together, outcome const& alone, index_t steps, double tolerance) {
  auto const close = [&](double x, double y) { return std::abs(x - y) <= tolerance * std::abs(y); };  // and no NaN
  for (std::size_t i = 0; i < together.losses.size(); ++i)
    if (!close(together.losses[i], alone.losses[static_cast<std::size_t>(together.steps_before) + i])) return false;
  bool const as_many = together.steps_before <= steps;  // and no more, of a run that went on behind its end
  return steps > compared_steps || !as_many || close(together.test_loss, alone.test_loss);
}

// The guide's program, with the files that the options name.
template <class Strategy, class T, class M>
outcome train(device_mesh<M> const& m, options const& o) {
  auto const start = std::chrono::steady_clock::now();
  prng_key const key = o.seed;
  auto state = initial_state<Strategy, T>(m, fold_in(key, 0));
  auto const data = noise<Strategy, T>(m, o.batch, fold_in(key, 1));
  auto const batches = static_cast<index_t>(data.size());
  auto saved = o.checkpoints(m.communicator());
  training_run run(m.communicator(), o.run, saved.resume(state.weights, state.optimizer), o.taken_in(128));

  // [fit]
  auto const training = [&](auto const& batch) {
    auto const step = static_cast<std::uint64_t>(state.optimizer.step);
    auto const l = train_step<Strategy>(state, batch.images, batch.labels, T(o.dropout), fold_in(fold_in(key, 2), step));
    return batch_report{batch.images.extent(0), {{"loss", item(l)}}};
  };
  auto const testing = [&](auto const& batch) {
    auto const l = all_reduce(loss<Strategy>(state.weights, batch.images, batch.labels, T(0), key));
    return batch_report{batch.images.extent(0), {{"loss", item(l)}}};
  };
  outcome result{.steps_before = run.at().step};
  auto const record = after_batch([&](batch_report const& b, epoch_report const&) {
    if (run.at().step < compared_steps) result.losses.push_back(b.metrics[0].mean);
    run.after_step({b.metrics[0].mean, 0, b.examples}, batches);
    saved.after_step(run.at(), state.weights, state.optimizer);
    return run.goes_on();
  });
  // A run may go on in the middle of an epoch.
  auto const rest_of_epoch = [&](int) {
    auto const batch = [&, order = o.batches(batches, 1, run.at().epoch)](index_t i) -> auto const& { return data[static_cast<std::size_t>(order.examples(i, 0, 1)[0])]; };
    return std::views::iota(run.at().batch, batches) | std::views::transform(batch);
  };
  fit(run.goes_on() ? o.run.epochs - static_cast<int>(run.at().epoch) : 0, rest_of_epoch, training, record);
  progress test_bar(stdout, o.run.shown && m.rank() == 0, 1, 128, progress_style::automatic, 100, "evaluate ");
  auto const test = evaluate(data, testing, show_on(test_bar));
  // [fit]
  saved.finish();
  run.finish();
  result.test_loss = test["loss"];
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

// The same program on the mesh and on one rank: the mesh is all that differs.
template <class Strategy, class T, class M>
int compare(device_mesh<M> const& m, device_mesh<M> const& one_rank, options const& o) {
  bool const root = m.rank() == 0;
  if (root) std::cout << "\nweights\n";
  auto const weights = init<Strategy, T>(m, model, o.seed);
  for_each_named(
      [&](char const* path, auto const& x) {
        if (root) std::cout << "  " << path << ", " << to_string(layout_t<decltype(x)>{}) << "\n";
      },
      weights);
  if (root)
    std::cout << "\ncollectives of a step\n"
              << collectives(m.shape(), [&](auto const& a) { dry_step<Strategy, T>(a, o.batch); }) << std::endl;

  outcome const together = train<Strategy, T>(m, o);
  options without_files = o;
  without_files.run.losses = without_files.run.log = without_files.run.trace = without_files.checkpoint = "";
  without_files.run.shown = false;
  outcome alone{};
  comm::on_root(m.communicator(), [&] { alone = train<Strategy, T>(one_rank, without_files); });  // the others wait

  index_t const steps = std::min<index_t>(o.run.steps, o.run.epochs * ((128 + o.batch - 1) / o.batch));
  bool const same = !root || agree(together, alone, steps, o.precision == 1 ? 1e-10 : 1e-3);
  if (root)
    std::printf("\none rank: %.3f s, loss %.4f; mesh of %d: %.3f s, loss %.4f%s\n", alone.seconds, alone.test_loss, m.size(), together.seconds,
                together.test_loss, same ? "" : "; they differ");
  return !same;
}

template <class Strategy>
int compare_in(device_mesh<grid> const& m, device_mesh<grid> const& one_rank, options const& o) {
  return o.precision == 1 ? compare<Strategy, double>(m, one_rank, o) : compare<Strategy, float>(m, one_rank, o);
}

int run(options o) {
  o.run.columns = {"loss"};
  // [data_parallel]
  device_mesh<line> const all(MPI_COMM_WORLD);  // DataParallel() without a mesh: all ranks there are
  bool const without_a_mesh = o.strategy == 1 && !o.mesh_given;
  device_mesh<grid> const m(MPI_COMM_WORLD, {without_a_mesh ? all.size() : o.size[0], o.size[1]});
  // [data_parallel]
  if (m.rank() == 0) {
    std::printf("mesh data=%d x model=%d on %d ranks\n", m.sizes().size[0], m.sizes().size[1], m.size());
    std::cout << "\nlayout_2d, " << to_string(layout_2d{}) << ", of 8 x 8 numbers\n";
    draw<layout_2d>(std::cout, m.shape(), {8, 8});
    std::cout << "\nlayout_4d, " << to_string(layout_4d{}) << ", of a batch of images\n";
    draw<layout_4d>(std::cout, m.shape(), {o.batch, 28, 28, 1});
  }
  device_mesh<grid> const one_rank(MPI_COMM_SELF, {1, 1});
  switch (o.strategy) {
    case 0: return compare_in<sharded>(m, one_rank, o);
    case 1: return compare_in<mirrored>(m, one_rank, o);
    case 2: return compare_in<columns_then_rows>(m, one_rank, o);
    default: return compare_in<gathered_hidden>(m, one_rank, o);
  }
}

int main(int argc, char** argv) { return start(argc, argv, about, run); }
