// A trainer: its numbers are those of a loop of one's own, it goes on at the exact step on other meshes, and it keeps the best.
#include "ashlar/blas.hpp"
#include "ashlar/train/trainer.hpp"
#include "ashlar/checkpoint/run_checkpoints.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"
#include "support.hpp"
#include <doctest/doctest.h>
#include <fstream>

using namespace ashlar;
using namespace ashlar::training;
using testing::shared_folder;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
using sharded = model_parallel<"data", rule<"d1/kernel", layout<none, "model">>, rule<"d1/bias", layout<"model">>,
                               rule<"d2/kernel", layout<"model", none>>, output_rule<"d2", layout<"data", none>>>;
using mirrored = data_parallel<"data">;
constexpr auto net = sequential<12>(rescaling(1. / 255), dense<"d1", 6>(relu()), dropout(0.25), dense<"d2", 3>());
constexpr std::type_identity<double> in_double{};

// Rows whose class is the place of their largest numbers.
datasets::dataset examples(index_t n, unsigned seed) {
  io::idx_array x{{n, 12}, {}}, y{{n}, {}};
  for (index_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    unsigned const c = seed >> 20 & 1023;
    for (unsigned j = 0; j < 12; ++j) {
      seed = seed * 1664525u + 1013904223u;
      x.bytes.push_back(static_cast<std::uint8_t>((seed >> 26) + (j / 4 == c % 3 ? 190 : 0)));
    }
    y.bytes.push_back(static_cast<std::uint8_t>(c % 3));
  }
  return datasets::from_arrays(x, y);
}
device_mesh<grid> lines() { return device_mesh<grid>(MPI_COMM_WORLD, {testing::ranks(), 1}); }
device_mesh<grid> other_mesh() { return device_mesh<grid>(MPI_COMM_WORLD, {1, testing::ranks()}); }

template <class S>
auto trainer_of(device_mesh<grid> const& m, S s, schedule rate = 0.05) {
  return trainer(s, m, net, cross_entropy, adam{.rate = rate}, accuracy, prng_key{7}, in_double);
}
template <class T>
std::vector<double> numbers(T const& t) {
  std::vector<double> all;
  for_each_leaf(
      [&](auto const& x) {
        auto const own = gather_all(x);
        all.insert(all.end(), own.begin(), own.end());
      },
      t.parameters());
  return all;
}
double distance(std::vector<double> const& a, std::vector<double> const& b) {
  double d = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) d = std::max(d, std::abs(a[i] - b[i]));
  return d;
}

}  // namespace

TEST_CASE("trainer: fit has the numbers of a loop of one's own") {
  auto const m = lines();
  auto const data = examples(26, 1).shuffle(prng_key{3});
  auto t = trainer_of(m, mirrored{});
  auto const history = t.fit(data, {.epochs = 2, .batch = 8, .shown = false});

  // [loop]
  auto const one = step<mirrored>(net, cross_entropy, adam{.rate = 0.05}, accuracy);
  auto [p, state] = one.init<double>(m, fold_in(prng_key{7}, 0));
  auto batches = datasets::labelled_stream<double, layout<"data", none>, layout<"data">>(m, data.batch(8));
  std::vector<scores> sums(2);
  for (std::uint64_t i = 0; i < 8; ++i) {
    auto const batch = batches.next();
    auto const [loss, hits] = one(p, state, batch.tensors, fold_in(fold_in(prng_key{7}, 2), i));
    // [loop]
    sums[i / 4].loss += item(loss) * static_cast<double>(batch.examples);
    sums[i / 4].metric += item(std::get<0>(hits));
  }
  CHECK(gather_all(t.parameters()["d1"_n].kernel) == gather_all(p["d1"_n].kernel));
  CHECK(gather_all(t.parameters()["d2"_n].bias) == gather_all(p["d2"_n].bias));
  REQUIRE(history.size() == 2);
  for (std::size_t e = 0; e < 2; ++e) {
    CHECK(history[e].epoch == static_cast<index_t>(e + 1));
    CHECK(history[e].training.loss == sums[e].loss / 26);
    CHECK(history[e].training.metric == sums[e].metric / 26);
  }
}

TEST_CASE("trainer: it learns, whatever the mesh and the strategy, and evaluates without dropout") {
  auto const data = examples(96, 1), test = examples(50, 9);
  auto t = trainer_of(lines(), mirrored{});
  auto const before = t.evaluate(test);
  t.fit(data, {.epochs = 8, .batch = 16, .shown = false});
  auto const after = t.evaluate(test);
  CHECK(after.loss < before.loss / 2);
  CHECK(after.metric > 0.9);
  CHECK(t.evaluate(test, 7).metric == after.metric);

  auto u = trainer_of(other_mesh(), sharded{});
  u.fit(data, {.epochs = 8, .batch = 16, .shown = false});
  CHECK(distance(numbers(t), numbers(u)) < 1e-9);
  CHECK(u.ledger(grid{{2, 2}}, 16).count() == 2);
}

