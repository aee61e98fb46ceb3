// What you learn here: a pipeline. The stages of a network are one dimension of its parameters, which the axis "stage"
// shards. Activations have that dimension too, one microbatch in each stage, and roll<0> hands them on. So a
// pipeline is a network like any other. support/residual_classifier.hpp has this one, and
// ashlar/train/pipeline.hpp three schedules:
//   gpipe         all microbatches forward, then all backward: the tape grows with the microbatches
//   1f1b          one forward and one backward in each tick: what is kept does not depend on their number
//   unpipelined   one stage after the other, each gathered when it is needed, to compare
//   mpiexec -n 4 pipeline --mesh data=1,stage=4 --microbatches 16
#include "support/digits.hpp"
#include "support/residual_classifier.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;
using grid = mesh<axis<"data">, axis<"stage">>;

constexpr index_t depth = 8, inputs = 784, width = 128, classes = 10;
constexpr auto model = build<pipelined>(weight{inputs, width}, weight{depth, width, width}, weight{width, classes});

using layouts = model_parallel<"data", rule<"stages", layout<"stage", none, none>>>;
using image_rows = layout<"data", none>;
using row_labels = layout<"data">;

// [step]
constexpr auto train_step = [](auto const& schedule, auto& p, auto& state, auto const& network) {
  auto const result = schedule(p, network, network.n);
  auto [l, hits] = all_reduce<"data">(bundle(result.value, result.aux));
  auto const g = map([](auto const& x) { return all_reduce(x); }, result.gradients);  // what is partial
  adam{}.update(p, state, g);
  return std::pair{l, hits};
};
// [step]

template <class T, class Schedule>
constexpr auto dry_step(Schedule schedule, index_t n, index_t rows_of_one = 16) {
  return [=](auto const& m) {
    auto p = init<layouts, T>(m, model, prng_key{1});
    auto state = adam{}.init(p);
    auto const batch = [&](index_t) {
      auto images = make<T, image_rows>(m, {rows_of_one, inputs});
      return build<microbatch>(images, make<std::int32_t, row_labels>(m, {rows_of_one}), prng_key{2});
    };
    (void)train_step(schedule, p, state, residual_classifier_of<depth, T>(m, batch, n, 0.1));
  };
}
constexpr auto of_gpipe = dry_run(grid{{1, 4}}, dry_step<double>(gpipe, 6));
constexpr auto of_1f1b = dry_run(grid{{1, 4}}, dry_step<double>(one_forward_one_backward, 6));
static_assert(of_gpipe.count(pass::forward, collective::permute, "stage") == 6 + depth - 1);
static_assert(of_gpipe.count(pass::backward, collective::permute, "stage") == 6 + depth - 1);
static_assert(of_1f1b.count(collective::permute, "stage") == 2 * (6 + depth - 1) - 1);

template <class T, class Schedule>
void train(device_mesh<grid> const& m, options const& o, io::digit_data const& data, Schedule schedule) {
  index_t const n = o.microbatches, size = o.batch / n, images = data.train_images.extents[0];
  if (o.batch % n != 0 || o.batch > images)
    throw error("pipeline: --batch divides by --microbatches, and an epoch has a batch or more; found " +
                std::to_string(images) + " images and --batch " + std::to_string(o.batch) + " of " + std::to_string(n));
  auto p = init<layouts, T>(m, model, fold_in(o.seed, 0));
  auto state = adam{}.init(p);
  if (n <= 8) print_step(std::cout, m, dry_step<T>(schedule, n, size));

  datasets::dataset const training = datasets::from_arrays(data.train_images, data.train_labels);
  auto microbatches = labelled_stream<T, image_rows, row_labels>(m, o.in_batches(training).batch(size), T(1) / T(255));
  auto saved = o.checkpoints(m.communicator(), conditions_of(data));
  index_t const taken = images / o.batch * o.batch;  // the other images are left out
  training_run run(m.communicator(), o.run, saved.resume(p, state), o.taken_in(taken));
  reset_peak_memory();
  while (run.goes_on()) {
    index_t const at = run.at().step, epoch = run.at().epoch, first = run.at().batch * n;
    auto const batch = [&](index_t i) {  // a schedule asks for a microbatch when a stage needs it
      microbatches.seek({epoch, first + i});
      auto const [x, labels] = microbatches.next().tensors;
      return build<microbatch>(x, labels, o.key(2, at * n + i));
    };
    auto const [l, h] = train_step(schedule, p, state, residual_classifier_of<depth, T>(m, batch, n, o.dropout));
    run.after_step({item(l), static_cast<double>(item(h)), o.batch}, images / o.batch);
    saved.after_step(run.at(), p, state);
  }
  saved.after_last_step(run.at(), p, state);
  saved.finish();
  run.finish();

  // Parameters, two moments, gradients as they are summed up; the activations of as many microbatches as there are
  // stages, given and made; those of one more microbatch, forward and backward, with its images.
  index_t held = 0;
  for_each_leaf([&](auto const& x) { held += x.local_size(); }, p);
  index_t const stage_rows = largest_local_size<layout<"stage", "data", none>>(m, shape::of(depth, size, width));
  index_t const image_size = largest_local_size<image_rows>(m, shape::of(size, inputs));
  auto const bound = static_cast<std::size_t>(6 * held + (2 * depth + 8) * stage_rows + 2 * image_size) * sizeof(T);
  if (o.strategy == 0) require_peak_memory(m.communicator(), bound);
  print_peak_memory(std::cout, m, "state and the activations of 8 microbatches", bound);
  auto const logits = [&](auto const& x) { return residual_logits<depth>(p, x); };
  datasets::dataset const test = datasets::from_arrays(data.test_images, data.test_labels);
  double const reached = test_accuracy<T, image_rows, row_labels>(m, test, T(1) / T(255), logits);
  print_number(std::cout, m, "test accuracy", reached);
  require_equal_replicas(m, p);
}

int main(int argc, char** argv) {
  program const about(
      "pipeline",
      "Trains a deep network on handwritten digits, in stages that work at the same time, on a mesh of MPI ranks.",
      {"data", "stage"}, {"1f1b", "gpipe", "unpipelined"},
      {{"data", ""}, {"batch", "128"}, {"dropout", "0"}, {"microbatches", "8"}});
  return start(argc, argv, about, [](options const& o) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1]});
    print_mesh(std::cout, m);
    io::digit_data const data = load_digits(m.communicator(), o);
    return o.choose<decltype(one_forward_one_backward), decltype(gpipe), decltype(unpipelined)>(
        [&]<class S, class T> { train<T>(m, o, data, S{}); });
  });
}
