// What you learn here: fully sharded data parallelism (ZeRO 1, 2 and 3) is a matter of layouts. The network has one
// source. A layer asks for its whole weight: an all-gather if the layout shards it. remat_if says what the tape keeps.
// docs/how_to/sharded_training.md says what is in shares. Over the axis "data" all of that is replicated.
//   mpiexec -n 4 fsdp --mesh data=2,shard=2 --strategy zero3
#include "support/digits.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;
using grid = mesh<axis<"data">, axis<"shard">>;
constexpr index_t inputs = 784, width = 512, classes = 10, layers = 6;

// [network]
template <layer_name Name>
constexpr auto hidden = [](double rate) {
  return block<Name>(dense<"d", width>(relu(), without_bias).from(initializer::he_normal), dropout(rate));
};
constexpr auto network_of = [](double rate) {
  return sequential<inputs>(rescaling(1. / 255), hidden<"h1">(rate), hidden<"h2">(rate), hidden<"h3">(rate),
                            hidden<"h4">(rate), hidden<"h5">(rate),
                            dense<"d", classes>(without_bias).from(initializer::he_normal));
};
// [network]

// [strategies]
using whole = data_parallel<axes("data", "shard")>;
using shares = model_parallel<axes("data", "shard"), rule<"kernel", layout<"shard", none>>>;  // of every kernel
template <int Stage>
using layouts_of = zero<Stage, whole, shares>;

template <int Stage>
constexpr auto one_step = training_step<layouts_of<Stage>>(network_of(0.1), cross_entropy, adam{}, 128, accuracy);
static_assert(dry_run(grid{{1, 4}}, one_step<2>).count() == 2 * layers + 1);
static_assert(dry_run(grid{{1, 4}}, one_step<3>).count() == 3 * layers + 1);
// [strategies]

template <class Strategy, class T>
void train(device_mesh<grid> const& m, options const& o, digit_sets const& digits) {
  auto const network = network_of(o.dropout);
  print_step(std::cout, m, training_step<Strategy, T>(network, cross_entropy, adam{}, o.batch, accuracy));
  trainer t(Strategy{}, m, network, cross_entropy, adam{}, accuracy, o.seed, std::type_identity<T>{});
  reset_peak_memory();
  t.fit(o.in_batches(digits.training), o.fit(conditions_of(m.communicator(), o, digits.training)));

  // Shares: parameters, gradients, two moments, sums over replicas. What layers are given; one layer, both passes.
  index_t const n = (o.batch + m.size() - 1) / m.size();
  auto const share = [&](index_t in, index_t out) { return (in + o.size[1] - 1) / o.size[1] * out; };
  index_t const all = share(inputs, width) + 4 * share(width, width) + share(width, classes);
  index_t const given = n * (inputs + 5 * width + classes + 1), layer = 2 * inputs * width + n * (inputs + 4 * width);
  auto const bound = static_cast<std::size_t>((o.size[0] > 1 ? 5 : 4) * all + given + layer) * sizeof(T);
  if (Strategy::stage == 3) require_peak_memory(m.communicator(), bound);
  print_peak_memory(std::cout, m, "state / shards + activations + one layer", bound);
  print_number(std::cout, m, "test accuracy", t.evaluate(digits.test).metric);
  require_equal_replicas(m, t.parameters());
}

int main(int argc, char** argv) {
  program const about("fsdp", "Trains a deep network on handwritten digits, with everything sharded.",
                      {"data", "shard"}, {"zero3", "zero2", "zero1", "replicated"},
                      {{"data", ""}, {"batch", "128"}, {"epochs", "2"}, {"dropout", "0"}});
  return start(argc, argv, about, [](options const& o) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1]});
    print_mesh(std::cout, m);
    digit_sets const digits = digit_sets_of(load_digits(m.communicator(), o));
    return o.choose<layouts_of<3>, layouts_of<2>, layouts_of<1>, layouts_of<0>>(
        [&]<class S, class T> { train<S, T>(m, o, digits); });
  });
}
