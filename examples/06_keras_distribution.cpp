// What you learn here: Keras' guide to its distribution API in types. A mesh and layouts, data and model parallelism,
// layouts for weights and for a layer's output, other strategies. The mesh is an option: all meshes train alike.
//   mpiexec -n 8 keras_distribution --mesh data=2,model=4 --checkpoint run1 --every 10 --log run1.csv
#include "support/columns_then_rows.hpp"
#include "support/compare_with_one_rank.hpp"
#include "support/options.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;

// [mesh]
using grid = mesh<axis<"data">, axis<"model">>;  // device_mesh<grid> m(MPI_COMM_WORLD, {2, 4})
using layout_2d = layout<"model", "data">;
using layout_4d = layout<"data", none, none, none>;  // batch_sharded<"data", 4> is another name of it

// [model]
constexpr auto network_of = [](double rate) {
  return sequential<28, 28, 1>(flatten(), dense<"d1", 200>(relu(), without_bias), dropout(rate),
                               dense<"d2", 10>(softmax()));
};
constexpr auto network = network_of(0.4);

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

// [proof]
template <class Strategy>
constexpr auto one_step = training_step<Strategy>(network, squared_error, rmsprop{}, 16);
static_assert(dry_run(grid{{2, 4}}, one_step<sharded>).count() == 2);                    // forward, and for the update
static_assert(dry_run(grid{{2, 4}}, one_step<mirrored>).count() == 1);                   // for the update
static_assert(places_all<sharded>(grid{{2, 4}}, network.weights(), one_step<sharded>));  // each output_rule is used
// [proof]

template <class Strategy, class T>
double train(device_mesh<grid> const& m, options const& o) {
  // [data]
  // 128 examples in batches, each number where it is needed: element i is a function of the key and i, on every mesh.
  auto const draw = [&, key = fold_in(o.seed, 1)](index_t n, std::uint64_t i) {
    return std::tuple(normal<T, data_layout<Strategy, 4>>(m, {n, 28, 28, 1}, fold_in(key, 2 * i)),
                      normal<T, data_layout<Strategy, 2>>(m, {n, 10}, fold_in(key, 2 * i + 1)));
  };
  auto data = datasets::tensor_batches(128, o.batch, draw, o.order(), fold_in(o.seed, 1));
  // [fit]
  trainer t(Strategy{}, m, network_of(o.dropout), squared_error, rmsprop{}, no_metric, o.seed, std::type_identity<T>{});
  t.fit(data, o.fit());
  return t.evaluate(data).loss;
  // [fit]
}

template <class S, class T>
void compare(device_mesh<grid> const& m, options const& o) {
  if (m.rank() == 0) print_layouts(std::cout << "\nweights\n", init<S, T>(m.shape(), network.weights(), o.seed));
  print_step(std::cout, m, training_step<S, T>(network, squared_error, rmsprop{}, o.batch));
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
