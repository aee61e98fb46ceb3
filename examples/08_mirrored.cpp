// What you learn here: data parallelism as the guide to TensorFlow's MirroredStrategy does it. Every rank has a copy of
// the variables. A batch is global and split over the ranks. Gradients are summed by one all-reduce a step, so the
// copies stay equal. The data pipeline reads, keeps, shuffles and batches: each rank has the rows of its shard alone.
//   mpiexec -n 4 mirrored --checkpoint run1 --every 100 --log run1.csv
#include "support/digits.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;
using grid = mesh<axis<"data">>;

// [model]
constexpr auto network = sequential<784>(dense<"d1", 256>(relu()), dense<"d2", 256>(relu()), dense<"d3", 10>());
// [model]

// [strategy]
using mirrored_variables = data_parallel<"data">;
// [strategy]

// [step]
constexpr adam optimizer{.rate = 1e-3, .follows = convention::keras};

constexpr auto one_step = training_step<mirrored_variables>(network, cross_entropy, optimizer, 64, accuracy);
static_assert(dry_run(grid{{1}}, one_step).count() == 0);
static_assert(dry_run(grid{{8}}, one_step).count(pass::update, collective::all_reduce, "data") == 1);
static_assert(dry_run(grid{{8}}, one_step).count() == 1);
// [step]

template <class T>
void train(device_mesh<grid> const& m, options const& o) {
  auto const [training, test] = open_digits(m.communicator(), o);
  // [data]
  index_t const validation_images = std::clamp<index_t>(training.examples() / 6, 1, 10000);
  auto const [validation, rest] = training.split(validation_images, fold_in(o.seed, 1));
  auto const ordered = o.shuffle ? rest.shuffle(fold_in(o.seed, 2)) : rest;
  auto const train_data = ordered.cache().prefetch(2);
  // [fit]
  auto with_dropout = sequential<784>(dense<"d1", 256>(relu()), dropout(o.dropout), dense<"d2", 256>(relu()),
                                      dropout(o.dropout), dense<"d3", 10>());
  trainer t(mirrored_variables{}, m, with_dropout, cross_entropy, optimizer, accuracy, o.seed, std::type_identity<T>{});
  if (m.rank() == 0) std::cout << "\ncollectives of a step\n" << t.ledger(m.shape(), o.batch) << std::endl;

  fit_options how = o.fit(conditions_of(m.communicator(), o, training));
  how.validation = validation.cache().prefetch(2);
  how.each_epoch = true;  // the last checkpoint of each epoch stays
  t.fit(train_data, how);
  auto const reached = t.evaluate(test.prefetch(2), o.batch);
  // [fit]
  require_equal_replicas(m, t.parameters());
  if (m.rank() == 0) std::printf("\ntest loss: %.4f\ntest accuracy: %.4f\n", reached.loss, reached.metric);
}

int main(int argc, char** argv) {
  program const about("mirrored", "Trains a small network on handwritten digits, mirrored on MPI ranks.", {"data"},
                      {"data_parallel"}, {{"data", ""}, {"batch", "64"}, {"epochs", "2"}, {"dropout", "0"}});
  return start(argc, argv, about, [](options const& o) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0]});
    if (m.rank() == 0) std::printf("mesh data=%d: %d replicas in sync\n", o.size[0], m.size());
    return o.choose<mirrored_variables>([&]<class, class T> { train<T>(m, o); });
  });
}
