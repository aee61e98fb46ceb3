// What you learn here: an operation of your own, rotary position embedding, which stands in rotary.hpp. You say what it does to
// one row, which labels must be whole, and how its cotangent is made; every layout, the dry run and the backward pass follow.
//
// The program learns what a teacher does to sequences: it mixes the features, and turns them in pairs as complex numbers. The
// pupil mixes them too, by a kernel to be found, and turns them by the operation; so the kernel becomes the teacher's only if
// the operation and its derivative are right.
//   mpiexec -n 4 custom_operation --mesh data=2,seq=2
#include <ashlar/ashlar.hpp>
#include <ashlar/plan/ledger_print.hpp>
#include <ashlar/tensor/gather.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <vector>

#include "epochs.hpp"
#include "layers.hpp"
#include "rotary.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"seq">>;

// [program]
constexpr index_t positions = 24, features = 8;
using sequences = layout<"data", "seq", none>;  // in pieces, of batches in pieces

constexpr auto model = build<linear>(weight{features, features});
constexpr auto loss = [](auto const& p, auto const& x, auto const& taught) {
  return mean_squared_error(apply(rope::rotary{}, einsum<"bsi,id->bsd">(x, p.kernel)), taught);
};
constexpr auto step = [](auto const& optimizer, auto& p, auto& state, auto const& x, auto const& taught) {
  auto [value, grads] = value_and_grad<axes("data", "seq")>(loss)(p, x, taught);
  auto [l, g] = all_reduce<axes("data", "seq")>(bundle(value, grads));
  optimizer.update(p, state, g);
  return l;
};

template <class T>
constexpr auto dry_step = [](auto const& m, index_t batch = 16) {
  auto p = init<data_parallel<axes("data", "seq")>, T>(m, model, prng_key{1});
  sgd const optimizer{};
  auto state = optimizer.init(p);
  auto const x = make<T, sequences>(m, {batch, positions, features});
  (void)step(optimizer, p, state, x, x);
};
static_assert(collectives(grid{{2, 4}}, dry_step<float>).count() == 1);  // loss and gradient; the operation needs none
static_assert(collectives(grid{{2, 4}}, dry_step<float>).bytes_per_rank() == 2 * (features * features + 1 - (features * features + 1) / 8) * 4);
// [program]

constexpr program about{.name = "custom_operation",
                        .purpose = "Learns what a teacher does to sequences, by an operation of its own, on a mesh of MPI ranks.",
                        .axes = {"data", "seq"}, .strategies = {"data_parallel"}, .batch = "16", .epochs = "2", .digits = false, .resumes = true};

// Feature i at position s of a sequence, and what the teacher makes of the sequence there. Batches begin with sequence `first`.
struct features_of {
  index_t first;
  KOKKOS_FUNCTION double operator()(index_t b, index_t s, index_t i) const {
    return Kokkos::sin(static_cast<double>((first + b) * positions + s + 1) * (0.3 + 0.37 * static_cast<double>(i)));
  }
};
KOKKOS_FUNCTION inline double of_teacher(index_t from, index_t to) { return Kokkos::cos(1.3 * static_cast<double>(from) + 0.7 * static_cast<double>(to)); }
struct taught_of {
  features_of given;
  KOKKOS_FUNCTION double operator()(index_t b, index_t s, index_t i) const {
    constexpr index_t half = features / 2;
    Kokkos::complex<double> pair(0, 0);
    for (index_t k = 0; k < features; ++k) pair += given(b, s, k) * Kokkos::complex<double>(of_teacher(k, i % half), of_teacher(k, i % half + half));
    pair *= Kokkos::polar(1.0, static_cast<double>(s) * Kokkos::pow(1e4, -static_cast<double>(i % half) / half));
    return i < half ? pair.real() : pair.imag();
  }
};

// The batches of an epoch, the same ones in another order; one of them may be smaller.
struct reordered_batches {
  std::vector<index_t> order;
  index_t examples, batch_size;
  index_t count() const { return static_cast<index_t>(order.size()); }
  index_t first(index_t batch) const { return order[static_cast<std::size_t>(batch)] * batch_size; }
  index_t size(index_t batch) const { return std::min(batch_size, examples - first(batch)); }
};

template <class T>
int train(device_mesh<grid> const& m, options const& o) {
  constexpr index_t examples = 256;
  auto p = init<data_parallel<axes("data", "seq")>, T>(m, model, prng_key{o.seed});
  sgd const optimizer{.rate = 4};
  auto state = optimizer.init(p);
  if (m.rank() == 0) std::cout << "\ncollectives of a step\n" << collectives(m.shape(), [&](auto const& a) { dry_step<T>(a, o.batch); }) << std::endl;

  training loop(m.communicator(), about, o, p, state);
  loop.run(
      examples, [&](index_t epoch) { return reordered_batches{order_of_batches(o, (examples + o.batch - 1) / o.batch, epoch), examples, o.batch}; },
      [&](reordered_batches const& batches, data_position const& at) {
        index_t const size = batches.size(at.batch);
        features_of const given{batches.first(at.batch)};
        auto const x = generate<T, sequences>(m, {size, positions, features}, given), taught = generate<T, sequences>(m, {size, positions, features}, taught_of{given});
        T const l = item(step(optimizer, p, state, x, taught));
        return std::pair{l, std::sqrt(static_cast<double>(l)) * static_cast<double>(size)};
      },
      "misfit");

  auto const kernel = gather_all(p.kernel);
  double worst = 0;
  for (index_t i = 0; i < features * features; ++i)
    worst = std::max(worst, std::abs(static_cast<double>(kernel[static_cast<std::size_t>(i)]) - of_teacher(i / features, i % features)));
  if (m.rank() == 0) std::printf("\nlargest error of the kernel: %.1e\n", worst);
  comm::collectively(m.communicator(), [&] {
    if (state.step >= 30 && !(worst < 1e-3)) throw error("custom_operation: after " + std::to_string(state.step) + " steps the kernel is not the teacher's");
  });
  return 0;
}

int run(options const& o) {
  device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1]});
  if (m.rank() == 0) std::printf("mesh data=%d x seq=%d on %d ranks\n", o.size[0], o.size[1], m.size());
  return o.double_precision ? train<double>(m, o) : train<float>(m, o);
}

int main(int argc, char** argv) { return start(argc, argv, about, run); }
