// What you learn here: an operation of your own, rotary position embedding, in support/rotary.hpp. You say what it does to one
// row, which labels must be whole, and how its cotangent is made. Every layout, the dry run and the backward pass
// follow. The program learns a kernel from a teacher, who mixes features by it and turns them in pairs, as the
// operation does.
//   mpiexec -n 4 custom_operation --mesh data=2,seq=2
#include <ashlar/tensor/arrays/gather.hpp>
#include <cmath>
#include "support/options.hpp"
#include "support/rotary.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;
using grid = mesh<axis<"data">, axis<"seq">>;

// [program]
constexpr index_t positions = 24, features = 8;
using sequences = layout<"data", "seq", none>;  // in pieces, of batches in pieces

struct split_sequences : data_parallel<axes("data", "seq")> {
  template <int>
  using data_layout = sequences;
};
constexpr auto turned = [](auto const& x) { return apply(rope::rotary{}, x); };  // any function is a layer
constexpr auto network = sequential<positions, features>(dense<"mix", features>(without_bias), turned);
constexpr sgd optimizer{.rate = 4};
constexpr auto one_step = training_step<split_sequences>(network, squared_error, optimizer, 16);
static_assert(dry_run(grid{{2, 4}}, one_step).count() == 1);  // loss and gradient; the operation needs none
static_assert(dry_run(grid{{2, 4}}, one_step).bytes_per_rank() == 2 * (65 - 65 / 8) * 4);
// [program]

// Feature i at position s of a sequence, and what the teacher makes of the sequence there. Batches begin with sequence
// `first`.
struct features_of {
  index_t first;
  KOKKOS_FUNCTION double operator()(index_t b, index_t s, index_t i) const {
    return Kokkos::sin(static_cast<double>((first + b) * positions + s + 1) * (0.3 + 0.37 * static_cast<double>(i)));
  }
};
KOKKOS_FUNCTION inline double of_teacher(index_t from, index_t to) {
  return Kokkos::cos(1.3 * static_cast<double>(from) + 0.7 * static_cast<double>(to));
}
struct taught_of {
  features_of given;
  KOKKOS_FUNCTION double operator()(index_t b, index_t s, index_t i) const {
    constexpr index_t half = features / 2;
    Kokkos::complex<double> pair(0, 0);
    for (index_t k = 0; k < features; ++k)
      pair += given(b, s, k) * Kokkos::complex<double>(of_teacher(k, i % half), of_teacher(k, i % half + half));
    pair *= Kokkos::polar(1.0, static_cast<double>(s) * Kokkos::pow(1e4, -static_cast<double>(i % half) / half));
    return i < half ? pair.real() : pair.imag();
  }
};

template <class T>
void train(device_mesh<grid> const& m, options const& o) {
  constexpr index_t examples = 256;
  auto const train_step = step<split_sequences>(network, squared_error, optimizer);
  auto [p, state] = train_step.template init<T>(m, o.seed);
  print_step(std::cout, m, training_step<split_sequences, T>(network, squared_error, optimizer, o.batch));

  index_t const batches = (examples + o.batch - 1) / o.batch;  // the same in each epoch, in another order
  auto saved = o.checkpoints(m.communicator(), {});
  training_run run(m.communicator(), o.run, saved.resume(p, state), o.taken_in(examples));
  for (index_t epoch = run.at().epoch; run.goes_on(); ++epoch) {
    datasets::shuffled_batches const order = o.batches(batches, 1, epoch);
    for (index_t i = run.at().batch; i < batches && run.goes_on(); ++i) {
      index_t const first = order.examples(i, 0, 1)[0] * o.batch, size = std::min(o.batch, examples - first);
      features_of const given{first};
      auto const x = generate<T, sequences>(m, {size, positions, features}, given);
      auto const taught = generate<T, sequences>(m, {size, positions, features}, taught_of{given});
      auto const l = static_cast<double>(item(train_step(p, state, std::tie(x, taught), prng_key{}).value));
      run.after_step({l, std::sqrt(l) * static_cast<double>(size), size}, batches);
      saved.after_step(run.at(), p, state);
    }
  }
  saved.after_last_step(run.at(), p, state);
  saved.finish();
  run.finish();

  auto const kernel = gather_all(p["mix"_n].kernel);
  double worst = 0;
  for (index_t i = 0; i < features * features; ++i) {
    auto const learned = static_cast<double>(kernel[static_cast<std::size_t>(i)]);
    worst = std::max(worst, std::abs(learned - of_teacher(i / features, i % features)));
  }
  if (m.rank() == 0) std::printf("\nlargest error of the kernel: %.1e\n", worst);
  if (state.optimizer.step >= 30 && !(worst < 1e-3))
    throw error("custom_operation: after " + std::to_string(state.optimizer.step) +
                " steps the kernel is not the teacher's");
}

int main(int argc, char** argv) {
  program const about("custom_operation",
                      "Learns what a teacher does to sequences, by an operation of its own, on a mesh of MPI ranks.",
                      {"data", "seq"}, {"data_parallel"}, {{"batch", "16"}, {"epochs", "2"}}, {"loss", "misfit"});
  return start(argc, argv, about, [](options const& o) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1]});
    return o.choose<data_parallel<axes("data", "seq")>>([&]<class, class T> { train<T>(m, o); });
  });
}
