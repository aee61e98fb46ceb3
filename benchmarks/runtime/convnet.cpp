// One training step of the convolutional network of examples/05_keras_jax_convnet.cpp, data parallel: three convolutions with
// batch normalisation over all ranks' images, the mean of each channel, two dense layers, Adam. Where Python has PyTorch, it
// takes the same step on as many cores as the ranks and their threads have.
#include <ashlar/ashlar.hpp>
#include <ashlar/tensor/products/describe.hpp>
#include <ashlar/tensor/arrays/gather.hpp>

#include <memory>
#include <sstream>
#include <thread>

#include <ashlar/train/strategies/strategy.hpp>
#include "convnet_by_loops.hpp"
#include "peer.hpp"
#include "race.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;
using grid = mesh<axis<"data">>;

template <class K, class S>
struct convolution {
  K kernel;
  S shift;
  static constexpr auto names = ashlar::names("kernel", "shift");
};
template <class K, class B>
struct dense_layer {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
template <class C1, class C2, class C3, class D1, class D2>
struct network {
  C1 conv1;
  C2 conv2;
  C3 conv3;
  D1 dense1;
  D2 dense2;
  static constexpr auto names = ashlar::names("conv1", "conv2", "conv3", "dense1", "dense2");
};
template <class M1, class M2, class M3>
struct per_convolution {
  M1 conv1;
  M2 conv2;
  M3 conv3;
  static constexpr auto names = ashlar::names("conv1", "conv2", "conv3");
};
constexpr auto model = build<network>(
    build<convolution>(weight{3, 3, 1, 12}, weight{12}), build<convolution>(weight{6, 6, 12, 24}, weight{24}),
    build<convolution>(weight{6, 6, 24, 32}, weight{32}), build<dense_layer>(weight{32, 256}, weight{256}),
    build<dense_layer>(weight{256, 10}, weight{10}));
constexpr auto statistics_of = [](index_t channels) {
  return build<moving_statistics>(weight{channels}, weight{channels}.from(initializer::ones));
};
constexpr auto moving = build<per_convolution>(statistics_of(12), statistics_of(24), statistics_of(32));

constexpr index_t batch = 64, batches = 8, hidden = 256;
constexpr std::size_t checked_steps = 2;
constexpr float rate = 0.5f;
prng_key dropout_of_step(index_t step) { return fold_in(prng_key{4}, static_cast<std::uint64_t>(step)); }

template <int Stride>
constexpr auto block = [](auto const& p, auto const& state, auto const& x) {
  auto [y, after] = batch_norm(conv2d<Stride>(x, p.kernel), none, p.shift, state);
  return build<batch_normalized>(relu(y), after);
};
template <class H, class S>
struct observed {
  H hits;
  S state;
  static constexpr auto names = ashlar::names("hits", "state");
};
constexpr auto compute_loss = [](auto const& p, auto const& state, auto const& x, auto const& labels, prng_key key) {
  auto [h1, s1] = block<1>(p.conv1, state.conv1, unflatten<1>(x, {28, 28, 1}) * (1.f / 255));
  auto [h2, s2] = block<2>(p.conv2, state.conv2, h1);
  auto [h3, s3] = block<2>(p.conv3, state.conv3, h2);
  auto h = relu(einsum<"bi,ih->bh">(global_average_pool(h3), p.dense1.kernel) + p.dense1.bias);
  auto z = einsum<"bh,ho->bo">(dropout(h, rate, key), p.dense2.kernel) + p.dense2.bias;
  return build<with_aux>(softmax_cross_entropy(z, labels),
                         build<observed>(accuracy_count(stop_gradient(z), labels), build<per_convolution>(s1, s2, s3)));
};

struct label {
  prng_key key;
  KOKKOS_FUNCTION std::int32_t operator()(index_t i) const {
    return static_cast<std::int32_t>(random_bits(key, i) % 10);
  }
};

class ashlar_step {
 public:
  explicit ashlar_step(device_mesh<grid> const& m) : mesh_(m) {
    for (std::uint64_t k = 0; k < batches; ++k) {
      x.push_back(uniform<float, layout<"data", none>>(m, {batch, 784}, fold_in(prng_key{2}, k), 0.f, 255.f));
      y.push_back(generate<std::int32_t, layout<"data">>(m, {batch}, label{fold_in(prng_key{3}, k)}));
    }
  }
  void reset() {
    p_ = init<data_parallel<"data">, float>(mesh_, model, prng_key{1});
    state_ = init<data_parallel<"data">, float>(mesh_, moving, prng_key{1});
    adam_ = adam{}.init(p_);
    step_ = 0;
  }
  void run() {
    auto const k = static_cast<std::size_t>(step_ % batches);
    auto [value, aux, grads] = value_and_grad<"data">(compute_loss)(p_, state_, x[k], y[k], dropout_of_step(step_++));
    auto [l, h, g] = all_reduce<"data">(bundle(value, aux.hits, grads));
    adam{}.update(p_, adam_, g);
    state_ = aux.state;
    loss = item(l);
    hits = item(h);
  }
  std::vector<std::vector<float>> parameters() const {
    return {gather_all(p_.conv1.kernel),  gather_all(p_.conv1.shift),  gather_all(p_.conv2.kernel),
            gather_all(p_.conv2.shift),   gather_all(p_.conv3.kernel), gather_all(p_.conv3.shift),
            gather_all(p_.dense1.kernel), gather_all(p_.dense1.bias),  gather_all(p_.dense2.kernel),
            gather_all(p_.dense2.bias)};
  }

