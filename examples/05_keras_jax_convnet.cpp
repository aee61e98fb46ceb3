// What you learn here: training with several devices as the Keras + JAX guide to data parallelism does it. Losses are the
// same on all meshes, and by --strategy spatial. By --batch-norm shard a rank normalises over its part of the batch.
//   mpiexec -n 4 keras_jax_convnet --checkpoint run1 --every 200 --log run1.csv
#include "support/digits.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;
using grid = mesh<axis<"data">>;
// [network]
using replicated_variables = data_parallel<"data">;
using split_batch = batch_sharded<"data", 4>;
using split_rows = fresh<layout<none, halo("data", 4), none, none>>;  // with room for rows of the neighbours

template <class L>
constexpr auto laid_out = [](auto const& x) { return redistribute<L>(x); };

template <class Images = split_batch, nn::statistics Over = nn::statistics::global>
constexpr auto network_of = [](double rate) {
  return sequential<28, 28, 1>(rescaling(1. / 255),                                     //
                               laid_out<Images>, conv2d<"c1", 12, 3>(without_bias),     //
                               batch_norm<"n1", Over>(without_scale), relu(),           //
                               laid_out<Images>, conv2d<"c2", 24, 6, 2>(without_bias),  //
                               batch_norm<"n2", Over>(without_scale), relu(),           //
                               laid_out<Images>, conv2d<"c3", 32, 6, 2>(without_bias),  //
                               batch_norm<"n3", Over>(without_scale), relu(),           //
                               global_average_pool(), laid_out<layout<"data", none>>,   //
                               dense<"d1", 256>(relu()), dropout(rate), dense<"d2", 10>());
};
// [step]
constexpr adam optimizer{.rate = 1e-3, .follows = convention::keras};

template <class Images = split_batch, nn::statistics Over = nn::statistics::global>
constexpr auto train_step =
    step<replicated_variables>(network_of<Images, Over>(0.5), cross_entropy, optimizer, accuracy);

template <class Images = split_batch, nn::statistics Over = nn::statistics::global>
constexpr auto dry_step = [](auto const& m) {
  auto [p, state] = train_step<Images, Over>.init(m, prng_key{1});
  auto const x = make<float, split_batch>(m, {64, 28, 28, 1});
  auto const y = make<std::int32_t, layout<"data">>(m, {64});
  (void)train_step<Images, Over>(p, state, std::tie(x, y), prng_key{2});
};
// [step]
static_assert(dry_run(grid{{1}}, dry_step<>).count() == 0);
static_assert(dry_run(grid{{4}}, dry_step<>).count() == 3 + 3 + 1);  // normalisations, backward, update
static_assert(dry_run(grid{{4}}, dry_step<split_batch, nn::statistics::per_shard>).count() == 3 + 1);
static_assert(dry_run(grid{{4}}, dry_step<split_rows>).count() == 7 + 3 + 2 + 3);  // 3 exchanges, 2 sums of halos

template <class Images, nn::statistics Over, class T>
void train(device_mesh<grid> const& m, options const& o, digit_sets const& digits) {
  auto const network = network_of<Images, Over>(o.dropout);
  print_blocks<data_layout<replicated_variables, 2>>(std::cout, m, "a batch of images", {o.batch, 784});
  print_step(std::cout, m,
             training_step<replicated_variables, T>(network, cross_entropy, optimizer, o.batch, accuracy));
  // [fit]
  trainer t(replicated_variables{}, m, network, cross_entropy, optimizer, accuracy, o.seed, std::type_identity<T>{});
  t.fit(o.in_batches(digits.training), o.fit(conditions_of(m.communicator(), o, digits.training)));
  print_number(std::cout, m, "test accuracy", t.evaluate(digits.test).metric);
  // [fit]
  require_equal_replicas(m, std::tuple(t.parameters(), t.state().variables));
}

int main(int argc, char** argv) {
  program const about("keras_jax_convnet", "Trains a convolutional network.", {"data"}, {"data_parallel", "spatial"},
                      {{"data", ""}, {"batch", "64"}, {"epochs", "2"}, {"dropout", "0.5"}, {"batch-norm", "global"}});
  return start(argc, argv, about, [](options const& o) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0]});
    print_mesh(std::cout, m);
    digit_sets const digits = digit_sets_of(load_digits(m.communicator(), o));
    return choose_value<nn::statistics::global, nn::statistics::per_shard>(o.per_shard, [&](auto over) {
      return o.choose<split_batch, split_rows>([&]<class I, class T> { train<I, over.value, T>(m, o, digits); });
    });
  });
}
