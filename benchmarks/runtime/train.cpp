// One training step of the examples' MLPs beside what an expert writes with BLAS and MPI for the same work, data parallel and,
// where the example has it, on a 2 x 2 mesh: those of examples/06_keras_distribution.cpp, 07_tf_dtensor.cpp and 08_mirrored.cpp.
// (04_mnist_mlp.cpp is in step.cpp.) On 2 ranks also how the step scales when each rank keeps its rows: beside the step of
// one rank alone with half of the batch, whose ratio is the efficiency, and beside two such at once that do not know of each
// other, which is what the machine's memory and caches allow.
#include "training_by_ashlar.hpp"
#include "hand_written_training.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;
using namespace training_benchmark;

struct keras_distribution {
  static constexpr char const* name = "784-200-10 rmsprop";
  using mask = philox_mask;
  static inline dense_network const by_hand{
      {inputs, hidden, classes}, false, objective::squared_error, update_rule::rmsprop, 1e-3};
  static constexpr auto answers = &training_data::targets;

  static constexpr auto model = with_dropout::model;
  static constexpr rmsprop optimizer{};
  static constexpr auto loss = [](auto const& p, auto const& x, auto const& targets, prng_key key) {
    return mean_squared_error(softmax(with_dropout::network(p, x, key)), targets);
  };
  static constexpr auto step = [](auto& p, auto& state, auto const& x, auto const& targets, prng_key key) {
    auto [value, grads] = value_and_grad<"data">(loss)(p, x, targets, key);
    auto [l, g] = all_reduce<"data">(bundle(value, grads));
    optimizer.update(p, state, g);
    return std::pair{item(l), 0.f};
  };
};

constexpr auto layer = [](auto const& p, auto const& x) { return einsum<"bi,io->bo">(x, p.kernel) + p.bias; };

struct tf_dtensor {
  static constexpr char const* name = "784-128-10 adam";
  using mask = no_mask;
  static inline dense_network const by_hand{
      {inputs, 128, classes}, true, objective::summed_cross_entropy, update_rule::adam, .01};
  static constexpr auto answers = &training_data::y;

  static constexpr auto model = sequential<inputs>(dense<"d1", 128>(), dense<"d2", classes>()).weights();
  static constexpr adam optimizer{.rate = .01};
  static constexpr auto loss = [](auto const& p, auto const& x, auto const& labels, prng_key) {
    auto z = layer(p["d2"_n], relu(layer(p["d1"_n], x)));
    return build<with_aux>(softmax_cross_entropy(z, labels) * static_cast<float>(x.extents()[0]),
                           accuracy_count(stop_gradient(z), labels));
  };
  static constexpr auto step = labelled_step<tf_dtensor>;
};

struct mirrored_strategy {
  static constexpr char const* name = "784-256-256-10 adam";
  using mask = no_mask;
  static inline dense_network const by_hand{
      {inputs, 256, 256, classes}, true, objective::cross_entropy, update_rule::adam, 1e-3};
  static constexpr auto answers = &training_data::y;

  static constexpr auto model =
      sequential<inputs>(dense<"d1", 256>(), dense<"d2", 256>(), dense<"d3", classes>()).weights();
  static constexpr adam optimizer{};
  static constexpr auto loss = [](auto const& p, auto const& x, auto const& labels, prng_key) {
    auto z = layer(p["d3"_n], relu(layer(p["d2"_n], relu(layer(p["d1"_n], x)))));
    return build<with_aux>(softmax_cross_entropy(z, labels), accuracy_count(stop_gradient(z), labels));
  };
  static constexpr auto step = labelled_step<mirrored_strategy>;
};

template <class Program, class Strategy>
void race(bench::races& all, int data_size, int model_size) {
  using mask = typename Program::mask;
  device_mesh<grid> const m(MPI_COMM_WORLD, {data_size, model_size});
  for (index_t batch : {64, 512}) {
    std::string const what = std::string(Program::name) + " batch " + std::to_string(batch) +
                             ", data=" + std::to_string(data_size) + " x model=" + std::to_string(model_size);
    if (!all.wants(what)) continue;
    training_data const data(m, batch);
    ashlar_step<Program, Strategy> ours(m, data);
    auto const first = ours.result().parameters;
    hand_step<mask> hand(Program::by_hand, data, first, data_size, model_size);
    all.race(what, {variant_of<mask>("ashlar", ours, Program::by_hand, first, batch),
                    variant_of<mask>("hand: BLAS + MPI", hand, Program::by_hand, first, batch)});
  }
}

template <class Program>
void race_weakly(bench::races& all) {
  using mask = typename Program::mask;
  device_mesh<grid> const both(MPI_COMM_WORLD, {2, 1}), alone(MPI_COMM_SELF, {1, 1});
  for (index_t rows : {64, 256}) {
    std::string const what = "weak: " + std::string(Program::name) + ", " + std::to_string(rows) + " rows a rank";
    if (!all.wants(what)) continue;
    training_data const data(both, 2 * rows), half(alone, rows);
    ashlar_step<Program, mirrored> two_ranks(both, data), one_rank(alone, half);
    auto const first = one_rank.result().parameters;
    auto const each = variant_of<mask>("limit: 1-rank steps on both at once", one_rank, Program::by_hand, first, rows);
    auto only = each;
    only.name = "ashlar: 1 rank, the other asleep";
    if (both.rank() != 0) only.run = [] {};
    all.race(what, {variant_of<mask>("ashlar", two_ranks, Program::by_hand, first, 2 * rows), only, each});
  }
}

void measure(int argc, char** argv) {
  bench::races all("train", argc, argv, blas_in_use());
  int const ranks = ranks_that_divide_batches("train");
  race<keras_distribution, mirrored>(all, ranks, 1);
  if (ranks == 4) race<keras_distribution, sharded>(all, 2, 2);
  race<tf_dtensor, mirrored>(all, ranks, 1);
  race<mirrored_strategy, mirrored>(all, ranks, 1);
  if (ranks == 2) {
    race_weakly<keras_distribution>(all);
    race_weakly<tf_dtensor>(all);
    race_weakly<mirrored_strategy>(all);
  }
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return bench::run([&] { measure(argc, argv); });
}
