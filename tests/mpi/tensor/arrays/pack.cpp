// labels: sanitizers
// Tensors from pieces and from whole arrays, on every mesh; what does not fit is an error on every rank.
#include "ashlar/tensor/arrays/pack.hpp"
#include "ashlar/layout/by_rank.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;

std::vector<double> numbers(index_t n) {
  std::vector<double> v;
  for (index_t i = 0; i < n; ++i) v.push_back(0.5 * static_cast<double>(i * i % 101));
  return v;
}

}  // namespace

TEST_CASE("pieces make the tensor of which they are, in every layout, uneven and empty ones included") {
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const check = [&]<class L>(std::type_identity<L>, index_t rows, index_t columns) {
      auto const all = numbers(rows * columns);
      auto const x = copy_to_mesh<L>(m, {rows, columns}, all);
      static_assert(std::is_same_v<layout_t<decltype(x)>, L>);
      CHECK(gather_all(x) == all);
      auto const piece = unpack(x);
      // The piece, counted by hand from the indices of the shard.
      region const part = x.local_region();
      std::vector<double> expected;
      for (index_t i = 0; i < part.dim[0].size(); ++i)
        for (index_t j = 0; j < part.dim[1].size(); ++j)
          expected.push_back(all[static_cast<std::size_t>(part.dim[0][i] * columns + part.dim[1][j])]);
      CHECK(piece == expected);
      CHECK(gather_all(pack<L>(m, {rows, columns}, piece)) == all);
    };
    for (index_t rows : {1, 5, 12})
      for (index_t columns : {0, 2, 7}) {
        check(std::type_identity<replicated<2>>{}, rows, columns);
        check(std::type_identity<batch_sharded<"data", 2>>{}, rows, columns);
        check(std::type_identity<layout<"model", "data">>{}, rows, columns);
        check(std::type_identity<layout<none, axes("data", "model")>>{}, rows, columns);
        check(std::type_identity<layout<cyclic("model", 2), none>>{}, rows, columns);
      }
  });
}

TEST_CASE("pieces of a partial sum are its summands, and expressions are evaluated") {
  device_mesh<mesh<axis<"data">>> const m(MPI_COMM_WORLD);
  std::vector<float> const mine{1.f, static_cast<float>(m.rank())};
  auto const x = pack<partial<layout<none>, "data">>(m, {2}, mine);
  CHECK(unpack(x) == mine);
  int const p = m.size();
  CHECK(unpack(all_reduce(x)) == std::vector<float>{static_cast<float>(p), static_cast<float>(p * (p - 1) / 2)});
  CHECK(unpack(x * 2.f) == std::vector<float>{2.f, 2.f * static_cast<float>(m.rank())});
}

TEST_CASE("what does not fit is one error on every rank") {
  device_mesh<mesh<axis<"data">>> const m(MPI_COMM_WORLD);
  int const p = m.size();
  bool const last = m.rank() == p - 1;
  auto const rows = [&](index_t n) { return numbers(3 * n); };
  using L = batch_sharded<"data", 2>;
  auto const where = [&](int called) {
    return "; called at pack.cpp:" + std::to_string(called) + " (on rank " + std::to_string(p - 1) + ")";
  };
  int line = __LINE__ + 1;
  std::string const packed = said([&] { (void)pack<L>(m, {2 * p, 3}, rows(last ? 3 : 2)); });
  CHECK(packed == "ashlar::pack: a rank gives the elements of its shard; expected 6 of (" + std::to_string(2 * p) +
                      ", 3), found 9" + where(line));
  line = __LINE__ + 1;
  std::string const copied = said([&] { (void)copy_to_mesh<L>(m, {2, 3}, numbers(last ? 5 : 6)); });
  CHECK(copied ==
        "ashlar::copy_to_mesh: a rank gives all elements of the tensor; expected 6 of (2, 3), found 5" + where(line));
  if (p == 1) return;
  CHECK(said([&] {
          (void)pack<L>(m, {last ? 2 * p + 1 : 2 * p, 3}, rows(2));
        }).find("ashlar::pack: the extents differ between ranks") == 0);
  CHECK(said([&] {
          (void)copy_to_mesh<L>(m, {last ? 1 : 2, 3}, rows(2));
        }).find("ashlar::copy_to_mesh: the extents differ between ranks") == 0);
}