  using images =
      decltype(uniform<float, layout<"data", none>>(std::declval<device_mesh<grid> const&>(), {1, 1}, prng_key{}));
  using labels =
      decltype(generate<std::int32_t, layout<"data">>(std::declval<device_mesh<grid> const&>(), {1}, label{}));
  std::vector<images> x;
  std::vector<labels> y;
  float loss = 0, hits = 0;

 private:
  device_mesh<grid> mesh_;
  decltype(init<data_parallel<"data">, float>(std::declval<device_mesh<grid> const&>(), model, prng_key{})) p_ =
      init<data_parallel<"data">, float>(mesh_, model, prng_key{1});
  decltype(init<data_parallel<"data">, float>(std::declval<device_mesh<grid> const&>(), moving, prng_key{})) state_ =
      init<data_parallel<"data">, float>(mesh_, moving, prng_key{1});
  decltype(adam{}.init(p_)) adam_ = adam{}.init(p_);
  index_t step_ = 0;
};

/// What all variants begin with, and, on rank 0, what the checked steps lead to.
struct reference {
  bool root;
  std::vector<std::vector<float>> first, x, masks;
  std::vector<std::vector<std::int32_t>> y;
  convnet::plain_loops loops;

  reference(ashlar_step const& s, bool on_root) : root(on_root), first(s.parameters()), loops(first) {
    for (std::size_t k = 0; k < batches; ++k) {
      x.push_back(gather_all(s.x[k]));
      y.push_back(gather_all(s.y[k]));
    }
    for (std::size_t k = 0; root && k < checked_steps; ++k) {
      masks.emplace_back();
      for (index_t i = 0; i < batch * hidden; ++i)
        masks[k].push_back(ashlar::uniform<float>(dropout_of_step(static_cast<index_t>(k)), i) < rate ? 0
                                                                                                      : 1 / (1 - rate));
      loops.step(x[k], y[k], masks[k]);
    }
  }
  // Of the million activations about one is so near zero that its rounding decides whether it is cut off, which changes
  // gradients by some thousandths; and where a gradient all but vanishes, Adam makes a step of its rounding. So the root mean
  // square of all differences is compared, with a fifth of the steps' 1e-3; a wrong gradient gives more than the step.
  bool agrees(std::vector<std::vector<float>> const& p, double loss, double hits) const {
    if (!root) return true;
    double sum = 0, n = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      if (p[k].size() != loops.p[k].size()) return false;
      for (std::size_t i = 0; i < p[k].size(); ++i, ++n)
        sum += std::pow(static_cast<double>(p[k][i]) - loops.p[k][i], 2);
    }
    return p.size() == loops.p.size() && std::sqrt(sum / n) < 2e-4 && std::abs(loss - loops.loss) < 1e-4 * loops.loss &&
           hits == loops.hits;
  }
};

std::unique_ptr<bench::peer> start_pytorch(device_mesh<grid> const& m, reference const& all, int cores) {
  if (cores > static_cast<int>(std::thread::hardware_concurrency())) {
    if (m.rank() == 0) std::printf("left out: PyTorch, since there are more ranks and threads than cores\n");
    return nullptr;
  }
  auto p = std::make_unique<bench::peer>(m.communicator(), "convnet.py", batch, cores, [&](bench::peer const& to) {
    auto const write = [&](char const* name, auto const& arrays) {
      for (std::size_t k = 0; k < arrays.size(); ++k) to.write(name + std::to_string(k), arrays[k]);
    };
    write("p", all.first);
    write("x", all.x);
    write("y", all.y);
    write("mask", all.masks);
  });
  if (p->names().empty() && m.rank() == 0)
    std::printf("left out: PyTorch, which python3 does not have (ASHLAR_PYTHON names another)\n");
  return p;
}

bool pytorch_is_right(bench::peer& p, std::size_t which, reference const& all) {
  p.ask("check", which);
  if (!all.root) return true;
  std::vector<std::vector<float>> found;
  for (std::size_t k = 0; k < all.first.size(); ++k) found.push_back(p.read("checked_p" + std::to_string(k)));
  auto const last = p.read("checked_loss");
  return last.size() == 2 && all.agrees(found, last[0], last[1]);
}

void measure(int argc, char** argv) {
  std::stringstream about;
  describe(about);
  nlohmann::json notes;
  for (std::string line; std::getline(about, line);)
    if (auto const colon = line.find(": "); line.starts_with("BLAS") || line.starts_with("convolution"))
      notes[line.substr(0, colon)] = line.substr(colon + 2);
  bench::races all("convnet", argc, argv, notes);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks});
  ashlar_step ours(m);
  reference const right(ours, m.rank() == 0);
  // A step before each sample: its memory is in the caches then, and the threads of the variant before sleep.
  std::vector<bench::variant> variants{{"ashlar", bench::transport_of(m), [&] { ours.run(); },
                                        [&] {
                                          ours.reset();
                                          for (std::size_t k = 0; k < checked_steps; ++k) ours.run();
                                          return right.agrees(ours.parameters(), ours.loss, ours.hits);
                                        },
                                        [&] { ours.run(); }}};
  int const threads = bench::is_on_host ? Kokkos::DefaultExecutionSpace().concurrency() : 1;
  auto const pytorch = start_pytorch(m, right, ranks * threads);
  for (std::size_t i = 0; pytorch && i < pytorch->names().size(); ++i)
    variants.push_back({pytorch->names()[i], "none", [&, i] { pytorch->ask("step", i); },
                        [&, i] { return pytorch_is_right(*pytorch, i, right); }, [&, i] { pytorch->ask("step", i); },
                        bench::peer::rest});
  all.race("convnet step batch " + std::to_string(batch) + ", " + std::to_string(threads) +
               (threads == 1 ? " thread a rank" : " threads a rank"),
           variants);
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return bench::run([&] { measure(argc, argv); });
}
