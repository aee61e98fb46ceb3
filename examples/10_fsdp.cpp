// What you learn here: fully sharded data parallelism (ZeRO 1, 2 and 3) is a matter of layouts. The network has one
// source. A layer asks for its whole weight: an all-gather if the layout shards it. remat_if says what the tape keeps.
// docs/how_to/sharded_training.md says what is in shares. Over the axis "data" all of that is replicated.
//   mpiexec -n 4 fsdp --mesh data=2,shard=2 --strategy zero3
#include "support/digits.hpp"
#include "support/layers.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;
using grid = mesh<axis<"data">, axis<"shard">>;
constexpr index_t inputs = 784, width = 512, classes = 10, layers = 6;
constexpr auto layer_of(index_t in, index_t out) { return build<linear>(weight{in, out}.from(initializer::he_normal)); }
constexpr auto hidden_layers =
    std::tuple_cat(std::tuple(layer_of(inputs, width)), stack<layers - 2>(layer_of(width, width)));
constexpr auto model = build<layer_pair>(hidden_layers, layer_of(width, classes));

using shares = model_parallel<axes("data", "shard"), rule<"kernel", layout<"shard", none>>>;  // of every kernel
template <zero_stage S>
using layouts_of = zero<S, data_parallel<axes("data", "shard")>, shares>;
using image_rows = layout<axes("data", "shard"), none>;
using row_labels = layout<axes("data", "shard")>;
// [network]
constexpr auto entire = [](auto const& w) { return redistribute<layout<none, none>>(w); };  // an all-gather, or nothing
constexpr auto hidden = [](auto const& p, auto const& x, auto rate, prng_key key) {
  return dropout(relu(einsum<"bi,ih->bh">(x, entire(p.kernel))), rate, key);
};
constexpr auto readout = [](auto const& p, auto const& h) { return einsum<"bh,ho->bo">(h, entire(p.kernel)); };

template <zero_stage S>
constexpr auto network = [](auto const& p, auto const& x, auto rate, prng_key key) {
  constexpr bool again = S == zero_stage::zero3;  // the tape keeps shares, and the backward pass gathers again
  auto const h = chain(p.d1, x, [&](auto const& y, auto const& own, std::size_t i) {
    return remat_if<again>(hidden)(own, y, rate, fold_in(key, i + 1));
  });
  return remat_if<again>(readout)(p.d2, h);
};
template <zero_stage S>
constexpr auto loss = [](auto const& p, auto const& x, auto const& labels, auto rate, prng_key key) {
  auto z = network<S>(p, x, rate, key);
  return build<with_aux>(nn::softmax_cross_entropy(z, labels), nn::accuracy_count(stop_gradient(z), labels));
};
// [step]
template <zero_stage S>
constexpr auto scattered = [](auto const& g) {
  if constexpr (S == zero_stage::zero1)
    return reduce_scatter<"shard", 0>(g);
  else
    return g;  // gradients of shares are scattered already
};
template <zero_stage S>
constexpr auto train_step = [](auto& p, auto& state, auto const& x, auto const& labels, auto rate, prng_key key) {
  auto [value, hits, grads] = value_and_grad<axes("data", "shard")>(loss<S>)(p, x, labels, rate, key);
  auto [l, h, g] = all_reduce(bundle(value, hits, map(scattered<S>, grads)));  // each over the axes where it is partial
  update_in_shares(adam{}, p, state, g);
  return std::pair{l, h};
};
// [step]
template <zero_stage S, class T = float>
constexpr auto dry_step = [](auto const& m, index_t batch = 128) {
  auto [p, state] = init_zero<layouts_of<S>, T>(adam{}, m, model, prng_key{1});
  auto labels = make<std::int32_t, row_labels>(m, {batch});
  (void)train_step<S>(p, state, make<T, image_rows>(m, {batch, inputs}), labels, T(0.1), prng_key{2});
};
static_assert(dry_run(grid{{1, 4}}, dry_step<zero_stage::zero2>).count() == 2 * layers + 1);
static_assert(dry_run(grid{{1, 4}}, dry_step<zero_stage::zero3>).count() == 3 * layers + 1);

template <zero_stage S, class T>
void train(device_mesh<grid> const& m, options const& o, digit_sets const& digits) {
  auto [p, state] = init_zero<layouts_of<S>, T>(adam{}, m, model, fold_in(o.seed, 0));
  print_step(std::cout, m, [&](auto const& a) { dry_step<S, T>(a, o.batch); });

  auto batches = labelled_stream<T, image_rows, row_labels>(m, o.in_batches(digits.training), T(1) / T(255));
  auto saved = o.checkpoints(m.communicator(), conditions_of(m.communicator(), o, digits.training));
  training_run run(m.communicator(), o.run, saved.resume(p, state), o.taken_in(batches.examples()));
  batches.seek({run.at().epoch, run.at().batch});
  reset_peak_memory();
  while (run.goes_on()) {
    auto const batch = batches.next();
    auto const& [x, labels] = batch.tensors;
    auto const [l, h] = train_step<S>(p, state, x, labels, T(o.dropout), o.key(2, run.at().step));
    run.after_step({item(l), static_cast<double>(item(h)), batch.examples}, batches.count());
    saved.after_step(run.at(), p, state);
  }
  saved.after_last_step(run.at(), p, state);
  saved.finish();
  run.finish();

  // Shares: parameters, gradients, two moments, sums over replicas. What layers are given; one layer, both passes.
  index_t const n = (o.batch + m.size() - 1) / m.size();
  auto const share = [&](index_t in, index_t out) { return (in + o.size[1] - 1) / o.size[1] * out; };
  index_t const all = share(inputs, width) + 4 * share(width, width) + share(width, classes);
  index_t const given = n * (inputs + 5 * width + classes + 1), layer = 2 * inputs * width + n * (inputs + 4 * width);
  auto const bound = static_cast<std::size_t>((o.size[0] > 1 ? 5 : 4) * all + given + layer) * sizeof(T);
  if (S == zero_stage::zero3) require_peak_memory(m.communicator(), bound);
  print_peak_memory(std::cout, m, "state / shards + activations + one layer", bound);
  auto const logits = [&, &p = p](auto const& x) { return network<S>(p, x, T(0), prng_key{0}); };
  double const reached = test_accuracy<T, image_rows, row_labels>(m, digits.test, T(1) / T(255), logits);
  print_number(std::cout, m, "test accuracy", reached);
  require_equal_replicas(m, p);
}

int main(int argc, char** argv) {
  program const about("fsdp", "Trains a deep network on handwritten digits, with everything sharded.",
                      {"data", "shard"}, {"zero3", "zero2", "zero1", "replicated"},
                      {{"data", ""}, {"batch", "128"}, {"epochs", "2"}, {"dropout", "0"}});
  return start(argc, argv, about, [](options const& o) {
    using enum zero_stage;
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1]});
    print_mesh(std::cout, m);
    digit_sets const digits = digit_sets_of(load_digits(m.communicator(), o));
    return o.choose<layouts_of<zero3>, layouts_of<zero2>, layouts_of<zero1>, layouts_of<replicated>>(
        [&]<class S, class T> { train<S::stage, T>(m, o, digits); });
  });
}
