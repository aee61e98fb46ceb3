// labels: mpich
// ends_early mpi|kokkos: tensors before Kokkos begins, and after the program has ended MPI, or Kokkos, under them. Each can begin
// once in a process, so this is no case among others.
#include <ashlar/ashlar.hpp>

#include <cstdio>
#include <optional>
#include <string_view>

using namespace ashlar;

namespace {

int failures = 0;

// Calls what must end in an error that says so.
template <class F>
void refuses(char const* what, std::string_view sentence, F f) {
  std::string found = "no error";
  try {
    f();
  } catch (error const& e) {
    found = e.what();
  }
  if (found.find(sentence) != found.npos) return;
  std::printf("%s: expected '%s', found '%s'\n", what, sentence.data(), found.c_str());
  ++failures;
}

using grid = mesh<axis<"x">>;
using rows = layout<"x", none>;

sharded_tensor<float, rows, grid> make_rows(device_mesh<grid> const& m) { return make<float, rows>(m, {5, 3}); }

}  // namespace

int main(int argc, char** argv) {
  bool const mpi_ends = argc > 1 && std::string_view(argv[1]) == "mpi";
  refuses("a mesh before MPI", "ashlar::communicator: MPI is not initialised",
          [] { device_mesh<grid> const m(MPI_COMM_WORLD); });
  MPI_Init(nullptr, nullptr);
  std::optional<device_mesh<grid>> m(MPI_COMM_WORLD);
  refuses("a tensor before Kokkos", "ashlar::make: Kokkos is not initialised", [&] { make_rows(*m); });

  std::optional<environment> env(std::in_place);
  std::optional<sharded_tensor<float, rows, grid>> x(make_rows(*m));
  bool const several = m->size() > 1;
  auto const gathered = [&] { return plan_detail::materialize(all_gather<"x">(*x)); };
  if (gathered().local_size() != 15) ++failures;

  if (mpi_ends) {
    MPI_Finalize();
    if (several) {
      constexpr char const* sentence = ": MPI is already finalised";
      auto const sum = [&] { return plan_detail::materialize(all_reduce(mean(*x))); };
      refuses("a collective after MPI", std::string("ashlar::all_gather") + sentence, gathered);
      refuses("a collective that is tiny", std::string("ashlar::all_reduce") + sentence, sum);
      refuses("a collective begun", std::string("ashlar::all_gather") + sentence,
              [&] { (void)all_gather_async<"x">(*x).wait(); });
      refuses("an agreement", sentence, [&] { comm::collectively(m->communicator(), [] {}); });
      refuses("no collective, but a call of all", std::string("ashlar::gather") + sentence, [&] { (void)gather(*x); });
    } else if (gathered().local_size() != 15) {  // a rank alone needs no MPI
      ++failures;
    }
    refuses("a mesh after MPI", "ashlar::communicator: MPI is not initialised or already finalised",
            [] { device_mesh<grid> const late(MPI_COMM_WORLD); });
    refuses("an environment after MPI", "ashlar::mpi_environment: MPI is already finalised",
            [] { environment const late; });
    env.reset();
  } else {
    env.reset();
    refuses("a tensor after Kokkos", "ashlar::make: Kokkos is not initialised, or already finalised",
            [&] { make_rows(*m); });
    refuses("a result after Kokkos", "ashlar::make: Kokkos is not initialised, or already finalised",
            [&] { (void)plan_detail::materialize(*x + 1.0f); });
    refuses("an environment after Kokkos", "ashlar::environment: Kokkos is already finalised",
            [] { environment const late; });
    m.reset();
    MPI_Finalize();
  }
  x.reset();  // outlives both
  return failures;
}
