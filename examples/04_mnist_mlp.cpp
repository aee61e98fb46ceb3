// What you learn here: a whole training program on a mesh of ranks, whose communication the compiler has checked.
// The network: 784 -> dense 200, relu -> dropout -> dense 10 -> softmax cross-entropy; Adam. The layouts of its
// parameters decide where it communicates. The source is the same for 1 rank and for many.
//   mpiexec -n 4 mnist_mlp --mesh data=2,model=2 --checkpoint run1 --every 500
#include "support/digits.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;
using grid = mesh<axis<"data">, axis<"model">>;

// [model]
constexpr auto network_of = [](double rate) {
  return sequential<784>(rescaling(1. / 255), dense<"d1", 200>(relu(), without_bias), dropout(rate), dense<"d2", 10>());
};
constexpr auto network = network_of(0.4);
// [model]

// [strategies]
using sharded = model_parallel<"data", rule<"d1/kernel", layout<none, "model">>,
                               rule<"d2/kernel", layout<"model", none>>, output_rule<"d2", layout<"data", none>>>;
using mirrored = data_parallel<"data">;
// [strategies]

template <class Strategy>
constexpr auto one_step = training_step<Strategy>(network, cross_entropy, adam{}, 128, accuracy);
constexpr auto on_2x2 = dry_run(grid{{2, 2}}, one_step<sharded>);
static_assert(on_2x2.count() == 2);
static_assert(on_2x2.count(pass::forward, collective::all_reduce, "model") == 1);  // the logits
static_assert(on_2x2.count(pass::backward) == 0);                                  // no gradient of the input is needed
static_assert(on_2x2.count(collective::all_reduce, "data") == 1);                  // gradients, loss and hits together
static_assert(on_2x2.bytes_per_rank(collective::all_reduce, "data") == 4 * (784 * 100 + 100 * 10 + 10 + 2));
static_assert(dry_run(grid{{1, 4}}, one_step<sharded>).count() == 1);
static_assert(dry_run(grid{{1, 1}}, one_step<sharded>).count() == 0);
static_assert(dry_run(grid{{2, 2}}, one_step<mirrored>).count() == 1);

template <class Strategy, class T>
void train(device_mesh<grid> const& m, options const& o, digit_sets const& digits) {
  trainer t(Strategy{}, m, network_of(o.dropout), cross_entropy, adam{}, accuracy, o.seed, std::type_identity<T>{});
  print_step(std::cout, m, training_step<Strategy, T>(network, cross_entropy, adam{}, o.batch, accuracy));
  // Each rank reads the rows of its shards. The run goes on from the newest checkpoint, if there is one.
  t.fit(o.in_batches(digits.training), o.fit(conditions_of(m.communicator(), o, digits.training)));
  print_number(std::cout, m, "\ntest accuracy", t.evaluate(digits.test).metric);
}

int main(int argc, char** argv) {
  program const about("mnist_mlp", "Trains a small network on handwritten digits, on a mesh of MPI ranks.",
                      {"data", "model"}, {"model_parallel", "data_parallel"},
                      {{"data", ""}, {"batch", "128"}, {"epochs", "5"}, {"dropout", "0.4"}});
  return start(argc, argv, about, [](options const& o) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1]});
    digit_sets const digits = digit_sets_of(load_digits(m.communicator(), o));
    return o.choose<sharded, mirrored>([&]<class S, class T> { train<S, T>(m, o, digits); });
  });
}
