// One training step of the MNIST example's network beside what an expert writes with BLAS and MPI for the same work:
// 784 -> dense 200, relu -> dropout 0.4 -> dense 10, softmax cross-entropy, Adam; data parallel and on a 2 x 2 mesh.
// ashlar's collectives go by memory that the ranks share, and by messages of MPI. All variants train on the same eight batches, in
// turn, with the loss and the number of hits of each step. Where Python has PyTorch and JAX, they take the same step on as
// many cores as there are ranks.
#include "frameworks.hpp"
#include "training_by_ashlar.hpp"
#include "hand_written_training.hpp"
#include <thread>

namespace {

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;
using namespace training_benchmark;

// The program of examples/04_mnist_mlp.cpp.
struct mnist_mlp {
  static inline dense_network const by_hand{
      {inputs, hidden, classes}, false, objective::cross_entropy, update_rule::adam, 1e-3};
  static constexpr auto answers = &training_data::y;
  static constexpr auto model = with_dropout::model;
  static constexpr adam optimizer{};
  static constexpr auto loss = [](auto const& p, auto const& x, auto const& labels, prng_key key) {
    auto z = with_dropout::network(p, x, key);
    return build<with_aux>(softmax_cross_entropy(z, labels), accuracy_count(stop_gradient(z), labels));
  };
  static constexpr auto step = labelled_step<mnist_mlp>;
};
dense_network const& by_hand = mnist_mlp::by_hand;

std::vector<bench::variant> framework_variants(frameworks& peers, std::vector<float> const& first, index_t batch) {
  std::vector<bench::variant> v;
  for (std::size_t i = 0; i < peers.names().size(); ++i)
    v.push_back({peers.names()[i], "none", [&peers, i] { peers.ask("step", i); },
                 [&peers, &first, batch, i] {
                   outcome<float> const o = peers.checked(i);
                   return !peers.is_root() ||
                          agree(by_hand, o, plain_loops<philox_mask>(by_hand, first).train(batch, checked_steps), batch,
                                tolerance(by_hand));
                 },
                 [&peers, i] { peers.ask("reset", i); }, frameworks::rest});
  return v;
}

template <class Strategy>
void race(bench::races& all, int data_size, int model_size, int cores) {
  device_mesh<grid> const m(MPI_COMM_WORLD, {data_size, model_size});
  auto const mpi = bench::mesh_over_mpi<grid>({data_size, model_size});
  for (index_t batch : {16, 128, 512}) {
    std::string const what = "step batch " + std::to_string(batch) + ", data=" + std::to_string(data_size) +
                             " x model=" + std::to_string(model_size);
    if (!all.wants(what)) continue;
    training_data const data(m, batch), data_over_mpi(mpi, batch);
    ashlar_step<mnist_mlp, Strategy> ours(m, data), over_mpi(mpi, data_over_mpi);
    auto const first = ours.result().parameters;
    hand_step<philox_mask> with_philox(by_hand, data, first, data_size, model_size);
    hand_step<hashed_mask> with_hash(by_hand, data, first, data_size, model_size);
    std::vector variants{variant_of<philox_mask>("ashlar", ours, by_hand, first, batch),
                         variant_of<philox_mask>("hand: BLAS + MPI, Philox mask", with_philox, by_hand, first, batch),
                         variant_of<hashed_mask>("hand: BLAS + MPI, hashed mask", with_hash, by_hand, first, batch)};
    if (m.size() > 1)
      variants.insert(variants.begin() + 1,
                      variant_of<philox_mask>(bench::ashlar_over_mpi, over_mpi, by_hand, first, batch));
    std::unique_ptr<frameworks> peers;
    if (data_size * model_size <= cores) {
      peers = std::make_unique<frameworks>(m, data, first);
      if (peers->names().empty() && m.rank() == 0)
        std::printf("left out: PyTorch and JAX, which python3 does not have (ASHLAR_PYTHON names another)\n");
      for (auto& v : framework_variants(*peers, first, batch)) variants.push_back(std::move(v));
    }
    all.race(what, variants);
  }
}

void measure(int argc, char** argv) {
  bench::races all("step", argc, argv, blas_in_use());
  int const ranks = ranks_that_divide_batches("step");
  auto const cores = static_cast<int>(std::thread::hardware_concurrency());
  race<mirrored>(all, ranks, 1, cores);
  if (ranks == 4) race<sharded>(all, 2, 2, cores);
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return bench::run([&] { measure(argc, argv); });
}
