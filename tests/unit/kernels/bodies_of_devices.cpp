// labels: threads sanitizers
// The bodies that kernels have for devices, one element per task, run on the host beside the host's own bodies. The tests
// of each kernel compare the host's body with loops.
#include "ashlar/kernels/stencils/add_cells.hpp"
#include "ashlar/kernels/nn/channels.hpp"
#include "ashlar/kernels/stencils/copies_of_fields.hpp"
#include "ashlar/kernels/arrays/cumsum.hpp"
#include "ashlar/kernels/products/einsum.hpp"
#include "ashlar/kernels/arrays/extremum_index.hpp"
#include "ashlar/kernels/fill_outside.hpp"
#include "ashlar/kernels/arrays/gather.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/kernels/nn/pooling.hpp"
#include "ashlar/kernels/random.hpp"
#include "ashlar/kernels/roots.hpp"
#include "ashlar/kernels/arrays/sort.hpp"
#include "ashlar/kernels/stencils/stencil_back.hpp"
#include "ashlar/kernels/arrays/take_along.hpp"
#include "ashlar/kernels/stencils/write_and_reduce.hpp"
#include "support/device_array.hpp"
#include "support/device_on_host.hpp"
#include "support/heard.hpp"
#include "support/shards.hpp"
#include <doctest/doctest.h>
#include <array>
#include <limits>

using namespace ashlar;
using namespace ashlar::nn;
using namespace test;

namespace {

// Integers, whose sums have no rounding.
template <class T>
std::vector<T> numbers(index_t n, index_t step = 37) {
  std::vector<T> v(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = static_cast<T>(i * step % 101 - 50);
  return v;
}

struct weighted_sum {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return x + 3 * y;
  }
};
struct add_and_exchange {
  template <class T>
  KOKKOS_FUNCTION void operator()(T& x, T const& y) const {
    x += 2 * y;
  }
};
struct add_the_root {
  KOKKOS_FUNCTION double under_root(double const& x, double const& y) const { return x * x + y; }
  KOKKOS_FUNCTION void with_root(double root, double& x, double const&) const { x += root; }
};

constexpr index_t lengths[]{0, 1, 2, 31, 33, 4099};
std::vector<shape> shapes() {
  return {shape{},           shape::of(0),        shape::of(7),          shape::of(4, 0, 3),    shape::of(5, 3),
          shape::of(1, 9),   shape::of(37, 11),   shape::of(3, 4, 5),    shape::of(2, 1, 3, 5), shape::of(3, 70, 2),
          shape::of(1, 130), shape::of(2, 20011), shape::of(300, 41, 2), shape::of(9000)};
}

}  // namespace

TEST_CASE("devices: maps, updates, fills and copies") {
  for (shape const& s : shapes()) {
    index_t const n = s.size();
    auto const x = numbers<double>(n), y = numbers<double>(n, 11);
    shape last = s;  // broadcast along all dimensions but the last
    for (int d = 0; d + 1 < s.rank; ++d) last[d] = 1;
    kernels::strided<double> row{y.data(), {}};
    if (s.rank > 0 && s[s.rank - 1] > 1) row.stride[s.rank - 1] = 1;
    check_bodies<double>(n, [&](auto const& on, double* z) {
      kernels::map(on, s, z, weighted_sum{}, kernels::contiguous(x.data(), s), row);
    });
    check_bodies<double>(3 * n, [&](auto const& on, double* z) {
      index_t strides[layout_detail::max_rank]{};
      for (int d = 0; d < s.rank; ++d) strides[d] = 3 * s.stride(d);
      kernels::map_to(on, s, z, strides, weighted_sum{}, kernels::contiguous(x.data(), s), row);
    });
  }
  for (index_t n : lengths) {
    auto const x = numbers<double>(n), y = numbers<double>(n, 11);
    check_bodies<double>(n, [&](auto const& on, double* z) {
      kernels::copy(on, x.data(), z, n);
      kernels::for_each(on, n, add_and_exchange{}, z, y.data());
    });
    check_bodies<double>(n, [&](auto const& on, double* z) {
      kernels::fill(on, z, n, 4.);
      kernels::for_each_with_root(on, n, add_the_root{}, z, x.data());
    });
  }
}

