// labels: not_linux
#include <ashlar/comm/collectives/all_gather.hpp>

#include <doctest/doctest.h>

#include "cases.hpp"

using namespace ashlar;
using namespace cases;

namespace {

template <class T>
void check_broadcast(communicator const& c, std::size_t n) {
  CAPTURE(n);
  for (tuning const& how : {tuning{}, tuning{.count_limit = 7}}) {
    CAPTURE(how.count_limit);
    for (int root = 0; root < c.size(); ++root) {
      CAPTURE(root);
      guarded<T> x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = label<T>(std::size_t(c.rank()), i);
      comm::broadcast(c, x.data(), n, root, how);
      CHECK(wrong(x, [&](std::size_t i) { return label<T>(std::size_t(root), i); }) == 0);
      CHECK(x.intact());
    }
  }
}

}  // namespace

TEST_CASE("broadcast: every root, size and type") {
  communicator const c(MPI_COMM_WORLD);
  for (std::size_t n : sizes(c)) check_broadcast<std::int64_t>(c, n);
  check_broadcast<float>(c, 9);
  check_broadcast<double>(c, 9);
  check_broadcast<std::int8_t>(c, 9);
  check_broadcast<std::int16_t>(c, 9);
  check_broadcast<std::int32_t>(c, 9);
  check_broadcast<std::uint8_t>(c, 9);
  check_broadcast<std::uint16_t>(c, 9);
  check_broadcast<std::uint32_t>(c, 9);
  check_broadcast<std::uint64_t>(c, 9);
}
