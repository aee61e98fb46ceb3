// What it costs that ranks compare what they call, beside collectives of 64 KiB. Only MPI's own collectives need such comparisons
// (comm::tuned.agree_every), so all collectives here are made of them: where ranks exchange messages or read each other's memory,
// calls are compared on the way. The usual number of collectives between two comparisons may cost less than the spread of the times;
// a comparison before every collective costs so many times as much.
#include <ashlar/tensor/tensor.hpp>

#include "elements.hpp"
#include "race.hpp"

namespace {

using namespace ashlar;
using namespace bench;
using line = mesh<axis<"x">>;
using sum = partial<layout<none, none>, "x">;
using rows = layout<"x", none>;

// Whole numbers, whose sums are exact in float.
float element(index_t i, index_t j) { return static_cast<float>((31 * i + 7 * j) % 101 - 50); }

// `collective` of a tensor of so many rows of 128, whose elements are `element`, or where sums are partial, on each rank one more than on the
// rank before.
template <class L, class Collective>
void race(races& all, device_mesh<line> const& m, std::string const& what, index_t n, Collective collective) {
  if (!all.wants(what)) return;
  constexpr bool partial_sum = std::is_same_v<L, sum>;
  int const p = m.size();
  auto x = make<float, L>(m, {n, 128});
  for_each_element(
      x, [&](float& e, index_t i, index_t j) { e = element(i, j) + static_cast<float>(partial_sum ? m.rank() : 0); });
  auto const correct = [x, collective, p] {
    bool right = true;
    for_each_element(collective(x), [&](float e, index_t i, index_t j) {
      right = right && e == (partial_sum ? static_cast<float>(p) * element(i, j) + static_cast<float>(p * (p - 1) / 2)
                                         : element(i, j));
    });
    return right;
  };
  auto const every = [&](std::string name, std::uint64_t collectives) {
    return variant{std::move(name), transport_of(m), [x, collective] { escape_elements(collective(x)); }, correct,
                   [collectives] { comm::tuned.agree_every = collectives; }};
  };
  std::uint64_t const usual = comm::tuning{}.agree_every;
  all.race(what, {every("ashlar", usual), every("ashlar: no comparisons", 0),
                  every("ashlar: a comparison before every collective", 1)});
  comm::tuned.agree_every = usual;
}

void measure(int argc, char** argv) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  races all("agreement", argc, argv);
  if (ranks == 1) return;  // nothing moves
  comm::tuned.forced = comm::algorithm::mpi;
  auto const m = mesh_over_mpi<line>({ranks});
  race<sum>(all, m, "all_reduce 64 KiB", 128, [](auto const& x) { return all_reduce<"x">(x); });
  race<rows>(all, m, "all_gather 64 KiB", 128, [](auto const& x) { return all_gather<"x">(x); });
  race<sum>(all, m, "reduce_scatter 64 KiB", 128, [](auto const& x) { return reduce_scatter<"x", 0>(x); });
  race<rows>(all, m, "all_to_all 64 KiB", 128 * ranks, [](auto const& x) { return all_to_all<"x", 1>(x); });
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return run([&] { measure(argc, argv); });
}