TEST_CASE("devices: copies of boxes, also of more boxes than one kernel takes, and permutations") {
  for (shape const& s : shapes()) {
    auto const x = numbers<float>(s.size());
    if (s.rank == 3)
      for (auto const& order : {std::array{0, 1, 2}, std::array{2, 0, 1}, std::array{1, 0, 2}, std::array{0, 2, 1}})
        check_bodies<float>(s.size(), [&](auto const& on, float* y) {
          int dims[layout_detail::max_rank]{};
          std::copy(order.begin(), order.end(), dims);
          kernels::permute(on, x.data(), s, dims, y);
        });
    if (s.size() == 0) continue;
    kernels::box from, to;
    shape target = s;
    for (int d = 0; d < s.rank; ++d) {
      from.lower[d] = s[d] / 3;
      from.extent[d] = to.extent[d] = s[d] - s[d] / 3;
      to.lower[d] = d + 1;
      target[d] = to.extent[d] + 3;
    }
    check_bodies<float>(target.size(),
                        [&](auto const& on, float* y) { kernels::copy_region(on, x.data(), s, from, y, target, to); });
  }
  auto const x = numbers<int>(1000);
  std::vector<kernels_detail::loop_nest<2>> boxes;
  for (index_t b = 0; b < 37; ++b) boxes.push_back({2, {b % 4, 3}, {b, 20 * b}, {{30, 2}, {5, 1}}});
  check_bodies<int>(37 * 20, [&](auto const& on, int* y) {
    kernels_detail::strided_copy(on, x.data(), y, std::span<kernels_detail::loop_nest<2> const>(boxes));
  });
}

TEST_CASE("devices: terms of boxes that overlap are added in the order of the boxes") {
  // In each dimension a box is the middle, a part at the begin, or a part at the end that is read backwards.
  for (shape const& s : {shape::of(9), shape::of(6, 7), shape::of(5, 4, 6), shape::of(3, 2, 4, 3), shape::of(1, 5)}) {
    kernels_detail::row_major_strides const strides(s);
    std::vector<kernels_detail::loop_nest<2>> boxes;
    index_t terms = 3;
    int choices = 1;
    for (int d = 0; d < s.rank; ++d) choices *= 3;
    for (int choice = 0; choice < choices; ++choice) {
      shape extents = s;
      index_t step[layout_detail::max_rank], first[layout_detail::max_rank]{};
      for (int d = 0, rest = choice; d < s.rank; ++d, rest /= 3) {
        extents[d] = rest % 3 == 0 ? std::max<index_t>(s[d] - 2, 1) : rest % 3 == 1 ? (s[d] + 1) / 2 : s[d] - s[d] / 3;
        step[d] = rest % 3 == 2 ? -1 : 1;
        first[d] = rest % 3 == 2 ? s[d] - 1 : rest % 3 == 0 && s[d] > 2 ? 1 : 0;
      }
      kernels_detail::row_major_strides const packed(extents);
      kernels_detail::nest_builder<2> loops;
      for (int d = 0; d < s.rank; ++d) loops.add(extents[d], {step[d] * strides.stride[d], packed.stride[d]});
      boxes.push_back(loops.nest());
      boxes.back().origin[0] = strides.offset(first);
      boxes.back().origin[1] = terms;
      terms += extents.size();
    }
    // Sums of these numbers depend on the order of the terms.
    auto x = numbers<double>(terms);
    for (std::size_t i = 0; i < x.size(); i += 3) x[i] *= 1e15;
    check_bodies<double>(s.size(), [&](auto const& on, double* y) {
      kernels_detail::add_boxes(on, x.data(), y, s, std::span<kernels_detail::loop_nest<2> const>(boxes));
    });
    // One thread runs the tasks in the order of the boxes. In the opposite order a task that adds its own term alone is wrong.
    check_bodies<double>(s.size(), [&](auto const& on, double* y) {
      std::span<kernels_detail::loop_nest<2> const> rest(boxes);
      using sums_of_boxes = kernels_detail::sums_of_boxes<double>;
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(on)>, test::host_space>) {
        kernels_detail::add_boxes(on, x.data(), y, s, rest);
      } else {
        while (!rest.empty()) {
          std::size_t const n = std::min(rest.size(), sums_of_boxes::most);
          sums_of_boxes const sums(x.data(), y, s, rest.first(n));
          for (index_t i = sums.elements(); i-- > 0;) sums(i);
          rest = rest.subspan(n);
        }
      }
    });
  }
  static_assert(sizeof(kernels_detail::sums_of_boxes<double>) < 4096 - 256);
}

