// Views of the cells of a shard with a halo: by global indices, and as mdspan.
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include "support/halo_meshes.hpp"
#include "support/host_memory.hpp"
#include "support/provoked.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using torus = layout<halo("y", 2, 1, boundary::periodic), halo("x", 1, boundary::zero)>;

struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(100 * i + j + 1); }
};

template <class F>
void on_meshes(F const& f) {
  for (auto const& sizes : test::halo_meshes()) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
    for (std::array<index_t, 2> const n : {std::array<index_t, 2>{9, 5}, {2, 7}})
      f(exchange_halo(generate<double, torus>(m, {n[0], n[1]}, number{})));
  }
}

}  // namespace

TEST_CASE("offset_view: each stored cell by its global index") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  on_meshes([](auto const& filled) {
    region const own = filled.local_region();
    if (own.size() == 0) return;
    // [offset_view]
    auto const u = filled.offset_view();
    for (auto i = u.begin(0); i < u.end(0); ++i)
      for (auto j = u.begin(1); j < u.end(1); ++j) {
        bool const beyond = j < 0 || j >= filled.extent(1);
        index_t const rows = filled.extent(0), row = (i + 2 * rows) % rows;
        CHECK(u(i, j) == (beyond ? 0 : number{}(row, j)));
      }
    // [offset_view]
    CHECK(u.begin(0) == own.dim[0].begin - 2);
    CHECK(u.end(0) == own.dim[0].end + 1);
    CHECK(u.begin(1) == own.dim[1].begin - 1);
    CHECK(u.end(1) == own.dim[1].end + 1);
  });
}

TEST_CASE("owned_view: as mdspan") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  on_meshes([](auto const& filled) {
    region const own = filled.local_region();
    // [mdspan]
    auto const cells = filled.owned_view().to_mdspan();
    double total = 0;
    for (std::size_t i = 0; i < cells.extent(0); ++i)
      for (std::size_t j = 0; j < cells.extent(1); ++j) total += cells(i, j);
    // [mdspan]
    double expected = 0;
    for (index_t i = own.dim[0].begin; i < own.dim[0].end; ++i)
      for (index_t j = own.dim[1].begin; j < own.dim[1].end; ++j) expected += number{}(i, j);
    CHECK(total == expected);
  });
}

TEST_CASE("sharded_tensor: an empty one with a halo is assigned before its use") {
  struct solver {
    sharded_tensor<double, fresh<torus>, grid> u;
  };
  solver s;
  CHECK(s.u.empty());
  std::string const sentence =
      "ashlar::sharded_tensor: the tensor is empty, without mesh and elements; assign a tensor to it first";
  CHECK(test::said([&] { (void)s.u.stored_view(); }) == sentence);
  CHECK(test::said([&] { (void)s.u.stored_data(); }) == sentence);
  CHECK(test::said([&] { (void)s.u.local_region(); }) == sentence);
  CHECK(test::said([&] { (void)exchange_halo(redistribute<torus>(s.u)); }) == sentence);
  CHECK(test::said([&] { (void)sum(owned(s.u)); }) == sentence);
  on_meshes([&](auto const& filled) {
    s.u = filled;
    CHECK(!s.u.empty());
    CHECK(std::as_const(s.u).stored_data() == filled.stored_data());
  });
}
