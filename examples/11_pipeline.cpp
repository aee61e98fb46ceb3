// What you learn here: a pipeline. The stages of a network are one dimension of its parameters, which the axis "stage"
// shards. Activations have that dimension too, one microbatch in each stage, and roll<"stage"> hands them on. So a
// pipeline is a network like any other. ashlar/train/pipeline.hpp has two schedules:
//   gpipe         all microbatches forward, then all backward: the tape grows with the microbatches
//   1f1b          one forward and one backward in each tick: what is kept does not depend on their number
//   unpipelined   one stage after the other, each gathered when it is needed, to compare
//   mpiexec -n 4 pipeline --mesh data=1,stage=4 --microbatches 16
#include <ashlar/train/pipeline.hpp>
#include "digits.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"stage">>;

template <class O>
struct constants {
  O ones;
  static constexpr auto names = ashlar::names("ones");
};
constexpr index_t depth = 8, inputs = 784, width = 128, classes = 10;
constexpr auto model = build<pipelined>(weight{inputs, width}, weight{depth, width, width}, weight{width, classes});
constexpr auto one_a_stage = build<constants>(weight{depth}.from(initializer::ones));

using layouts = model_parallel<"data", rule<"stages", layout<"stage", none, none>>>;
using constant_layouts = model_parallel<"data", rule<"ones", layout<"stage">>>;
using image_rows = layout<"data", none>;
using row_labels = layout<"data">;
// [network]
template <class X, class L, class K>
struct microbatch {
  X images;
  L labels;
  K key;
};
// batch(i) has the images and labels of microbatch i. Its dropout draws by a key of its own, so that every schedule
// leaves out the same.
template <class O, class Batch>
struct residual_network {
  static constexpr index_t stages = depth;
  O ones;
  Batch batch;
  index_t n;
  double rate;

  constexpr auto enter(auto const& embed, index_t i) const { return einsum<"bi,ih->bh">(batch(i).images, embed); }
  constexpr auto stage(auto const& kernels, auto const& h) const {
    return h + relu(einsum<"sbi,sio->sbo">(h, kernels));
  }
  constexpr auto leave(auto const& readout, auto const& y, index_t i) const {  // y is partial over "stage"
    using T = element_t<decltype(y)>;
    auto const one = batch(i);
    auto z = all_reduce(einsum<"bh,ho->bo">(dropout(y, static_cast<T>(rate), one.key), readout));
    auto const share = softmax_cross_entropy(z, one.labels) * (T(1) / T(n));
    return build<with_aux>(share, accuracy_count(stop_gradient(z), one.labels));
  }
  constexpr auto embed_gradient(index_t i, auto const& ct) const { return einsum<"bi,bh->ih">(batch(i).images, ct); }
};
template <class T>
constexpr auto network_of(auto const& m, auto const& batch, index_t n, double rate) {
  auto const ones = init<constant_layouts, T>(m, one_a_stage, prng_key{0}).ones;
  using network = residual_network<std::remove_const_t<decltype(ones)>, std::remove_cvref_t<decltype(batch)>>;
  return network{ones, batch, n, rate};
}
// [network]
// One stage after the other.
constexpr auto one_by_one = [](auto const& q, auto const& images) {
  auto h = redistribute<image_rows>(einsum<"bi,ih->bh">(images, q.embed));
  for (index_t s = 0; s < depth; ++s) {
    auto const kernel = all_reduce(sum<0>(one_stage(s, q.stages)));
    h = redistribute<image_rows>(h + relu(einsum<"bi,io->bo">(h, kernel)));
  }
  return h;
};
constexpr auto unpipelined = [](auto const& p, auto const& network, index_t n) {
  return accumulate(n, [&](index_t i) {
    auto const images = network.batch(i).images;
    return value_and_grad<"data">([&](auto const& q) { return network.leave(q.readout, one_by_one(q, images), i); })(p);
  });
};
constexpr auto step = [](auto const& schedule, auto& p, auto& state, auto const& network) {
  auto const result = schedule(p, network, network.n);
  auto [l, hits] = all_reduce<"data">(bundle(result.value, result.aux));
  auto const g = map([](auto const& x) { return all_reduce(x); }, result.gradients);  // what is partial
  adam{}.update(p, state, g);
  return std::pair{l, hits};
};
template <class T, class Schedule>
constexpr auto dry_step(Schedule schedule, index_t n, index_t rows_of_one = 16) {
  return [=](auto const& m) {
    auto p = init<layouts, T>(m, model, prng_key{1});
    auto state = adam{}.init(p);
    auto const batch = [&](index_t) {
      auto images = make<T, image_rows>(m, {rows_of_one, inputs});
      return build<microbatch>(images, make<std::int32_t, row_labels>(m, {rows_of_one}), prng_key{2});
    };
    (void)step(schedule, p, state, network_of<T>(m, batch, n, 0.1));
  };
}
constexpr auto of_gpipe = collectives(grid{{1, 4}}, dry_step<double>(gpipe, 6));
constexpr auto of_1f1b = collectives(grid{{1, 4}}, dry_step<double>(one_forward_one_backward, 6));
static_assert(of_gpipe.count(pass::forward, collective::permute, "stage") == 6 + depth - 1);
static_assert(of_gpipe.count(pass::backward, collective::permute, "stage") == 6 + depth - 1);
static_assert(of_gpipe.bytes_per_rank(collective::permute) == 2 * (6 + depth - 1) * 16 * width * 8);
static_assert(of_gpipe.count(collective::all_reduce) == 6 + 2);  // of logits; of gradients outside the stages
static_assert(of_1f1b.count(collective::permute, "stage") == 2 * (6 + depth - 1) - 1);
static_assert(of_1f1b.bytes_per_rank(collective::permute) == (2 * (6 + depth - 1) - 1) * 16 * width * 8);
static_assert(of_1f1b.count(collective::all_reduce) == 6 + 2 && of_1f1b.count() == of_gpipe.count() - 1);
static_assert(collectives(grid{{1, 1}}, dry_step<double>(one_forward_one_backward, 6)).count() == 0);