TEST_CASE("devices: cells that are added to one cell come in their order") {
  auto x = numbers<double>(3 * 4 * 5 * 2);
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] *= 1e15;
  kernels_detail::loop_nest<2> const loops[]{{3, {3, 4, 5}, {1, 2}, {{20, 5, 1}, {20, 5, 1}}},
                                             {3, {3, 4, 5}, {1, 2}, {{20, 0, 1}, {20, 5, 1}}},
                                             {3, {3, 4, 5}, {1, 2}, {{20, 5, 0}, {20, 5, -1}}},
                                             {3, {3, 4, 5}, {1, 2}, {{0, 5, 0}, {20, 5, 1}}},
                                             {3, {3, 0, 5}, {1, 2}, {{0, 5, 0}, {20, 5, 1}}}};
  for (auto nest : loops) {
    if (nest.stride[1][2] < 0) nest.origin[1] += 4;
    for (int factor : {1, -1})
      check_bodies<double>(
          100, [&](auto const& on, double* y) { kernels_detail::add_cells(on, x.data(), y, nest, factor); });
  }
}

TEST_CASE("devices: the cells around a box") {
  for (shape const& s : shapes()) {
    if (s.rank == 0) continue;
    shape begin = s, end = s;
    for (int d = 0; d < s.rank; ++d) {
      begin[d] = s[d] / 4;
      end[d] = s[d] - s[d] / 3;
    }
    check_bodies<float>(s.size(), [&](auto const& on, float* y) { kernels::fill_outside(on, y, s, begin, end, 5.f); });
  }
}

TEST_CASE("devices: rows by index, added in any order") {
  for (index_t inner : {0, 1, 5, 67})
    for (index_t count : {0, 1, 11, 200}) {
      shape const held = shape::of(7, inner), rows = shape::of(count, inner), indices = shape::of(count);
      auto const table = numbers<double>(held.size()), in = numbers<double>(rows.size(), 11);
      std::vector<int> index(static_cast<std::size_t>(count));
      for (index_t i = 0; i < count; ++i) index[static_cast<std::size_t>(i)] = static_cast<int>(i * 5 % 15);
      check_bodies<double>(rows.size(), [&](auto const& on, double* y) {
        run(ops_detail::take_op{}, on, new_scratch<host_space>, result(y, rows), operand(table, held, 4),
            operand(index, indices));
      });
      check_bodies<double>(held.size(), [&](auto const& on, double* y) {
        run(ops_detail::scatter_add_op{}, on, new_scratch<host_space>, result(y, held, 4), operand(in, rows),
            operand(index, indices), operand(table, held, 4));
      });
    }
}

TEST_CASE("devices: an index for each line") {
  shape const s = shape::of(3, 9, 4), indices = shape::of(3, 6, 4);
  auto const x = numbers<double>(s.size()), ct = numbers<double>(indices.size(), 11);
  std::vector<int> index(static_cast<std::size_t>(indices.size()));
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<int>(i * 7 % 11) - 1;
  check_bodies<double>(indices.size(), [&](auto const& on, double* y) {
    run(ops_detail::take_along_op<1>{}, on, new_scratch<host_space>, result(y, indices), operand(x, s),
        operand(index, indices));
  });
  check_bodies<double>(s.size(), [&](auto const& on, double* y) {
    run(ops_detail::add_along_op<1>{9}, on, new_scratch<host_space>, result(y, s), operand(ct, indices),
        operand(index, indices));
  });
}

