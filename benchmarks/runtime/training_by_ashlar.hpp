// One training step by ashlar, and the race variant of any training step.
#pragma once
#include <ashlar/tensor/arrays/gather.hpp>
#include <ashlar/train/sequential.hpp>
#include "race.hpp"
#include "training.hpp"

namespace training_benchmark {

/// The network of examples/04_mnist_mlp.cpp and examples/06_keras_distribution.cpp: logits.
struct with_dropout {
  static constexpr auto model = sequential<inputs>(dense<"d1", hidden>(without_bias), dense<"d2", classes>()).weights();
  static constexpr auto network = [](auto const& p, auto const& x, prng_key key) {
    auto h = dropout(relu(einsum<"bi,ih->bh">(x, p["d1"_n].kernel)), rate, key);
    auto y = all_reduce(einsum<"bh,ho->bo">(h, p["d2"_n].kernel));
    return y + p["d2"_n].bias;
  };
};
using mirrored = data_parallel<"data">;
using sharded =
    model_parallel<"data", rule<"d1/kernel", layout<none, "model">>, rule<"d2/kernel", layout<"model", none>>>;

/// The step of a program whose loss also gives the number of hits. Returns loss and hits.
template <class Program>
constexpr auto labelled_step = [](auto& p, auto& state, auto const& x, auto const& labels, prng_key key) {
  auto [value, hits, grads] = value_and_grad<"data">(Program::loss)(p, x, labels, key);
  auto [l, h, g] = all_reduce<"data">(bundle(value, hits, grads));
  Program::optimizer.update(p, state, g);
  return std::pair{item(l), item(h)};
};

/// Steps of a program on a mesh. A program has `model`, `optimizer` and `step`. `answers` is the member of
/// training_data with which it compares results. `by_hand` is its network for the hand-written step.
template <class Program, class Strategy>
class ashlar_step {
 public:
  ashlar_step(device_mesh<grid> const& m, training_data const& d) : mesh_(m), data_(d) {}

  void reset() {
    p_ = first(mesh_);
    state_ = Program::optimizer.init(p_);
    step_ = 0;
  }
  void run() {
    auto const k = static_cast<std::size_t>(step_ % batches);
    std::tie(loss_, hits_) =
        Program::step(p_, state_, data_.x[k], (data_.*Program::answers)[k], dropout_of_step(step_));
    ++step_;
  }
  /// Collective: the ranks of the mesh.
  outcome<float> result() const {
    outcome<float> o{{}, loss_, hits_};
    for_each_leaf(
        [&](auto const& w) {
          auto const all = gather_all(w);
          o.parameters.insert(o.parameters.end(), all.begin(), all.end());
        },
        p_);
    return o;
  }
  dense_network const& shape() const { return Program::by_hand; }
  std::string transport() const { return bench::transport_of(mesh_); }
  outcome<double> const& part(outcome<double> const& all) const { return all; }

 private:
  static auto first(device_mesh<grid> const& m) { return init<Strategy>(m, Program::model, weight_key); }
  using parameters = decltype(first(std::declval<device_mesh<grid> const&>()));

  device_mesh<grid> mesh_;
  training_data const& data_;
  parameters p_ = first(mesh_);
  decltype(Program::optimizer.init(std::declval<parameters const&>())) state_ = Program::optimizer.init(p_);
  index_t step_ = 0;
  float loss_ = 0, hits_ = 0;
};

inline double tolerance(dense_network const& net) { return 5e-2 * net.learning_rate; }

/// A variant whose results are compared with plain_loops.
template <class Mask, class Step>
bench::variant variant_of(std::string name, Step& s, dense_network const& net, std::vector<float> const& first,
                          index_t batch) {
  return {std::move(name), s.transport(), [&s] { s.run(); },
          [&s, &net, &first, batch] {
            s.reset();
            for (index_t i = 0; i < checked_steps; ++i) s.run();
            return agree(s.shape(), s.result(), s.part(plain_loops<Mask>(net, first).train(batch, checked_steps)),
                         batch, tolerance(net));
          },
          [&s] { s.reset(); }};
}

inline nlohmann::json blas_in_use() {
  nlohmann::json notes;
#ifdef ASHLAR_CALLS_OPENBLAS
  notes["blas"] =
      "OpenBLAS " + std::string(openblas_get_corename()) + ", threads " + std::to_string(openblas_get_num_threads());
#endif
  return notes;
}

/// The number of ranks. Error: ashlar::error if the batches do not divide by it.
inline int ranks_that_divide_batches(std::string const& bench) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 1 && ranks != 2 && ranks != 4)
    throw error(bench + ": the batches are for 1, 2 or 4 ranks, found " + std::to_string(ranks));
  return ranks;
}

}  // namespace training_benchmark
