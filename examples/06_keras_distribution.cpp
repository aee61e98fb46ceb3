// What you learn here: Keras' guide to its distribution API in types. A mesh and layouts, data and model parallelism,
// layouts for weights and for a layer's output, other strategies. The mesh is an option: all meshes train alike.
//   mpiexec -n 8 keras_distribution --mesh data=2,model=4 --checkpoint run1 --every 10 --log run1.csv
#include "support/columns_then_rows.hpp"
#include "support/compare_with_one_rank.hpp"
#include "support/layers.hpp"
#include "support/options.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;

// [mesh]
using grid = mesh<axis<"data">, axis<"model">>;  // device_mesh<grid> m(MPI_COMM_WORLD, {2, 4})
using layout_2d = layout<"model", "data">;
using layout_4d = layout<"data", none, none, none>;  // batch_sharded<"data", 4> is another name of it

// [model]
constexpr auto model = build<layer_pair>(build<linear>(weight{784, 200}), build<affine>(weight{200, 10}, weight{10}));
template <class Strategy>
constexpr auto network = [](auto const& p, auto const& images, auto rate, prng_key key) {
  auto x = flatten<1, 3>(images);
  auto h = place<Strategy, "d1">(p, relu(einsum<"bi,ih->bh">(x, p.d1.kernel)));
  auto y = place<Strategy, "d2">(p, einsum<"bh,ho->bo">(dropout(h, rate, key), p.d2.kernel));
  return softmax(y + p.d2.bias);
};

// [strategies]
using mirrored = data_parallel<"data">;
// "data" splits the batch. The rule for d2's output completes a sum.
using sharded = model_parallel<"data", rule<"d1/kernel", layout<none, "model">>,
                               rule<"d2/kernel", layout<"model", none>>, output_rule<"d2", layout<"data", none>>>;
// With d2/kernel whole, as the guide has it, d1's output is made whole, at ten times the bytes.
using gathered_hidden =
    model_parallel<"data", rule<"d1/kernel", layout<none, "model">>, output_rule<"d1", layout<"data", none>>,
                   output_rule<"d2", layout<"data", none>>>;
using in_turn = columns_then_rows<"data", "model">;

// [step]
template <class Strategy>
constexpr auto loss = [](auto const& p, auto const& images, auto const& labels, auto rate, prng_key key) {
  return nn::mean_squared_error(network<Strategy>(p, images, rate, key), labels);
};
template <class Strategy>
constexpr auto train_step = [](auto& p, auto& state, auto const& images, auto const& labels, auto rate, prng_key key) {
  auto [value, grads] = value_and_grad<"data">(loss<Strategy>)(p, images, labels, rate, key);
  auto [l, g] = all_reduce<"data">(bundle(value, grads));
  rmsprop{}.update(p, state, g);
  return l;
};

// [proof]
template <class Strategy, class T = float>
constexpr auto dry_step = [](auto const& m, index_t batch = 16) {
  auto p = init<Strategy, T>(m, model, prng_key{1});
  auto state = rmsprop{}.init(p);
  auto images = make<T, data_layout<Strategy, 4>>(m, {batch, 28, 28, 1});
  (void)train_step<Strategy>(p, state, images, make<T, data_layout<Strategy, 2>>(m, {batch, 10}), T(0.4), prng_key{2});
};
static_assert(collectives(grid{{2, 4}}, dry_step<sharded>).count() == 2);    // forward, and for the update
static_assert(places_all<sharded>(grid{{2, 4}}, model, dry_step<sharded>));  // each output_rule is used
// [proof]

template <class Strategy, class T>
double train(device_mesh<grid> const& m, options const& o) {
  auto p = init<Strategy, T>(m, model, fold_in(o.seed, 0));
  auto state = rmsprop{}.init(p);
  // [data]
  // 128 examples in batches, each number where it is needed: element i is a function of the key and i, on every mesh.
  auto const data = datasets::make_batches(128, o.batch, [&, key = fold_in(o.seed, 1)](index_t n, std::uint64_t i) {
    return std::pair(normal<T, data_layout<Strategy, 4>>(m, {n, 28, 28, 1}, fold_in(key, 2 * i)),
                     normal<T, data_layout<Strategy, 2>>(m, {n, 10}, fold_in(key, 2 * i + 1)));
  });
  // [fit]
  auto saved = o.checkpoints(m.communicator(), {});
  training_run run(m.communicator(), o.run, saved.resume(p, state), o.taken_in(128));
  for (index_t epoch = run.at().epoch; run.goes_on(); ++epoch) {
    auto const order = o.batches(std::ssize(data), 1, epoch);  // of batches
    for (index_t i = run.at().batch; i < order.count() && run.goes_on(); ++i) {
      auto const& [images, labels] = data[static_cast<std::size_t>(order.examples(i, 0, 1)[0])];
      auto const l = train_step<Strategy>(p, state, images, labels, T(o.dropout), o.key(2, run.at().step));
      run.after_step({static_cast<double>(item(l)), 0, images.extent(0)}, order.count());
      saved.after_step(run.at(), p, state);
    }
  }
  saved.after_last_step(run.at(), p, state);
  saved.finish();
  run.finish();

  progress bar(stdout, o.run.shown && m.rank() == 0, 1, 128, progress_style::automatic, 100, "evaluate ");
  auto const testing = [&](auto const& batch) {
    auto const l = all_reduce(loss<Strategy>(p, batch.first, batch.second, T(0), o.seed));
    return batch_report{batch.first.extent(0), {{"loss", item(l)}}};
  };
  return evaluate(data, testing, show_on(bar))["loss"];
  // [fit]
}

template <class S, class T>
void compare(device_mesh<grid> const& m, options const& o) {
  if (m.rank() == 0) print_layouts(std::cout << "\nweights\n", init<S, T>(m.shape(), model, o.seed));
  print_step(std::cout, m, [&](auto const& a) { dry_step<S, T>(a, o.batch); });
  // Roundings differ from mesh to mesh, and grow. So only runs of as many steps as the guide takes are compared.
  index_t const steps = std::min<index_t>(o.run.steps, o.run.epochs * ((128 + o.batch - 1) / o.batch));
  double const tolerance = steps > 24 || !o.checkpoint.empty() ? INFINITY : o.precision == 1 ? 1e-10 : 1e-3;
  compare_with_one_rank(m, tolerance,
                        [&](auto const& on, bool alone) { return train<S, T>(on, alone ? o.silent() : o); });
}

int main(int argc, char** argv) {
  program const about("keras_distribution", "Trains on noise, as Keras' guide to its distribution API does.",
                      {"data", "model"}, {"model_parallel", "data_parallel", "columns_then_rows", "gathered_hidden"},
                      {{"batch", "16"}, {"epochs", "3"}, {"dropout", "0.4"}}, {"loss"});
  return start(argc, argv, about, [](options const& o) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1]});
    print_mesh(std::cout, m);
    print_blocks<layout_2d>(std::cout, m, "layout_2d", {8, 8}, ", of 8 x 8 numbers");
    print_blocks<layout_4d>(std::cout, m, "layout_4d", {o.batch, 28, 28, 1}, ", of a batch of images");
    return o.choose<sharded, mirrored, in_turn, gathered_hidden>([&]<class S, class T> { compare<S, T>(m, o); });
  });
}