TEST_CASE("devices: running sums, of a part after other parts, too") {
  for (shape const& s : {shape::of(3, 0, 5), shape::of(3, 7, 1), shape::of(4, 9, 5), shape::of(2, 40, 300)}) {
    auto const x = numbers<double>(s.size());
    shape of_parts = s;
    of_parts[1] = 4;
    auto const sums = numbers<double>(of_parts.size(), 11);
    auto const both = [&]<bool Reversed>(std::bool_constant<Reversed>) {
      using op = ops_detail::cumsum_op<1, Reversed>;
      check_bodies<double>(s.size(), [&](auto const& on, double* y) {
        run(op{}, on, new_scratch<host_space>, result(y, s), operand(x, s));
      });
      check_bodies<double>(s.size(), [&](auto const& on, double* y) {
        kernels::shard<double const> own = operand(sums, of_parts);
        own.owned.dim[1] = index_set(2, 3);
        run(op{}, on, new_scratch<host_space>, result(y, s), operand(x, s), operand(sums, of_parts), own);
      });
    };
    both(std::false_type{});
    both(std::true_type{});
  }
}

TEST_CASE("devices: orders of lines with ties and NaN, whole and the first of them") {
  for (shape const& s : {shape::of(3, 0, 2), shape::of(3, 1, 2), shape::of(2, 33, 3), shape::of(5, 200, 1)}) {
    auto x = numbers<double>(s.size());
    for (std::size_t i = 0; i < x.size(); i += 7) x[i] = i % 3 ? 3 : std::numeric_limits<double>::quiet_NaN();
    auto const both = [&]<bool Descending>(std::bool_constant<Descending>) {
      for (index_t const first : {index_t{0}, std::min<index_t>(5, s[1]), s[1]}) {
        shape wanted = s;
        wanted[1] = first;
        check_bodies<index_t>(wanted.size(), [&](auto const& on, index_t* y) {
          run(ops_detail::order_op<1, Descending>{first}, on, new_scratch<host_space>, result(y, wanted),
              operand(x, s));
        });
        check_bodies<index_t>(wanted.size(), [&](auto const& on, index_t* y) {
          run(ops_detail::order_of_parts_op<1, Descending>{first, 1}, on, new_scratch<host_space>, result(y, wanted),
              operand(x, s, 20));
        });
      }
    };
    both(std::false_type{});
    both(std::true_type{});
    shape sampled = s;
    sampled[1] = 4;
    if (s[1] >= 4)
      check_bodies<double>(sampled.size(), [&](auto const& on, double* y) {
        run(ops_detail::samples_op<1>{4, 1}, on, new_scratch<host_space>, result(y, sampled), operand(x, s));
      });
  }
}

