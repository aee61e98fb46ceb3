// Arrays of .npy files as tensors of every layout.
#include "ashlar/io/npy_tensor.hpp"
#include "support/data.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>
#include <filesystem>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;

template <class T>
npy_array numbered(std::vector<index_t> const& extents) {
  index_t n = 1;
  for (index_t e : extents) n *= e;
  npy_array a{extents, io_detail::npy_kind_of<T>(), std::vector<std::uint8_t>(static_cast<std::size_t>(n) * sizeof(T))};
  for (index_t g = 0; g < n; ++g) {
    T const x = static_cast<T>(g * 3 + 1);
    std::memcpy(a.bytes.data() + static_cast<std::size_t>(g) * sizeof(T), &x, sizeof(T));
  }
  return a;
}

template <class T, class L>
void check(device_mesh<grid> const& m, std::vector<index_t> const& extents) {
  auto const x = npy_tensor<T, L>(m, numbered<T>(extents));
  std::vector<T> expected;
  for (index_t g = 0; g < x.extents().size(); ++g) expected.push_back(static_cast<T>(g * 3 + 1));
  CHECK(x.extents().rank == static_cast<int>(extents.size()));
  CHECK(denotes(x, expected));
}

}  // namespace

TEST_CASE_TEMPLATE("npy_tensor: every rank has its part, of every layout", T, float, double, std::int32_t, std::int64_t,
                   std::uint8_t) {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    check<T, layout<>>(m, {});
    for (index_t n : {0, 1, 3, 13}) {
      check<T, layout<"data">>(m, {n});
      check<T, layout<axes("model", "data")>>(m, {n});
      check<T, layout<none, none>>(m, {n, 5});
      check<T, layout<"data", "model">>(m, {n, 5});
      check<T, layout<none, axes("data", "model")>>(m, {n, 5});
      check<T, layout<"model", none, "data">>(m, {3, n, 2});
    }
    CHECK(m.collectives_run() == 0);
  });
}

TEST_CASE("npy_tensor: the array of a file must fit the tensor") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  std::filesystem::path const data = testing::data_folder();
  npy_array const a = read_npy(data / "start_kernel.npy");
  auto const x = npy_tensor<double, layout<"data", none>>(m, a);
  CHECK(x.extents() == shape::of(7, 5));
  CHECK_THROWS_WITH_AS((npy_tensor<float, layout<"data", none>>(m, a)),
                       doctest::Contains("expected elements of type <f4, found <f8"), error);
  CHECK_THROWS_WITH_AS((npy_tensor<double, layout<"data">>(m, a)),
                       doctest::Contains("expected 1 dimensions, as the layout has, found 7 x 5"), error);
}
