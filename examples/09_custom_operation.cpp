// What you learn here: an operation of your own. You say what it does to one row, which labels must be whole, and how its
// cotangent is made; every layout, the dry run and the backward pass follow.
//
// The operation: rotary position embedding (Su et al., RoFormer, 2021). Features are turned in pairs by an angle that grows
// with the position in the sequence, so a rank that has a piece of a sequence must know where in the whole it lies.
//   mpiexec -n 4 custom_operation
#include <ashlar/ashlar.hpp>
#include <ashlar/tensor/gather.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"seq">>;

// [operation]
struct rotary_words : user_operation_words {
  template <fault F, class Axis, class... L>
  static constexpr void say() {
    static_assert(!breaks<F, fault::sharded_dimension, Axis, L...>::value,
                  "rotary: the axis shards the features, which are turned in pairs; all_gather them, or shard heads or positions");
    if constexpr (F != fault::sharded_dimension) user_operation_words::say<F, Axis, L...>();
  }
};

// Batch, position, feature: the features are whole. It is linear, so that pending sums pass through it.
struct rotary : user_operation<"bsd->bsd", "d", linearity::linear> {
  double direction = 1;
  using words = rotary_words;

  template <class Y, class X>
  ASHLAR_FUNCTION void forward(index_t const* at, Y y, X x) const {
    index_t const half = x.extent(0) / 2;
    for (index_t i = 0; i < half; ++i) {
      double const frequency = Kokkos::pow(1e4, -static_cast<double>(i) / static_cast<double>(half));
      double const angle = direction * static_cast<double>(at[1]) * frequency, c = Kokkos::cos(angle), s = Kokkos::sin(angle);
      y(i) = x(i) * c - x(i + half) * s;
      y(i + half) = x(i) * s + x(i + half) * c;
    }
  }
  // The cotangent is turned back.
  template <int>
  constexpr auto pullback(auto const& ct, auto const&, auto const&) const {
    rotary back;
    back.direction = -direction;
    return apply(back, ct);
  }
  static constexpr shape extents(layout_value const&, shape const& x) {
    if (x[2] % 2 != 0) detail::fail("rotary: the features are turned in pairs; give an even number of them");
    return x;
  }
};
// [operation]

// [program]
// How well the turned queries fit the keys: with a derivative for the queries.
constexpr auto misfit = [](auto const& queries, auto const& keys) {
  auto const distance = apply(rotary{}, queries) - apply(rotary{}, keys) * 0.5;
  return all_reduce(sum(square(distance)));
};
using sharded = layout<"data", "seq", none>;  // sequences in pieces, of batches in pieces
constexpr auto program = [](auto const& m) {
  auto const q = make<double, sharded>(m, {4, 10, 6}), k = make<double, sharded>(m, {4, 10, 6});
  (void)value_and_grad<axes("data", "seq")>(misfit)(q, k);
};
static_assert(collectives(grid{{2, 4}}, program).count() == 1);                    // the sum
static_assert(collectives(grid{{2, 4}}, program).count(pass::backward) == 0);      // neither does the derivative communicate
// [program]

double query(index_t i) { return std::sin(1.7 * static_cast<double>(i)); }
double key(index_t i) { return std::cos(0.9 * static_cast<double>(i)); }

int main(int argc, char** argv) {
  environment const env(argc, argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  device_mesh<grid> const m(MPI_COMM_WORLD, {size % 2 == 0 ? 2 : 1, size % 2 == 0 ? size / 2 : size});
  constexpr index_t batch = 4, positions = 10, features = 6, half = features / 2, n = batch * positions * features;
  std::vector<double> q(n), k(n);
  for (index_t i = 0; i < n; ++i) q[static_cast<std::size_t>(i)] = query(i), k[static_cast<std::size_t>(i)] = key(i);
  auto const spread = [&](std::vector<double> const& v) { return scatter<sharded>(m, {batch, positions, features}, v); };
  auto const keys = spread(k);
  auto const [value, gradient] = value_and_grad<axes("data", "seq")>(misfit)(spread(q), keys);
  double worst = 0;
  bool right = true;
  auto const compare = [&](double found, double expected) {
    double const error = std::abs(found - expected);
    worst = std::max(worst, error);
    right = right && error < 1e-11;  // which NaN is not
  };

  // The operation by complex numbers: feature pairs times e^(i angle).
  auto const turned = gather_all(apply(rotary{}, spread(q)));
  for (index_t row = 0; row < batch * positions; ++row)
    for (index_t i = 0; i < half; ++i) {
      auto const a = static_cast<std::size_t>(row * features + i), b = a + half;
      auto const angle = static_cast<double>(row % positions) * std::pow(1e4, -static_cast<double>(i) / half);
      std::complex<double> const z = std::complex<double>(q[a], q[b]) * std::polar(1., angle);
      compare(turned[a], z.real());
      compare(turned[b], z.imag());
    }
  // The derivative by central differences, which of a square are exact.
  auto const slopes = gather_all(gradient);
  for (std::size_t i = 0; i < q.size(); i += 7) {
    auto const moved = [&](double by) {
      auto v = q;
      v[i] += by;
      return item(misfit(spread(v), keys));
    };
    compare(moved(0.5) - moved(-0.5), slopes[i]);
  }
  if (m.rank() == 0) std::printf("rotary embedding on %d ranks: misfit %.6f, largest error %.1e\n", m.size(), item(value), worst);
  return right ? 0 : 1;
}