TEST_CASE("devices: reductions by a thread, by a team and by several teams per result") {
  for (shape const& s : shapes()) {
    auto const x = numbers<double>(s.size()), y = numbers<double>(s.size(), 11);
    for (unsigned dims = 0; dims < 1u << s.rank; ++dims) {
      shape kept = s;
      for (int d = 0; d < s.rank; ++d)
        if (dims >> d & 1) kept[d] = 1;
      INFO(s.size(), " elements, dimensions ", dims);
      auto const same = [&]<class Op>(Op) {
        check_bodies<double>(kept.size(), [&](auto const& on, double* z) {
          kernels::map_reduce<Op>(on, s, dims, z, weighted_sum{}, kernels::contiguous(x.data(), s),
                                  kernels::contiguous(y.data(), s));
        });
      };
      same(op::sum{});
      same(op::max{});
      same(op::min{});
    }
  }
  for (shape const& s : {shape::of(5, 6), shape::of(40, 500), shape::of(3, 20, 300)}) {
    auto const x = numbers<double>(s.size());
    auto const cells = kernels::contiguous(x.data(), s);
    kernels::box inner;
    for (int d = 0; d < s.rank; ++d) {
      inner.lower[d] = 1;
      inner.extent[d] = s[d] - 2;
    }
    check_bodies<double>(1, [&](auto const& on, double* z) {
      kernels::reduce_box<op::sum>(on, inner, s.rank, z, weighted_sum{}, cells, cells);
    });
    // The result is the number, and then the array.
    check_bodies<double>(1 + s.size(), [&](auto const& on, double* z) {
      kernels::written<double> array{z + 1, {}};
      kernels::read_back<double> again;
      again.data = z + 1;
      for (int d = 0; d < s.rank; ++d) array.stride[d] = again.stride[d] = s.stride(d);
      kernels_detail::write_then_read<double, weighted_sum, weighted_sum, 2> const f{};
      CHECK(kernels::write_and_reduce<op::sum>(on, inner, s.rank, z, f, array, cells, cells, again, cells));
    });
  }
}

TEST_CASE("devices: the largest element with its index") {
  for (shape const& s : {shape::of(3, 5, 2), shape::of(4, 70, 3), shape::of(2, 9000, 2)}) {
    auto x = numbers<double>(s.size());
    x[x.size() / 2] = std::numeric_limits<double>::quiet_NaN();
    using E = ops_detail::extremum<double, true>;
    shape const kept = shape::of(s[0], s[2]);
    check_bodies<double>(2 * kept.size(), [&](auto const& on, double* y) {
      std::vector<E> found(static_cast<std::size_t>(kept.size()), E(0));
      run(ops_detail::extremum_op<true, 2u>{}, on, new_scratch<host_space>, result(found.data(), kept), operand(x, s));
      on.fence();
      for (E const& e : found) {
        *y++ = e.value;
        *y++ = static_cast<double>(e.index);
      }
    });
  }
}

TEST_CASE("devices: sums over channels and maps of channels") {
  for (index_t rows : {0, 1, 5, 64, 3001})
    for (index_t channels : {0, 1, 3, 40, 200}) {
      INFO(rows, " x ", channels);
      auto const x = numbers<float>(rows * channels), ct = numbers<float>(rows * channels, 11),
                 k = numbers<float>(channels, 7);
      check_bodies<double>(
          2 * channels,
          [&](auto const& on, double* y) {
            kernels_detail::channel_sums<kernels_detail::moment_terms>(on, x.data(), x.data(), rows, channels, k.data(),
                                                                       y);
          },
          1e-6);
      check_bodies<double>(
          2 * channels,
          [&](auto const& on, double* y) {
            kernels_detail::channel_sums<kernels_detail::affine_terms>(on, x.data(), ct.data(), rows, channels,
                                                                       k.data(), y);
          },
          1e-6);
      check_bodies<float>(rows * channels, [&](auto const& on, float* y) {
        kernels::map_channels(on, rows, channels, y, weighted_sum{}, x.data(), k.data());
      });
    }
}

TEST_CASE_TEMPLATE("devices: pooling and its derivative", Max, std::true_type, std::false_type) {
  for (padding edge : {padding::valid, padding::same})
    for (index_t images : {0, 2})
      for (index_t stride : {1, 2})
        for (index_t channels : {0, 1, 5}) {
          kernels::pooled const g{images, {7, 3, stride, 1, edge}, {9, 3, stride, 1, edge}, channels};
          index_t const in = images * 63 * channels, out = images * g.rows.count() * g.columns.count() * channels;
          auto const x = numbers<double>(in), ct = numbers<double>(out, 11);
          check_bodies<double>(out, [&](auto const& on, double* y) {
            kernels_detail::run_pooling<kernels_detail::pool_kernel<double, Max::value>>(on, g, x.data(), y);
          });
          check_bodies<double>(
              in,
              [&](auto const& on, double* y) {
                kernels_detail::run_pooling<kernels_detail::pool_vjp_kernel<double, Max::value>>(on, g, x.data(),
                                                                                                 ct.data(), y);
              },
              1e-15);
        }
}

