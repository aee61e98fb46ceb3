// Products of complex and real tensors on real ranks, against the product of each pair of elements.
#include "ashlar/ops/functions.hpp"
#include "operations.hpp"

using namespace ashlar;
using namespace ashlar::test;

TEST_CASE("a complex tensor times a real one, in both orders") {
  using C = Kokkos::complex<double>;
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      auto const z = [](index_t g) { return C(small_number(g, 1), small_number(g, 2)); };
      auto const a = tensor_of<C, layout<"x", "y">>(m, e, [&](index_t g, int) { return z(g); });
      auto const b = numbers<layout<"x", "y">, double>(m, e);
      std::vector<C> expected;
      for (index_t g = 0; g < e.size(); ++g) expected.push_back(z(g) * double(small_number(g, 0)));
      CHECK(denotes(a * b, expected));
      CHECK(denotes(b * a, expected));
    }
  });
}
