// One training step of the MNIST example's network beside what an expert writes with BLAS and MPI for the same work:
// 784 -> dense 200, relu -> dropout 0.4 -> dense 10, softmax cross-entropy, Adam; data parallel and on a 2 x 2 mesh.
// All variants train on the same eight batches, in turn, with the loss and the number of hits of each step. Where Python
// has PyTorch and JAX, they take the same step on as many cores as there are ranks.
#include <ashlar/tensor/gather.hpp>
#include "../../examples/layers.hpp"
#include "frameworks.hpp"
#include "training_by_hand.hpp"

namespace {

using namespace ashlar;
using namespace training;

// The program of examples/04_mnist_mlp.cpp.
template <class D1, class D2>
struct mlp {
  D1 d1;
  D2 d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
constexpr auto model =
    build<mlp>(build<linear>(weight{inputs, hidden}), build<affine>(weight{hidden, classes}, weight{classes}));
using sharded =
    model_parallel<"data", rule<"d1/kernel", layout<none, "model">>, rule<"d2/kernel", layout<"model", none>>>;
using mirrored = data_parallel<"data">;

constexpr auto network = [](auto const& p, auto const& x, prng_key key) {
  auto h = dropout(relu(einsum<"bi,ih->bh">(x, p.d1.kernel)), rate, key);
  auto y = all_reduce(einsum<"bh,ho->bo">(h, p.d2.kernel));
  return y + p.d2.bias;
};
constexpr auto loss = [](auto const& p, auto const& x, auto const& labels, prng_key key) {
  auto z = network(p, x, key);
  return build<with_aux>(softmax_cross_entropy(z, labels), accuracy_count(plain(z), labels));
};
constexpr auto train_step = [](auto& p, auto& state, auto const& x, auto const& labels, prng_key key) {
  auto [value, hits, grads] = value_and_grad<"data">(loss)(p, x, labels, key);
  auto [l, h, g] = all_reduce<"data">(bundle(value, hits, grads));
  adam{}.update(p, state, g);
  return std::pair{l, h};
};

template <class Strategy>
class ashlar_step {
 public:
  ashlar_step(device_mesh<grid> const& m, training_data const& d) : mesh_(m), data_(d) {}

  void reset() {
    p_ = init<Strategy>(mesh_, model, weight_key);
    state_ = adam{}.init(p_);
    step_ = 0;
  }
  void run() {
    auto const k = static_cast<std::size_t>(step_ % batches);
    auto const [l, h] = train_step(p_, state_, data_.x[k], data_.y[k], dropout_of_step(step_++));
    loss_ = item(l);
    hits_ = item(h);
  }
  outcome<float> result() const {
    return {gather_all(p_.d1.kernel), gather_all(p_.d2.kernel), gather_all(p_.d2.bias), loss_, hits_};
  }

 private:
  using parameters = decltype(init<Strategy>(std::declval<device_mesh<grid> const&>(), model, weight_key));

  device_mesh<grid> mesh_;
  training_data const& data_;
  parameters p_ = init<Strategy>(mesh_, model, weight_key);
  decltype(adam{}.init(std::declval<parameters const&>())) state_ = adam{}.init(p_);
  index_t step_ = 0;
  float loss_ = 0, hits_ = 0;
};

constexpr index_t checked_steps = frameworks::checked_steps;
constexpr double tolerance = 5e-5;  // steps are of 1e-3; where a gradient all but vanishes, Adam magnifies its rounding

template <class S>
void take_checked_steps(S& s) {
  s.reset();
  for (index_t i = 0; i < checked_steps; ++i) s.run();
}

template <class Mask>
bench::variant hand_variant(std::string const& name, hand_step<Mask>& s, outcome<float> const& first, index_t batch) {
  return {name, [&s] { s.run(); },
          [&s, &first, batch] {
            take_checked_steps(s);
            return agree(s.result(), s.part(plain_loops<Mask>(first).train(batch, checked_steps)), tolerance);
          },
          [&s] { s.reset(); }};
}

std::vector<bench::variant> framework_variants(frameworks& peers, outcome<float> const& first, index_t batch) {
  std::vector<bench::variant> v;
  for (std::size_t i = 0; i < peers.names().size(); ++i)
    v.push_back({peers.names()[i], [&peers, i] { peers.ask("step", i); },
                 [&peers, &first, batch, i] {
                   outcome<float> const o = peers.checked(i);
                   return !peers.is_root() || agree(o, plain_loops<philox_mask>(first).train(batch, checked_steps), tolerance);
                 },
                 [&peers, i] { peers.ask("reset", i); }});
  return v;
}

template <class Strategy>
void race(bench::races& all, int data_size, int model_size, int cores) {
  device_mesh<grid> const m(MPI_COMM_WORLD, {data_size, model_size});
  for (index_t batch : {16, 128, 512}) {
    std::string const what = "step batch " + std::to_string(batch) + ", data=" + std::to_string(data_size) +
                             " x model=" + std::to_string(model_size);
    if (!all.wants(what)) continue;
    training_data const data(m, batch);
    ashlar_step<Strategy> ours(m, data);
    outcome<float> const first = ours.result();
    hand_step<philox_mask> with_philox(data, first, data_size, model_size);
    hand_step<hashed_mask> with_hash(data, first, data_size, model_size);
    std::vector<bench::variant> variants{{"ashlar", [&] { ours.run(); },
                     [&] {
                       take_checked_steps(ours);
                       return agree(ours.result(), plain_loops<philox_mask>(first).train(batch, checked_steps),
                                    tolerance);
                     },
                     [&] { ours.reset(); }},
                    hand_variant("hand: BLAS + MPI, Philox mask", with_philox, first, batch),
                    hand_variant("hand: BLAS + MPI, hashed mask", with_hash, first, batch)};
    std::unique_ptr<frameworks> peers;
    if (data_size * model_size <= cores) {
      peers = std::make_unique<frameworks>(m, data, first);
      if (peers->names().empty() && m.rank() == 0) std::printf("left out: PyTorch and JAX, which python3 does not have (ASHLAR_PYTHON names another)\n");
      for (auto& v : framework_variants(*peers, first, batch)) variants.push_back(std::move(v));
    }
    all.race(what, variants);
  }
}

void measure(int argc, char** argv) {
  nlohmann::json notes;
#ifdef OPENBLAS_SEQUENTIAL
  notes["blas"] =
      "OpenBLAS " + std::string(openblas_get_corename()) + ", threads " + std::to_string(openblas_get_num_threads());
#endif
  bench::races all("step", argc, argv, notes);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 1 && ranks != 2 && ranks != 4)
    throw error("step: the batches are for 1, 2 or 4 ranks, found " + std::to_string(ranks));
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