TEST_CASE("devices: random numbers have the bits of the host's") {
  shape const all = shape::of(9, 50, 6);
  for (index_t const begin : {0, 3})
    for (index_t const block : {0, 2}) {
      region part = region_of(all);
      part.dim[1] = index_set(begin, begin + 20);
      if (block) {
        part.dim[1].block = block;
        part.dim[1].period = 2 * block;
      }
      index_t const n = part.extents().size();
      check_bodies<float>(
          n, [&](auto const& on, float* y) { kernels::fill_uniform(on, y, part, all, prng_key(5), -1.f, 2.f); });
      check_bodies<double>(
          n, [&](auto const& on, double* y) { kernels::fill_normal(on, y, part, all, prng_key(5), 1., 2.); }, 1e-14);
    }
}

TEST_CASE("devices: products of integers by loops, and batches of products one by one") {
  constexpr auto e = layout_detail::parse("bij,bjk->bik");
  for (index_t const batch : {1, 3})
    for (index_t const n : {1, 5, 33}) {
      shape const a = shape::of(batch, n, 7), b = shape::of(batch, 7, 6), c = shape::of(batch, n, 6);
      auto const same = [&]<class T>(T) {
        auto const x = numbers<T>(a.size()), y = numbers<T>(b.size(), 11);
        check_bodies<T>(c.size(), [&](auto const& on, T* z) {
          kernels_detail::contract_call<std::remove_cvref_t<decltype(on)>, T> const call{on, T(2), T(1)};
          call({{e.in[0], a}, {e.in[1], b}, {e.out, c}}, x.data(), y.data(), z);
        });
      };
      same(std::int64_t{});
      same(double{});
    }
}

namespace {
// Five cells, with weights that depend on the direction.
struct five_cells {
  static constexpr auto reach = star(1, 1);
  static constexpr auto kind = linearity::linear;
  ASHLAR_FUNCTION double operator()(auto const& u) const {
    return u(0, 0) + 2 * u(0, -1) + 3 * u(0, 1) + 5 * u(-1, 0) + 7 * u(1, 0);
  }
};
// The same with a weight that depends on the cell.
struct five_cells_by_index {
  static constexpr auto reach = star(1, 1);
  static constexpr auto kind = linearity::linear;
  ASHLAR_FUNCTION double operator()(cell_index<2> const& at, auto const& u) const {
    return static_cast<double>(at[0] + 2 * at[1]) * (u(0, 0) + u(0, -1) - u(1, 0));
  }
};

template <class Cells>
void set_cells(Cells& cells, double const* first, index_t row, index_t step) {
  cells = {first, {row, step}};
}
}  // namespace

TEST_CASE("devices: an exchange of halos packs 14 boxes and adds 20 by one kernel") {
  constexpr shape s = shape::of(4, 5);
  kernels_detail::nest_builder<2> loops;
  loops.add(4, {5, 5});
  loops.add(5, {1, 1});
  std::vector<double> x(20, 1.), y(20, 0.);
  std::vector<kernels_detail::loop_nest<2>> const boxes(21, loops.nest());
  auto const source = reinterpret_cast<unsigned char const*>(x.data());
  std::vector<kernels_detail::field_box> const fields(
      15, {source, reinterpret_cast<unsigned char*>(y.data()), 8, loops.nest()});
  for (std::size_t const n : {std::size_t(14), std::size_t(15)})
    CHECK(heard_in([&] { kernels_detail::copy_fields(device_on_host<1>(), fields.data(), n); }).launched ==
          (n == 14 ? 1 : 2));
  CHECK(y == x);
  for (std::size_t const n : {std::size_t(20), std::size_t(21)})
    CHECK(heard_in([&] {
            kernels_detail::add_boxes(device_on_host<1>(), x.data(), y.data(), s,
                                      std::span<kernels_detail::loop_nest<2> const>(boxes).first(n));
          }).launched == (n == 20 ? 1 : 2));
  CHECK(y == std::vector<double>(20, 42.));
}

