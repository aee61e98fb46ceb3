// Causal attention with 5 heads, which ranks share: on 3 ranks they have 2, 2 and 1.
#include <ashlar/ashlar.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;
using line = mesh<axis<"model">>;

constexpr index_t batch = 2, positions = 7, heads = 5, d = 4, channels = heads * d;
KOKKOS_FUNCTION double number(index_t i, index_t j, index_t k) { return std::sin(double(1 + i + 3 * j + 11 * k)); }

constexpr auto block = [](auto const& x, auto const& qkv, auto const& out) {
  auto const h = einsum<"bpi,cihd->cbphd">(x, qkv);  // layout<none, none, none, "model", none>
  auto const y = attention(select(h, 0), select(h, 1), select(h, 2), true);
  return all_reduce<"model">(einsum<"bphd,hdo->bpo">(y, out));
};
constexpr auto dry_block = [](auto const& m) {
  (void)block(make<double, layout<none, none, none>>(m, {batch, positions, channels}),
              make<double, layout<none, none, "model", none>>(m, {3, channels, heads, d}),
              make<double, layout<"model", none, none>>(m, {heads, d, channels}));
};
static_assert(dry_run(line{{3}}, dry_block).count() == 1);

int main() {
  return run_program("attention", [] {
    device_mesh<line> const m(MPI_COMM_WORLD);
    auto const x = generate<double, layout<none, none, none>>(
        m, {batch, positions, channels}, KOKKOS_LAMBDA(index_t b, index_t p, index_t i) { return number(b, p, i); });
    auto const qkv = generate<double, layout<none, none, "model", none>>(
        m, {3, channels, heads, d},
        KOKKOS_LAMBDA(index_t c, index_t i, index_t h, index_t k) { return number(c, i, h * d + k); });
    auto const out = generate<double, layout<"model", none, none>>(
        m, {heads, d, channels}, KOKKOS_LAMBDA(index_t h, index_t k, index_t o) { return number(h, k, o); });
    auto const found = unpack(block(x, qkv, out));

    double error = 0;
    for (index_t b = 0; b < batch; ++b) {
      auto const projected = [&](index_t c, index_t p, index_t h, index_t k) {
        double s = 0;
        for (index_t i = 0; i < channels; ++i) s += number(b, p, i) * number(c, i, h * d + k);
        return s;
      };
      for (index_t p = 0; p < positions; ++p) {
        std::vector<double> expected(channels);
        for (index_t h = 0; h < heads; ++h) {
          std::vector<double> weight(p + 1);
          double total = 0;
          for (index_t t = 0; t <= p; ++t) {
            double score = 0;
            for (index_t k = 0; k < d; ++k) score += projected(0, p, h, k) * projected(1, t, h, k);
            total += weight[t] = std::exp(score / std::sqrt(double(d)));
          }
          for (index_t k = 0; k < d; ++k) {
            double seen = 0;
            for (index_t t = 0; t <= p; ++t) seen += weight[t] / total * projected(2, t, h, k);
            for (index_t o = 0; o < channels; ++o) expected[o] += seen * number(h, k, o);
          }
        }
        for (index_t o = 0; o < channels; ++o)
          error = std::max(error, std::abs(found[(b * positions + p) * channels + o] - expected[o]));
      }
    }
    if (m.rank() == 0) std::printf("attention on %d ranks: largest error %g\n", m.size(), error);
    return error < 1e-10 ? 0 : 1;
  });
}