// The batches of an epoch, each of n microbatches. The rest of the images is left out.
struct batches_in_pieces {
  shuffled_batches pieces;
  index_t batches;
  index_t count() const { return batches; }
};
template <class T, class Schedule>
void train(device_mesh<grid> const& m, options const& o, digit_data const& data, Schedule schedule) {
  index_t const n = o.microbatches, size = o.batch / n, images = data.train_images.extents[0];
  if (o.batch % n != 0)
    throw error("pipeline: --batch divides by --microbatches, which have the same size; found " +
                std::to_string(o.batch) + " and " + std::to_string(n));
  if (o.batch > images)
    throw error("pipeline: an epoch has a batch or more; found " + std::to_string(images) + " images and --batch " +
                std::to_string(o.batch));
  auto p = init<layouts, T>(m, model, fold_in(o.seed, 0));
  auto state = adam{}.init(p);
  if (n <= 8) print_step(std::cout, m, dry_step<T>(schedule, n, size));

  auto const order = [&](index_t epoch) { return batches_in_pieces{o.batches(images, size, epoch), images / o.batch}; };
  auto const take = [&](batches_in_pieces const& batches, data_position const& at) {
    auto const batch = [&](index_t i) {
      auto const [x, labels] = feed_labelled<T, image_rows, row_labels>(
          m, data.train_images, data.train_labels, batches.pieces, at.batch * n + i, T(1) / T(255));
      return build<microbatch>(x, labels, o.key(2, at.step * n + i));
    };
    auto const [l, h] = step(schedule, p, state, network_of<T>(m, batch, n, o.dropout));
    return step_result{item(l), static_cast<double>(item(h)), o.batch};
  };
  o.train_in_order(order, m.communicator(), conditions_of(data), images / o.batch * o.batch, take, nothing_else, p,
                   state);
  // Parameters, two moments, gradients as they are summed up; the activations of as many microbatches as there are
  // stages, given and made; those of one more microbatch, forward and backward, with its images.
  index_t held = 0;
  for_each_leaf([&](auto const& x) { held += x.local_size(); }, p);
  index_t const stage_rows = largest_local_size<layout<"stage", "data", none>>(m, shape::of(depth, size, width));
  index_t const image_size = largest_local_size<image_rows>(m, shape::of(size, inputs));
  auto const bound = static_cast<std::size_t>(6 * held + (2 * depth + 8) * stage_rows + 2 * image_size) * sizeof(T);
  if (o.strategy == 0) require_peak_memory(m.communicator(), bound);
  if (m.rank() == 0)
    std::printf("\npeak memory of rank 0: %zu bytes; state and the activations of %d microbatches: %zu bytes\n",
                memory_in_use().peak, static_cast<int>(depth), bound);
  auto const logits = [&](auto const& x) { return einsum<"bh,ho->bo">(one_by_one(p, x), p.readout); };
  double const reached = test_accuracy<T, image_rows, row_labels>(m, data, T(1) / T(255), logits);
  if (m.rank() == 0) std::printf("test accuracy: %.4f\n", reached);
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
    digit_data const data = load_digits(m.communicator(), o);
    return o.choose<decltype(one_forward_one_backward), decltype(gpipe), decltype(unpipelined)>(
        [&]<class S, class T> { train<T>(m, o, data, S{}); });
  });
}
