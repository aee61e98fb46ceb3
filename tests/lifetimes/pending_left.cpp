// labels: mpich sanitizers
// pending_left outlives|ended COLLECTIVE: a result of an asynchronous collective that its rank never takes. outlives: on all ranks it is
// alive when the program has ended MPI. ended: rank 1 ends its program with it, while the others wait for theirs.
#include <ashlar/ashlar.hpp>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

using namespace ashlar;

namespace {

using grid = mesh<axis<"x">>;
using rows = layout<"x", none>;
using whole = layout<none, none>;
using sums = partial<whole, "x">;

// Begins a collective, and returns the object that waits for it.
template <class F>
int run(bool outlives, char const* name, F begin) {
  std::optional<environment> env(std::in_place);
  std::optional<device_mesh<grid>> m(MPI_COMM_WORLD);
  int const rank = m->rank();
  auto* const left = new auto(begin(*m));  // never destroyed on the rank that ends
  if (outlives) {
    MPI_Finalize();
    std::string found = "no error";
    try {
      if (rank == 0) (void)left->ready();
      (void)left->wait();
    } catch (error const& e) {
      found = e.what();
    }
    auto* const other = left;
    delete other;
    env.reset();
    if (found.find(std::string("ashlar::") + name + ": MPI is already finalised") != found.npos) return 0;
    std::printf("[rank %d] found: %s\n", rank, found.c_str());
    return 1;
  }
  if (rank == 1) return 0;
  double const since = comm_detail::clock_seconds();
  std::string found = "no error";
  try {
    (void)left->wait();
  } catch (error const& e) {
    found = e.what();
  }
  // A rank whose elements had all been sent has them, and no error. A rank may also hear first of another one's error.
  bool const good =
      comm_detail::clock_seconds() - since < 2 && (found == "no error" || found.find("rank 1") != found.npos ||
                                                   found.find("given up after an error") != found.npos);
  std::printf("[rank %d] %s: %s\n", rank, good ? "good" : "BAD", found.c_str());
  delete left;
  return good ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  bool const outlives = std::string_view(arguments[1]) == "outlives";
  std::string_view const collective = arguments[2];
  auto const ones = [](auto const& m) {
    auto x = make<double, sums>(m, {400, 300});
    fill(x, 1.);
    return x;
  };
  if (collective == "all_reduce")
    return run(outlives, "all_reduce", [&](auto const& m) { return all_reduce_async<"x">(ones(m)); });
  if (collective == "reduce_scatter")
    return run(outlives, "reduce_scatter", [&](auto const& m) { return reduce_scatter_async<"x", 0>(ones(m)); });
  return run(outlives, "all_gather", [](auto const& m) {
    return all_gather_async<"x">(make<double, rows>(m, {400, 300}));
  });
}
