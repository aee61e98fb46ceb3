// What you learn here: Keras' guide to its distribution API in types. A mesh and layouts, data and model parallelism,
// layouts for weights and for a layer's output, a strategy of one's own. The mesh is an option: all meshes train alike.
// The network: images -> flatten -> dense 200, relu -> dropout -> dense 10, softmax; mean squared error; RMSprop.
//   mpiexec -n 8 keras_distribution --mesh data=2,model=4 --checkpoint run1 --every 10 --log run1.csv
#include <cmath>
#include "options.hpp"

using namespace ashlar;
// [mesh]
using grid = mesh<axis<"data">, axis<"model">>;  // device_mesh<grid> m(MPI_COMM_WORLD, {2, 4})
using line = mesh<axis<"data">>;                 // device_mesh<line> m(MPI_COMM_WORLD): all ranks there are
using layout_2d = layout<"model", "data">;
using layout_4d = layout<"data", none, none, none>;  // batch_sharded<"data", 4> is another name of it
// [mesh]
// [model]
constexpr auto model = build<layer_pair>(build<linear>(weight{784, 200}), build<affine>(weight{200, 10}, weight{10}));

template <class Strategy>
constexpr auto network = [](auto const& p, auto const& images, auto rate, prng_key key) {
  auto x = flatten<1, 3>(images);
  auto h = place<Strategy, "d1">(p, relu(einsum<"bi,ih->bh">(x, p.d1.kernel)));
  auto y = place<Strategy, "d2">(p, einsum<"bh,ho->bo">(dropout(h, rate, key), p.d2.kernel));
  return softmax(y + p.d2.bias);
};
// [model]
// [strategies]
using mirrored = data_parallel<"data">;
using sharded = model_parallel<"data",                                    // batch_dim_name
                               rule<"d1/kernel", layout<none, "model">>,  //
                               rule<"d2/kernel", layout<"model", none>>,
                               output_rule<"d2", layout<"data", none>>>;  // "d2/output": it completes a sum
// With d2/kernel whole, as the guide has it, d1's output is made whole, at ten times the bytes.
using gathered_hidden =
    model_parallel<"data", rule<"d1/kernel", layout<none, "model">>, output_rule<"d1", layout<"data", none>>,
                   output_rule<"d2", layout<"data", none>>>;
