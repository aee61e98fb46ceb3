// Elementwise operations and reductions on tensors with halos, compared with the same on tensors without.
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <set>
#include <sstream>
#include "ashlar/tensor/arrays/print.hpp"
#include "support/halo_meshes.hpp"
#include "support/host_memory.hpp"
#include "support/stored_cells.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using H = layout<halo("y", 1, 2, boundary::given), halo("x", 2, 1, boundary::periodic)>;
using O = owned_layout_t<H>;

struct number {
  index_t a;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j = 0) const {
    return static_cast<double>((a + 7 * i + 3 * j) % 11 - 4);
  }
};

// Calls f(mesh, extents) for meshes, and extents with short rows and empty shards among them.
template <class F>
void for_each_grid(F const& f) {
  for (auto const& sizes : test::halo_meshes())
    for (auto const& n : {std::array<index_t, 2>{9, 12}, {3, 2}, {1, 17}, {23, 1}, {0, 4}, {64, 40}})
      f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), n);
}

struct constant {
  double value;
  ASHLAR_FUNCTION double operator()(index_t, index_t) const { return value; }
};

struct is_given {
  index_t n;
  ASHLAR_FUNCTION double operator()(index_t i, index_t) const { return i < 0 || i >= n ? 99. : 0.; }
};

struct at_centre {
  static constexpr auto reach = star(0, 0);
  ASHLAR_FUNCTION double operator()(auto const& x) const { return x(0, 0); }
};

// True on all ranks if the given cells, beyond the first and last rows, are all `expected`.
template <class X>
bool given_cells_are(X const& x, double expected) {
  auto const own = x.local_region();
  shape const stored = x.stored_extents();
  int wrong = 0;
  for (index_t i = 0; i < stored[0]; ++i) {
    index_t const row = own.dim[0].begin - 1 + i;
    if (row >= 0 && row < x.extent(0)) continue;
    for (index_t j = 0; j < stored[1]; ++j) wrong += x.stored_data()[i * stored[1] + j] != expected;
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return wrong == 0;
}

}  // namespace

TEST_CASE("halo: fields of one number, and fields like others") {
  for_each_grid([](device_mesh<grid> const& m, std::array<index_t, 2> const& n) {
    auto const u = full<double, H>(m, {n[0], n[1]}, 4.);
    CHECK(gather_all(u) == std::vector<double>(static_cast<std::size_t>(n[0] * n[1]), 4.));
    auto const filled = exchange_halo(u);  // given cells are the number, and the other dimension is periodic
    CHECK(test::same_stored_cells(filled, generate<double, fresh<H>>(m, {n[0], n[1]}, constant{4})));
    CHECK(gather_all(ones<double, H>(m, {n[0], n[1]})) == gather_all(full_like(owned(u), 1.)));
    CHECK(gather_all(zeros<double, H>(m, {n[0], n[1]})) == gather_all(zeros_like(filled)));
    CHECK(gather_all(ones_like(filled) + full_like(filled, 3.)) == gather_all(filled));
    auto const sums = zeros_like(make<double, halo_sums<H>>(m, {n[0], n[1]}));
    CHECK(gather_all(add_halo(sums)) == gather_all(0. * u));
  });
}

TEST_CASE("halo: elementwise operations on unfilled and filled halos, plain tensors and scalars") {
  for_each_grid([](device_mesh<grid> const& m, std::array<index_t, 2> const& n) {
    auto const u = generate<double, H>(m, {n[0], n[1]}, number{1});
    auto const v = exchange_halo(generate<double, H>(m, {n[0], n[1]}, number{5}));
    auto const k = generate<double, O>(m, {n[0], n[1]}, number{2});
    auto const row = generate<double, layout<"x">>(m, {n[1]}, number{3});
    auto const s = scatter<layout<>>(m, std::vector{3.});
    auto const a = owned(u), b = owned(v);
    auto const same = [](auto const& found, auto const& expected) {
      static_assert(std::is_same_v<layout_t<decltype(found)>, H>);
      return gather_all(found) == gather_all(expected);
    };
    CHECK(same(u + v, a + b));
    CHECK(same(v * k - 2 * u, b * k - 2 * a));
    CHECK(same(k * (u - row) / s, k * (a - row) / s));
    CHECK(same(abs(exchange_halo(u)), abs(a)));
    CHECK(gather_all(u > v) == gather_all(a > b));
    CHECK(gather_all(cast<int>(u) * cast<int>(v)) == gather_all(cast<int>(a) * cast<int>(b)));
    auto const y = (u + v).evaluate();  // results of an elementwise operation go on
    CHECK(same(stencil(at_centre{}, y * s), (a + b) * s));
  });
}

