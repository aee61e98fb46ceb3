// labels: mpich not_linux
// The code of docs/how_to/from_mpi.md: products of a matrix and a vector, by hand-written MPI and by ashlar.
#include <ashlar/ashlar.hpp>
#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <vector>
#include "support/mpi_main.hpp"

using namespace ashlar;

namespace {

// [by_mpi]
// y = A x. Each rank has rows of A and the same part of x and y. The first n % p ranks have one row more.
struct parts {
  std::vector<int> counts, starts;
  parts(int n, int p) {
    for (int q = 0, at = 0; q < p; at += counts[static_cast<std::size_t>(q++)]) {
      counts.push_back(n / p + (q < n % p));
      starts.push_back(at);
    }
  }
};
std::vector<double> product_by_mpi(MPI_Comm c, int n, std::vector<double> const& rows, std::vector<double> const& x) {
  int p = 1, rank = 0;
  MPI_Comm_size(c, &p);
  MPI_Comm_rank(c, &rank);
  parts const of(n, p);
  std::vector<double> whole(static_cast<std::size_t>(n)), y;
  MPI_Allgatherv(x.data(), of.counts[static_cast<std::size_t>(rank)], MPI_DOUBLE, whole.data(), of.counts.data(),
                 of.starts.data(), MPI_DOUBLE, c);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < whole.size(); ++j) sum += rows[i * whole.size() + j] * whole[j];
    y.push_back(sum);
  }
  return y;
}
// [by_mpi]

// [by_ashlar]
using line = mesh<axis<"rank">>;
using vector = sharded_tensor<double, layout<"rank">, line>;
using by_rows = sharded_tensor<double, layout<"rank", none>, line>;
using by_columns = sharded_tensor<double, layout<none, "rank">, line>;

vector product(by_rows const& a, vector const& x) { return einsum<"ij,j->i">(a, all_gather<"rank">(x)); }
// [by_ashlar]

// [by_columns]
// Each rank has columns of A and computes one term of each element of y. The sum is scattered.
vector product(by_columns const& a, vector const& x) { return reduce_scatter<"rank", 0>(einsum<"ij,j->i">(a, x)); }
// [by_columns]

// [cost]
constexpr auto by_columns_on = [](auto const& m) {
  auto a = make<double, layout<none, "rank">>(m, {1000, 1000});
  auto x = make<double, layout<"rank">>(m, {1000});
  (void)reduce_scatter<"rank", 0>(einsum<"ij,j->i">(a, x));
};
static_assert(dry_run(line{{8}}, by_columns_on).count() == 1);
static_assert(dry_run(line{{8}}, by_columns_on).bytes_per_rank() == 7 * 125 * 8);
// [cost]

struct matrix {
  index_t n;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    return static_cast<double>((3 * i + 5 * j) % 7 - n % 3);
  }
};
struct column {
  ASHLAR_FUNCTION double operator()(index_t j) const { return static_cast<double>(j % 5) - 2; }
};

}  // namespace

TEST_CASE("from MPI: products by rows and by columns, against hand-written MPI") {
  for (int const n : {1, 6, 17}) {
    device_mesh<line> const m(MPI_COMM_WORLD);
    auto const x = generate<double, layout<"rank">>(m, {n}, column{});
    auto const a = generate<double, layout<"rank", none>>(m, {n, n}, matrix{n});
    auto const b = generate<double, layout<none, "rank">>(m, {n, n}, matrix{n});
    auto const values = [](auto const& t) {
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, t.view());
      return std::vector<double>(host.data(), host.data() + host.size());
    };
    std::vector<double> const expected = product_by_mpi(MPI_COMM_WORLD, n, values(a), values(x));
    auto const equal = [&](std::vector<double> const& y) {
      return std::equal(y.begin(), y.end(), expected.begin(), expected.end(),
                        [](double p, double q) { return std::abs(p - q) <= 1e-12; });
    };
    CHECK(equal(values(product(a, x))));
    CHECK(equal(values(product(b, x))));
  }
}
