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
template <class D1, class D2>
struct mlp {
  D1 d1;
  D2 d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
constexpr auto model = build<mlp>(build<linear>(weight{784, 200}), build<affine>(weight{200, 10}, weight{10}));
// [model]

// [strategies]
using sharded =
    model_parallel<"data", rule<"d1/kernel", layout<none, "model">>, rule<"d2/kernel", layout<"model", none>>>;
using mirrored = data_parallel<"data">;
// [strategies]

// [step]
constexpr auto network = [](auto const& p, auto const& x, auto rate, prng_key key) {
  auto h = dropout(relu(einsum<"bi,ih->bh">(x, p.d1.kernel)), rate, key);
  auto y = all_reduce(einsum<"bh,ho->bo">(h, p.d2.kernel));  // performs the partial sum
  return y + p.d2.bias;
};

constexpr auto loss = [](auto const& p, auto const& x, auto const& labels, auto rate, prng_key key) {
  auto z = network(p, x, rate, key);
  return build<with_aux>(nn::softmax_cross_entropy(z, labels), nn::accuracy_count(stop_gradient(z), labels));
};

constexpr auto train_step = [](auto& p, auto& state, auto const& x, auto const& labels, auto rate, prng_key key) {
  auto [value, hits, grads] = value_and_grad<"data">(loss)(p, x, labels, rate, key);
  auto [l, h, g] = all_reduce<"data">(bundle(value, hits, grads));  // one message for all of them
  adam{}.update(p, state, g);
  return std::pair{l, h};
};
// [step]

template <class Strategy, class T = float>
constexpr auto dry_step = [](auto const& m, index_t batch = 128) {
  auto p = init<Strategy, T>(m, model, prng_key{1});
  auto state = adam{}.init(p);
  auto x = make<T, layout<"data", none>>(m, {batch, 784});
  auto labels = make<std::int32_t, layout<"data">>(m, {batch});
  (void)train_step(p, state, x, labels, T(0.4), prng_key{2});
};
constexpr auto on_2x2 = dry_run(grid{{2, 2}}, dry_step<sharded>);
static_assert(on_2x2.count() == 2);
static_assert(on_2x2.count(pass::forward, collective::all_reduce, "model") == 1);  // the logits
static_assert(on_2x2.count(pass::backward) == 0);                                  // no gradient of the input is needed
static_assert(on_2x2.count(collective::all_reduce, "data") == 1);                  // gradients, loss and hits together
static_assert(on_2x2.bytes_per_rank(collective::all_reduce, "data") == 4 * (784 * 100 + 100 * 10 + 10 + 2));
static_assert(dry_run(grid{{1, 4}}, dry_step<sharded>).count() == 1);
static_assert(dry_run(grid{{1, 1}}, dry_step<sharded>).count() == 0);
static_assert(dry_run(grid{{2, 2}}, dry_step<mirrored>).count() == 1);

template <class Strategy, class T>
void train(device_mesh<grid> const& m, options const& o, digit_sets const& digits) {
  using images = layout<"data", none>;
  using labels = layout<"data">;
  auto p = init<Strategy, T>(m, model, fold_in(o.seed, 0));
  auto state = adam{}.init(p);
  print_step(std::cout, m, [&](auto const& a) { dry_step<Strategy, T>(a, o.batch); });

  // Each rank reads the rows of its shards. The run goes on from the newest checkpoint, if there is one.
  auto batches = labelled_stream<T, images, labels>(m, o.in_batches(digits.training), T(1) / T(255));
  auto saved = o.checkpoints(m.communicator(), conditions_of(m.communicator(), o, digits.training));
  training_run run(m.communicator(), o.run, saved.resume(p, state), o.taken_in(batches.examples()));
  batches.seek({run.at().epoch, run.at().batch});
  while (run.goes_on()) {
    auto const batch = batches.next();
    auto const& [x, y] = batch.tensors;
    auto const [l, h] = train_step(p, state, x, y, T(o.dropout), o.key(2, run.at().step));
    run.after_step({item(l), static_cast<double>(item(h)), batch.examples}, batches.count());
    saved.after_step(run.at(), p, state);
  }
  saved.after_last_step(run.at(), p, state);
  saved.finish();
  run.finish();

  auto const logits = [&](auto const& x) { return network(p, x, T(0), prng_key{0}); };
  double const reached = test_accuracy<T, images, labels>(m, digits.test, T(1) / T(255), logits);
  print_number(std::cout, m, "\ntest accuracy", reached);
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