TEST_CASE("halo: reductions count each owned cell once, and store nothing") {
  for_each_grid([](device_mesh<grid> const& m, std::array<index_t, 2> const& n) {
    auto const u = generate<double, H>(m, {n[0], n[1]}, number{1});
    auto const v = exchange_halo(generate<double, H>(m, {n[0], n[1]}, number{5}));
    auto const a = owned(u), b = owned(v);
    auto const same = [](auto const& found, auto const& expected) {
      static_assert(std::is_same_v<layout_t<decltype(found)>, layout_t<decltype(expected)>>);
      return gather_all(all_reduce(found)) == gather_all(all_reduce(expected));
    };
    CHECK(same(sum(u), sum(a)));
    CHECK(same(sum(u * v), sum(a * b)));
    CHECK(same(sum<0>(v), sum<0>(b)));
    CHECK(same(sum<1>(u * v - a), sum<1>(a * b - a)));
    CHECK(same(max(abs(u - v)), max(abs(a - b))));
    CHECK(same(min<1>(v), min<1>(b)));
    (void)item(all_reduce(sum(u * v)));
    using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;
    pool::reset_peak();
    std::size_t const before = pool::in_use();
    (void)sum(u * v - 2 * u);
    CHECK(pool::peak() <= before + 64);
  });
}

TEST_CASE("halo: updates in place write the memory of the tensor, and given cells go with the first operand") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  for_each_grid([](device_mesh<grid> const& m, std::array<index_t, 2> const& n) {
    auto u = generate<double, H>(m, {n[0], n[1]}, number{1});
    auto v = generate<double, H>(m, {n[0], n[1]}, number{5});
    set_boundary(u, is_given{n[0]});
    set_boundary(v, is_given{-1000});
    auto const a = owned(u), b = owned(v);
    auto const s = scatter<layout<>>(m, std::vector{3.});
    double const* const memory = u.stored_data();
    u += s * v;
    CHECK(u.stored_data() == memory);
    CHECK(gather_all(u) == gather_all(a + s * b));
    CHECK(given_cells_are(u, 99.));
    u = v + s * u;
    CHECK(gather_all(u) == gather_all(b + s * (a + s * b)));
    sharded_tensor<double, H, grid> w = 2 * (u + v);
    CHECK(given_cells_are(w, 99.));
    auto const filled = exchange_halo(w);  // shares the memory with w, which is updated
    w -= v;
    CHECK(w.stored_data() != filled.stored_data());
    CHECK(gather_all(filled) == gather_all(2 * (b + s * (a + s * b) + b)));
    auto old = redistribute<H>(filled);
    CHECK(std::as_const(old).stored_data() == filled.stored_data());
    old *= 2.;
    CHECK(gather_all(old) == gather_all(2 * filled));
  });
}

namespace {
struct blur {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION constexpr double operator()(auto const& x) const { return x(-1, 0) + x(1, 0) - x(0, -1); }
};
}  // namespace

