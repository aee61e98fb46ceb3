// 200 gradients of 4 KiB, summed over the ranks: one message for all of them beside a call for each, and beside what an
// expert writes, one buffer with copies in and out.
#include <ashlar/tensor/tensor.hpp>

#include <array>
#include <cstring>

#include "race.hpp"

namespace {

using namespace ashlar;
using namespace bench;
using line = mesh<axis<"x">>;

constexpr std::size_t tensors = 20 * 10;
constexpr index_t elements = 1024;

// 20 groups of 10, as the parameters of a model are a tree.
template <class F, std::size_t... I>
auto tuple_of(F f, std::index_sequence<I...>) {
  return std::tuple{f(static_cast<index_t>(I))...};
}
template <class F>
auto make_all(F f) {
  return tuple_of(
      [&](index_t group) {
        return tuple_of([&](index_t i) { return f(10 * group + i); }, std::make_index_sequence<10>{});
      },
      std::make_index_sequence<20>{});
}

float summand(index_t tensor, index_t i, int rank) { return static_cast<float>((tensor * 31 + i * 7 + rank * 3) % 64); }

auto gradients(device_mesh<line> const& m) {
  return make_all([&](index_t t) {
    auto g = make<float, partial<layout<none>, "x">>(m, {elements});
    for (index_t i = 0; i < elements; ++i) g.data()[i] = summand(t, i, m.rank());
    return g;
  });
}

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  races all("bundles", argc, argv);
  std::string const what = "all_reduce 200 x 4 KiB";
  if (ranks == 1 || !all.wants(what)) return;
  device_mesh<line> const m(MPI_COMM_WORLD, {ranks});
  auto const mpi = mesh_over_mpi<line>({ranks});
  auto const ours = gradients(m), over_mpi = gradients(mpi);

  auto const sum = [&](index_t t, index_t i) {
    float s = 0;
    for (int r = 0; r < ranks; ++r) s += summand(t, i, r);
    return s;
  };
  auto const right = [&](index_t t, float const* found) {
    for (index_t i = 0; i < elements; ++i)
      if (found[i] != sum(t, i)) return false;
    return true;
  };
  auto const by_ashlar = [&](std::string name, device_mesh<line> const& on, auto const& g) {
    return variant{std::move(name), transport_of(on),
                   [&g] {
                     auto const reduced = all_reduce<"x">(bundle(g));
                     escape(tensor_detail::cells_of(ops_detail::first_leaf(reduced)));
                   },
                   [&g, &right] {
                     auto const reduced = all_reduce<"x">(bundle(g));
                     index_t t = 0;
                     bool all_right = true;
                     for_each_leaf([&](auto const& x) { all_right = right(t++, x.data()) && all_right; }, reduced);
                     return all_right;
                   }};
  };
  std::vector<std::vector<float>> from(tensors, std::vector<float>(elements)), to = from;
  for (std::size_t t = 0; t < tensors; ++t)
    for (std::size_t i = 0; i < from[t].size(); ++i)
      from[t][i] = summand(static_cast<index_t>(t), static_cast<index_t>(i), m.rank());
  std::vector<float> bundle_in_flight(tensors * elements);
  constexpr auto bytes = static_cast<std::size_t>(elements) * sizeof(float);
  auto const hand = [&](std::string name, std::function<void()> work) {
    return variant{std::move(name), "mpi", work, [&, work] {
                     for (auto& t : to) std::fill(t.begin(), t.end(), -1.f);
                     work();
                     for (std::size_t t = 0; t < tensors; ++t)
                       if (!right(static_cast<index_t>(t), to[t].data())) return false;
                     return true;
                   }};
  };
  all.race(what, {by_ashlar("ashlar", m, ours), by_ashlar(ashlar_over_mpi, mpi, over_mpi),
                  hand("MPI: 200 MPI_Allreduce",
                       [&] {
                         for (std::size_t t = 0; t < tensors; ++t)
                           MPI_Allreduce(from[t].data(), to[t].data(), elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
                       }),
                  hand("hand: copies and one MPI_Allreduce", [&] {
                    for (std::size_t t = 0; t < tensors; ++t)
                      std::memcpy(&bundle_in_flight[t * elements], from[t].data(), bytes);
                    MPI_Allreduce(MPI_IN_PLACE, bundle_in_flight.data(), static_cast<int>(bundle_in_flight.size()),
                                  MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
                    for (std::size_t t = 0; t < tensors; ++t)
                      std::memcpy(to[t].data(), &bundle_in_flight[t * elements], bytes);
                  })});
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return run([&] { measure(argc, argv); });
}
