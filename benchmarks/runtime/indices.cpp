// Rows of a table by index, and their transpose, with and without the check that finds an index outside.
#include <ashlar/tensor/tensor.hpp>

#include <string>

#include "race.hpp"

namespace {

using namespace ashlar;
using namespace bench;
using line = mesh<axis<"x">>;
using by_x = layout<"x", none>;
using whole = layout<none, none>;

struct number_of {
  KOKKOS_FUNCTION float operator()(index_t i, index_t j) const { return static_cast<float>((i * 31 + j * 7) % 64); }
};
struct row_of {
  index_t rows;
  KOKKOS_FUNCTION int operator()(index_t i) const { return static_cast<int>(i * 7919 % rows); }
};

/// As many rows of `width` as make 32 768 elements, from a table of 4096 rows.
void measure_rows(races& all, device_mesh<line> const& m, index_t width) {
  constexpr index_t rows = 4096;
  index_t const count = 32768 / width;
  auto const table = generate<float, whole>(m, {rows, width}, number_of{});
  auto const index = generate<int, layout<"x">>(m, {count}, row_of{rows});
  auto const update = generate<float, by_x>(m, {count, width}, number_of{});
  std::string const size = " " + std::to_string(count) + " rows of " + std::to_string(width);
  // The result, whose elements are counted again by hand.
  auto const variant_of = [](std::string name, auto f, auto right) {
    return variant{std::move(name), "none", [f] { escape_elements(f()); }, [f, right] { return right(f()); }};
  };
  auto const taken = [=](auto const& y) {
    auto const held = y.local_region().dim[0];
    for (index_t i = 0; i < held.size(); ++i)
      for (index_t j = 0; j < width; ++j)
        if (y.data()[i * width + j] != number_of{}(row_of{rows}(held[i]), j)) return false;
    return true;
  };
  std::vector<double> sums(static_cast<std::size_t>(rows * width));
  auto const held = update.local_region().dim[0];
  for (index_t i = 0; i < held.size(); ++i)
    for (index_t j = 0; j < width; ++j)
      sums[static_cast<std::size_t>(row_of{rows}(held[i]) * width + j)] += number_of{}(held[i], j);
  auto const added = [&](auto const& y) {
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (y.data()[i] != static_cast<float>(sums[i])) return false;
    return true;
  };
  if (all.wants("take" + size))
    all.race("take" + size, {variant_of(
                                 "ashlar", [&] { return take(table, index); }, taken),
                             variant_of(
                                 "limit: without the check", [&] { return take(table, index, drop_outside); }, taken)});
  if (all.wants("scatter_add" + size))
    all.race("scatter_add" + size,
             {variant_of(
                  "ashlar", [&] { return scatter_add(update, index, table); }, added),
              variant_of(
                  "limit: without the check", [&] { return scatter_add(update, index, table, drop_outside); }, added)});
}

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  races all("indices", argc, argv);
  device_mesh<line> const m(MPI_COMM_WORLD, {ranks});
  for (index_t const width : {1, 8, 64}) measure_rows(all, m, width);
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  ashlar::environment const env(argc, argv);
  return bench::run([&] { measure(argc, argv); });
}
