// labels: mpich sanitizers
// The memory of tensors: sizes that cannot be, memory that does not suffice, memory that goes back to the system.
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/memory_use.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

// True if the system knows that the memory at `p` is to have large pages: its flags in /proc/self/smaps contain "hg".
bool asks_for_large_pages(void const* p) {
  std::ifstream maps("/proc/self/smaps");
  auto const at = reinterpret_cast<std::uintptr_t>(p);
  bool here = false;
  for (std::string words; std::getline(maps, words);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream range(words);
    if (range >> std::hex >> begin >> dash >> end && dash == '-') here = begin <= at && at < end;
    if (here && words.starts_with("VmFlags:")) return contains(words + " ", " hg ");
  }
  return false;
}

}  // namespace

TEST_CASE("memory: a large block that no other rank sees asks for large pages") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  index_t const n = index_t{4} << 20;
  auto const large = make<double, layout<"x">>(m, {n * m.size()});
  bool const shared = comm_detail::node_memory::instance().contains(large.data());
  bool const known = ASHLAR_LINUX && std::is_same_v<decltype(large)::memory_space, Kokkos::HostSpace> &&
                     std::filesystem::exists("/sys/kernel/mm/transparent_hugepage");
  CHECK(asks_for_large_pages(large.data() + n / 2) == (!shared && known));
}

TEST_CASE("memory: extents whose elements or bytes cannot be counted are an error on every rank") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  index_t const large = index_t{1} << 62;
  std::string const refused = "ashlar::make: a tensor has less than 2^63 bytes; found extents ";
  constexpr int line = __LINE__ + 1;
  std::string const one = said([&] { (void)make<float, layout<"x">>(m, {large + 8}); });
  CHECK(one == refused + "(4611686018427387912) of elements of 4 bytes; called at memory.cpp:" + std::to_string(line));
  CHECK(contains(said([&] {
                   (void)make<float, layout<"x", none>>(m, {index_t{1} << 32, index_t{1} << 32});
                 }),
                 refused));
  CHECK(contains(said([&] { (void)make<double, layout<none, "x", none>>(m, {large, large, large}); }), refused));
  // A product of tensors that exist may be too large, too.
  auto const column = make<double, layout<"x">>(m, {1});
  CHECK(said([&] { (void)make<double, layout<"x">>(m, {0}); }) == "");
  CHECK(column.extents() == shape::of(1));
}

TEST_CASE("memory: more than the system has is an error that names extents and bytes, and the mesh goes on") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  index_t const p = m.size(), n = (index_t{1} << 50) * p;
  constexpr int line = __LINE__ + 1;
  std::string const text = said([&] { (void)make<double, layout<"x">>(m, {n}); });
  CHECK(
      text ==
      "ashlar::make: the memory does not suffice for a tensor of extents (" + std::to_string(n) +
          "), of which this rank has 1125899906842624 elements of 8 bytes, 9007199254740992 bytes in all; called at memory.cpp:" +
          std::to_string(line));
  CHECK(contains(said([&] { (void)pool::allocate(std::size_t{1} << 57); }), "ashlar: the memory does not suffice"));
  auto x = make<double, layout<"x">>(m, {p});
  fill(x, 1.);
  CHECK(x.local_size() == 1);
}

TEST_CASE("memory: of tensors that grow, one at a time, at most twice the last is held") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  std::size_t const before = pool::held();
  double last = 0;
  for (double n = 100000; n < 2e7 / m.size(); n *= 1.25) {
    auto x = make<double, layout<"x">>(m, {static_cast<index_t>(n) * m.size()});
    fill(x, 1.);
    last = n * sizeof(double);
  }
  CHECK(static_cast<double>(pool::held()) <= static_cast<double>(before) + 2.5 * last + (64 << 20));
}

TEST_CASE("memory: a bound that tensors exceed on one rank is an error on every rank") {
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
  reset_peak_memory();
  std::size_t const before = memory_in_use().bytes;
  require_peak_memory(m.communicator(), before);
  int const n = testing::rank() == testing::ranks() - 1 ? 1 << 20 : 1;
  auto const x = make<double, layout<none>>(device_mesh<line>(MPI_COMM_SELF, {1}), {n});
  std::string const text = said([&] { require_peak_memory(m.communicator(), before + 1000); });
  CHECK_MESSAGE(contains(text, "ashlar::require_peak_memory: a rank takes "), text);
  CHECK_MESSAGE(contains(text, " bytes, more than the bound of " + std::to_string(before + 1000) +
                                   "; keep less, or raise the bound"),
                text);
}

TEST_CASE("memory: large blocks that are made one after the other begin at different places of a page") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  std::vector<decltype(make<double, layout<"x">>(m, {1}))> blocks;
  std::set<std::uintptr_t> places;
  for (int i = 0; i < 8; ++i) {
    blocks.push_back(make<double, layout<"x">>(m, {(index_t{5} << 15) * m.size()}));
    places.insert(reinterpret_cast<std::uintptr_t>(blocks.back().data()) % 4096);
  }
  // Memory that no other rank sees is the system's allocator's.
  if (comm_detail::node_memory::instance().contains(blocks[0].data())) CHECK(places.size() == 8);
  CHECK(places.size() > 2);
}