TEST_CASE("trainer: a run goes on at the exact step, also on another mesh and by another strategy") {
  auto const data = examples(40, 1).shuffle(prng_key{3});
  auto const whole = [&](auto t) {
    t.fit(data, {.epochs = 3, .batch = 8, .shown = false});
    return numbers(t);
  };
  std::vector<double> const expected = whole(trainer_of(lines(), mirrored{}));
  for (index_t steps : {7, 10}) {  // in the middle of an epoch, and at the end of one
    shared_folder const folder;
    fit_options o{.epochs = 3, .batch = 8, .checkpoints = folder.path, .steps = steps, .shown = false};
    o.log = folder.path / "log.csv";
    trainer_of(lines(), mirrored{}).fit(data, o);
    o.steps = 1000;
    auto same = trainer_of(lines(), mirrored{});
    fit_options on_copy = o;
    on_copy.epochs = 3;
    same.fit(data, on_copy);
    CHECK(numbers(same) == expected);
  }
  shared_folder const folder;
  fit_options o{.epochs = 3, .batch = 8, .checkpoints = folder.path, .steps = 7, .shown = false};
  trainer_of(lines(), mirrored{}).fit(data, o);
  o.steps = 1000;
  auto other = trainer_of(other_mesh(), sharded{});
  other.fit(data, o);
  CHECK(distance(numbers(other), expected) < 1e-9);
  // Other batches are another run.
  o.batch = 10;
  CHECK_THROWS(trainer_of(lines(), mirrored{}).fit(data, o));
}

TEST_CASE("trainer: gradients of microbatches are those of the batch") {
  auto const plain = sequential<12>(rescaling(1. / 255), dense<"d1", 6>(relu()), dense<"d2", 3>());
  auto const data = examples(44, 1);
  auto const trained = [&](index_t parts) {
    trainer t(mirrored{}, lines(), plain, cross_entropy, sgd{.rate = 0.5}, accuracy, prng_key{7}, in_double);
    auto const history =
        t.fit(data, {.epochs = 2, .batch = 12, .clip_norm = 0.2, .microbatches = parts, .shown = false});
    return std::pair(numbers(t), history.back().training.metric);
  };
  auto const one = trained(1), three = trained(3);
  CHECK(distance(one.first, three.first) < 1e-12);
  CHECK(one.second == three.second);
  CHECK_THROWS_WITH(trained(0),
                    doctest::Contains("ashlar::training::trainer: a batch has 1 microbatch or more, found 0"));
  CHECK_THROWS_WITH(trained(5), doctest::Contains("the microbatches divide a batch, found 12 examples and 5"));
}

TEST_CASE("trainer: early stopping ends with the best parameters, in a run that was resumed, too") {
  auto const data = examples(48, 1);
  schedule const rate = [](long i) { return i < 6 ? 0.05 : 3.; };  // the loss falls in 2 epochs, and rises then
  fit_options const o{
      .epochs = 20, .batch = 16, .validation = examples(30, 5), .stop_early = {.patience = 3}, .shown = false};
  auto t = trainer_of(lines(), mirrored{}, rate);
  auto const history = t.fit(data, o);
  REQUIRE(history.size() < 20);
  auto const best = std::min_element(history.begin(), history.end(), [](auto const& a, auto const& b) {
    return a.validation.loss < b.validation.loss;
  });
  CHECK(history.back().epoch == best->epoch + 3);
  CHECK(t.evaluate(*o.validation, 16).loss == best->validation.loss);

  shared_folder const folder;
  auto in_parts = o;
  in_parts.checkpoints = folder.path, in_parts.steps = 3 * (best->epoch + 1) + 1;
  trainer_of(lines(), mirrored{}, rate).fit(data, in_parts);
  in_parts.steps = 1000;
  auto u = trainer_of(lines(), mirrored{}, rate);
  auto const later = u.fit(data, in_parts);
  CHECK(later.back().epoch == history.back().epoch);
  CHECK(numbers(u) == numbers(t));
  auto v = trainer_of(lines(), mirrored{}, rate);
  CHECK(v.fit(data, in_parts).empty());  // it has stopped already
  CHECK(numbers(v) == numbers(t));
}

TEST_CASE("trainer: batches of tensors, a callback, and the rows of the log") {
  auto const m = lines();
  auto const plain = sequential<2, 3, 1>(flatten(), dense<"d1", 2>());
  shared_folder const folder;
  auto batches = datasets::tensor_batches(10, 4, [&](index_t n, std::uint64_t i) {
    return std::tuple(normal<float, layout<"data", none, none, none>>(m, {n, 2, 3, 1}, prng_key{2 * i}),
                      normal<float, layout<"data", none>>(m, {n, 2}, prng_key{2 * i + 1}));
  });
  CHECK(batches.count() == 3);
  auto const none = [](index_t, std::uint64_t) { return std::tuple<>(); };
  CHECK_THROWS_WITH(
      datasets::tensor_batches(0, 4, none),
      "ashlar::datasets::tensor_batches: expected 1 example or more in batches of 1 or more, found 0 and 4");
  trainer t(mirrored{}, m, plain, squared_error, rmsprop{});
  auto const history = t.fit(batches, {.epochs = 5, .log = folder.path / "log.csv", .shown = false},
                             [](epoch_scores const& e) { return e.epoch < 3; });
  REQUIRE(history.size() == 3);
  CHECK(history[2].training.loss < history[0].training.loss);
  double const first = trainer(mirrored{}, m, plain, squared_error, rmsprop{}).evaluate(batches).loss;
  CHECK(t.evaluate(batches).loss < first);
  comm::collectively(m.communicator(), [] {});
  std::ifstream file(folder.path / "log.csv");
  std::string line;
  std::getline(file, line);
  CHECK(line == "epoch,loss");
  int rows = 0;
  while (std::getline(file, line)) ++rows;
  CHECK(rows == 3);
}
