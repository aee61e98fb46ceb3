// The largest eigenvalue of a matrix of 1003 x 1003 numbers, whose rows are sharded.
#include <ashlar/ashlar.hpp>

#include <cmath>
#include <cstdio>

using namespace ashlar;
using line = mesh<axis<"x">>;

constexpr auto turn = [](auto const& a, auto const& v) {
  auto const w = einsum<"ij,j->i">(a, v);
  auto const norm = sqrt(all_reduce(sum(w * w)));
  return std::pair(norm, all_gather<"x">(w) / norm);
};
constexpr auto dry_turn = [](auto const& m) {
  (void)turn(make<double, layout<"x", none>>(m, {1003, 1003}), make<double, layout<none>>(m, {1003}));
};
static_assert(dry_run(line{{4}}, dry_turn).count() == 2);

int main() {
  return run_program("power_iteration", [] {
    device_mesh<line> const m(MPI_COMM_WORLD);
    index_t const n = 1003;
    // 1 + u u' has the eigenvalue 1 + |u|^2 for u, and 1 for all that is orthogonal to u.
    auto const a = generate<double, layout<"x", none>>(
        m, {n, n}, KOKKOS_LAMBDA(index_t i, index_t j) {
          return std::sin(double(i + 1)) * std::sin(double(j + 1)) + (i == j ? 1 : 0);
        });
    auto v = ones<double, layout<none>>(m, {n});
    double value = 0;
    for (int i = 0; i < 10; ++i) {
      auto const [norm, next] = turn(a, v);
      value = item(norm);
      v = next;
    }
    double squares = 0;
    for (index_t i = 0; i < n; ++i) squares += std::pow(std::sin(double(i + 1)), 2);
    auto const u = generate<double, layout<none>>(
        m, {n}, KOKKOS_LAMBDA(index_t i) { return std::sin(double(i + 1)); });
    double const cosine = std::abs(item(sum(u * v))) / std::sqrt(squares);
    double const error = std::max(std::abs(value - (1 + squares)) / squares, std::abs(cosine - 1));
    if (m.rank() == 0) std::printf("power_iteration on %d ranks: %.12f, error %g\n", m.size(), value, error);
    return error < 1e-12 ? 0 : 1;
  });
}