// [strategies]
// [own_strategy]
// Kernels are split over "model" by columns and by rows in turn. The result of the second of two layers is whole.
struct columns_then_rows : data_parallel<"data"> {
  template <class Parameter>
  using parameter_layout = std::conditional_t<
      Parameter::has("[13579]/kernel"), layout<none, "model">,
      std::conditional_t<Parameter::has("[02468]/kernel"), layout<"model", none>, replicated<Parameter::rank>>>;
  template <class Output>
  using output_layout = std::conditional_t<Output::has("[02468]"), batch_sharded<"data", Output::rank>, void>;
};
// [own_strategy]
// [step]
template <class Strategy>
constexpr auto loss = [](auto const& p, auto const& images, auto const& labels, auto rate, prng_key key) {
  return mean_squared_error(network<Strategy>(p, images, rate, key), labels);
};
template <class Strategy>
constexpr auto train_step = [](auto& p, auto& state, auto const& images, auto const& labels, auto rate, prng_key key) {
  auto [value, grads] = value_and_grad<"data">(loss<Strategy>)(p, images, labels, rate, key);
  auto [l, g] = all_reduce<"data">(bundle(value, grads));
  rmsprop{}.update(p, state, g);
  return l;
};
// [step]
// [proof]
template <class Strategy, class T = float>
constexpr auto dry_step = [](auto const& m, index_t batch = 16) {
  auto p = init<Strategy, T>(m, model, prng_key{1});
  auto state = rmsprop{}.init(p);
  auto images = make<T, data_layout<Strategy, 4>>(m, {batch, 28, 28, 1});
  (void)train_step<Strategy>(p, state, images, make<T, data_layout<Strategy, 2>>(m, {batch, 10}), T(0.4), prng_key{2});
};
static_assert(collectives(grid{{8, 1}}, dry_step<sharded>).count() == 1);  // every mesh of the guide, by one source
static_assert(collectives(grid{{2, 4}}, dry_step<sharded>).count() == 2);
static_assert(collectives(grid{{1, 8}}, dry_step<sharded>).count() == 1);
static_assert(collectives(line{{8}}, dry_step<mirrored>).count() == 1);
static_assert(collectives(grid{{2, 4}}, dry_step<columns_then_rows>).count() == 2);
static_assert(collectives(grid{{2, 4}}, dry_step<gathered_hidden>).count() == 2);
// [proof]
// [data]
// 128 examples in batches, each number where it is needed: element i is a function of the key and i, on every mesh.
template <class Strategy, class T>
auto noise(device_mesh<grid> const& m, index_t batch, prng_key key) {
  auto const one = [&](index_t n, std::uint64_t i) {
    return std::pair(normal<T, data_layout<Strategy, 4>>(m, {n, 28, 28, 1}, fold_in(key, 2 * i)),
                     normal<T, data_layout<Strategy, 2>>(m, {n, 10}, fold_in(key, 2 * i + 1)));
  };
  std::vector<decltype(one(0, 0))> data;
  for (index_t done = 0; done < 128; done += batch) data.push_back(one(std::min(batch, 128 - done), data.size()));
  return data;
}
// [data]
struct outcome {
  double test_loss = 0, seconds = 0;
  index_t steps_before = 0;  // of the run from which it goes on
};
template <class Strategy, class T>
outcome train(device_mesh<grid> const& m, options const& o) {
  auto const start = std::chrono::steady_clock::now();
  auto p = init<Strategy, T>(m, model, fold_in(o.seed, 0));
  auto state = rmsprop{}.init(p);
  auto const data = noise<Strategy, T>(m, o.batch, fold_in(o.seed, 1));
  auto const order = [&](index_t epoch) { return o.batches(std::ssize(data), 1, epoch); };  // of batches
  // [fit]
  auto const training = [&](shuffled_batches const& batches, data_position const& at) {
    auto const& [images, labels] = data[static_cast<std::size_t>(batches.examples(at.batch, 0, 1)[0])];
    auto const l = train_step<Strategy>(p, state, images, labels, T(o.dropout), o.key(2, at.step));
    return step_result{static_cast<double>(item(l)), 0, images.extent(0)};
  };
  auto const begin = o.train_in_order(order, m.communicator(), {}, 128, training, nothing_else, p, state);
  auto const testing = [&](auto const& batch) {
    auto const l = all_reduce(loss<Strategy>(p, batch.first, batch.second, T(0), o.seed));
    return batch_report{batch.first.extent(0), {{"loss", item(l)}}};
  };
  progress test_bar(stdout, o.run.shown && m.rank() == 0, 1, 128, progress_style::automatic, 100, "evaluate ");
  auto const test = evaluate(data, testing, show_on(test_bar));
  // [fit]
  return {test["loss"], std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), begin.step};
}
// The same program on the mesh and on one rank. Roundings differ from mesh to mesh, and grow: a relu whose argument is
// next to 0 is on in one run and off in another. So only runs of as many steps as the guide takes are compared.
template <class Strategy, class T>
void compare(device_mesh<grid> const& m, options const& o) {
  auto const weights = init<Strategy, T>(m, model, o.seed);
  if (m.rank() == 0) print_layouts(std::cout << "\nweights\n", weights);
  print_step(std::cout, m, [&](auto const& a) { dry_step<Strategy, T>(a, o.batch); });
  outcome const together = train<Strategy, T>(m, o);
  options silent = o;
  silent.run.losses = silent.run.log = silent.run.trace = silent.checkpoint = "", silent.run.shown = false;
  comm::on_root(m.communicator(), [&] {  // the others wait
    outcome const alone = train<Strategy, T>(device_mesh<grid>(MPI_COMM_SELF, {1, 1}), silent);
    std::printf("\none rank: %.3f s, loss %.4f; mesh of %d: %.3f s, loss %.4f\n", alone.seconds, alone.test_loss,
                m.size(), together.seconds, together.test_loss);
    index_t const steps = std::min<index_t>(o.run.steps, o.run.epochs * ((128 + o.batch - 1) / o.batch));
    double const tolerance = (o.precision == 1 ? 1e-10 : 1e-3) * std::abs(alone.test_loss);
    if (steps <= 24 && together.steps_before <= steps && !(std::abs(together.test_loss - alone.test_loss) <= tolerance))
      throw error("keras_distribution: the losses of one rank and of the mesh differ");
  });
}

int main(int argc, char** argv) {
  program const about("keras_distribution",
                      "Trains a small network on noise, as Keras' guide to its distribution API does.",
                      {"data", "model"}, {"model_parallel", "data_parallel", "columns_then_rows", "gathered_hidden"},
                      {{"batch", "16"}, {"epochs", "3"}, {"dropout", "0.4"}}, {"loss"});
  return start(argc, argv, about, [](options const& o) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1]});
    print_mesh(std::cout, m);
    print_blocks<layout_2d>(std::cout, m, "layout_2d", {8, 8}, ", of 8 x 8 numbers");
    print_blocks<layout_4d>(std::cout, m, "layout_4d", {o.batch, 28, 28, 1}, ", of a batch of images");
    return o.choose<sharded, mirrored, columns_then_rows, gathered_hidden>(
        [&]<class S, class T> { compare<S, T>(m, o); });
  });
}