TEST_CASE_TEMPLATE("devices: stencils, of one colour, too, and their transposes", F, five_cells, five_cells_by_index) {
  for (shape const& s : {shape::of(0, 4), shape::of(1, 1), shape::of(3, 8), shape::of(40, 301)})
    for (index_t const step : {1, 2}) {
      index_t const rows = s[0], columns = s[1];
      // The cells of the box have neighbours in an array with a border.
      index_t const row = step * (columns + 2), size = row * (rows + 2);
      auto const x = numbers<double>(size);
      using kernel = kernels_detail::stencil_kernel<F, double, 2, double>;
      auto const on_box = [&](double* y) {
        kernel k{{}, {y + row + step}, {row, step}, {rows, columns}, {{3, 5}}, {}};
        set_cells(meta_detail::get<0>(k.operands), x.data() + row + step, row, step);
        return k;
      };
      check_bodies<double>(
          size, [&](auto const& on, double* y) { kernels_detail::run_stencil_kernel(on, on_box(y)); }, 1e-15);
      for (index_t const colour : {0, 1, 2})
        check_bodies<double>(
            size, [&](auto const& on, double* y) { kernels_detail::run_coloured_kernel(on, on_box(y), colour, 3); },
            1e-15);

      // The cells around an interior, in four boxes, by one kernel.
      if (rows >= 3 && columns >= 5) {
        auto const box = [](index_t row_begin, index_t row_end, index_t begin, index_t end) {
          kernels::box b;
          b.lower[0] = row_begin, b.extent[0] = row_end - row_begin;
          b.lower[1] = begin, b.extent[1] = end - begin;
          return b;
        };
        std::array const boundary{box(0, 1, 0, columns), box(rows - 1, rows, 0, columns), box(1, rows - 1, 0, 2),
                                  box(1, rows - 1, columns - 2, columns)};
        check_bodies<double>(
            size,
            [&](auto const& on, double* y) {
              if constexpr (std::is_same_v<std::remove_cvref_t<decltype(on)>, test::host_space>) {
                std::vector<double> all(static_cast<std::size_t>(size));
                kernels_detail::run_stencil_kernel(on, on_box(all.data()));
                for (index_t i = 0; i < rows; ++i)
                  for (index_t j = 0; j < columns; ++j)
                    if (i < 1 || i >= rows - 1 || j < 2 || j >= columns - 2) {
                      index_t const at = row + step + i * row + j * step;
                      y[at] = all[static_cast<std::size_t>(at)];
                    }
              } else {
                CHECK(heard_in([&] { kernels_detail::run_stencil_on_boxes<2>(on, on_box(y), boundary); }).launched ==
                      1);
              }
            },
            1e-15);
        std::vector<double> y(static_cast<std::size_t>(size));
        CHECK(heard_in([&] { kernels_detail::run_stencil_kernel(device_on_host<1>(), on_box(y.data())); }).launched ==
              1);
      }

      using back = kernels_detail::stencil_back_kernel<0, F, double, double, 2, double>;
      check_bodies<double>(
          size,
          [&](auto const& on, double* y) {
            back k{{},          y,           {rows + 2, columns + 2},
                   {row, step}, {1, 1},      {rows + 1, columns + 1},
                   x.data(),    {row, step}, {{2, 4}},
                   {},          {}};
            set_cells(meta_detail::get<0>(k.around), x.data(), row, step);
            if constexpr (back::constant)
              for (int i = 0; i < back::offsets; ++i)
                k.slope[i] = ops_detail::slope_at<0, 2>(F{}, k.offset(i, 0), cell_index<2>{},
                                                        ops_detail::neighbours<double, 2>{});
            kernels_detail::run_stencil_back_kernel(on, k);
          },
          1e-14);
    }
}