TEST_CASE("halo: an exchange copies no shard, and a step in place needs memory for the stencil's result alone") {
  using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;
  for (auto const& sizes : test::halo_meshes()) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
    auto u = generate<double, H>(m, {700, 900}, number{1});
    double const* const memory = std::as_const(u).stored_data();
    auto const bytes = static_cast<std::size_t>(u.stored_extents().size()) * sizeof(double);
    auto const most_taken = [&](auto const& f) {
      pool::reset_peak();
      std::size_t const before = pool::in_use();
      f();
      return pool::peak() - before;
    };
    CHECK(most_taken([&] { (void)exchange_halo(u); }) < bytes / 2);
    auto const check_step = [&](auto const& f) {
      std::size_t const taken = most_taken(f);
      CHECK(std::as_const(u).stored_data() == memory);
      CHECK(taken >= bytes);
      CHECK(taken < 3 * bytes / 2);
    };
    check_step([&] { u += 0.5 * stencil(blur{}, exchange_halo(u)); });
    check_step([&] { u += 0.5 * stencil(blur{}, exchange_halo_async(u)); });
    auto const filled = exchange_halo(u);  // a named operand keeps its cells
    u += stencil(blur{}, filled);
    CHECK(std::as_const(u).stored_data() != memory);

    auto v = make<double, H>(m, {700, 900});
    double const* const memory_of_v = v.stored_data();
    assign(v, stencil(blur{}, exchange_halo(u)));
    CHECK(v.stored_data() == memory_of_v);
    std::set<double const*> in_turn;
    for (int t = 0; t < 6; ++t) {
      u = stencil(blur{}, exchange_halo(u));
      in_turn.insert(u.stored_data());
    }
    CHECK(in_turn.size() == 2);
  }
}

TEST_CASE("halo: random numbers are those of the layout without a halo") {
  for_each_grid([](device_mesh<grid> const& m, std::array<index_t, 2> const& n) {
    auto const u = uniform<double, H>(m, {n[0], n[1]}, prng_key{3}, -1., 2.);
    CHECK(gather_all(u) == gather_all(uniform<double, O>(m, {n[0], n[1]}, prng_key{3}, -1., 2.)));
    auto const v = exchange_halo(normal<float, H>(m, {n[0], n[1]}, prng_key{4}));
    CHECK(gather_all(v) == gather_all(normal<float, O>(m, {n[0], n[1]}, prng_key{4})));
  });
}

TEST_CASE_TEMPLATE("halo: random numbers of filled halos are those of an exchange", F,
                   layout<halo("y", 1), halo("x", 2)>,
                   layout<halo("y", 1, boundary::periodic), halo("x", 2, boundary::odd)>,
                   layout<halo("y", 2, boundary::reflect), halo("x", 1, boundary::copy)>) {
  for_each_grid([](device_mesh<grid> const& m, std::array<index_t, 2> const& n) {
    prng_key const key{5};
    CHECK(test::same_stored_cells(uniform<double, fresh<F>>(m, {n[0], n[1]}, key, -1., 2.),
                                  exchange_halo(uniform<double, F>(m, {n[0], n[1]}, key, -1., 2.))));
    CHECK(test::same_stored_cells(normal<float, fresh<F>>(m, {n[0], n[1]}, key),
                                  exchange_halo(normal<float, F>(m, {n[0], n[1]}, key))));
  });
}

TEST_CASE("halo: a tensor is printed by its owned cells") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {test::halo_meshes().back()[0], test::halo_meshes().back()[1]});
  auto const u = generate<double, H>(m, {3, 2}, number{1});
  std::ostringstream with, without;
  print(with, u);
  print(without, owned(u));
  CHECK(with.str() == without.str());
  CHECK((m.rank() == 0) == !with.str().empty());
}

TEST_CASE("halo: set_boundary leaves the cells of tensors and expressions that share the memory") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  auto const cells = [](auto const& x) {
    return std::vector<double>(x.stored_data(), x.stored_data() + x.stored_extents().size());
  };
  for_each_grid([&](device_mesh<grid> const& m, std::array<index_t, 2> const& n) {
    auto u = generate<double, H>(m, {n[0], n[1]}, number{1});
    auto const v = exchange_halo(u);
    auto const twice = 2. * u;  // no element is computed yet
    auto const of_v = cells(v), of_twice = cells(exchange_halo(plan_detail::materialize(2. * u)));
    set_boundary(u, is_given{-1000});
    CHECK(cells(v) == of_v);
    CHECK(cells(exchange_halo(plan_detail::materialize(twice))) == of_twice);
    auto const w = exchange_halo(u);
    CHECK(test::same_stored_cells(w, [&] {
      auto other = generate<double, H>(m, {n[0], n[1]}, number{1});
      set_boundary(other, is_given{-1000});
      return exchange_halo(other);
    }()));
  });
}
