// Complex tensors on real ranks: products with real ones, absolute values and functions, against those of each element.
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/complex.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/item.hpp"
#include "mpi/ops/operations.hpp"
#include "support/host_memory.hpp"

#include <complex>

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

namespace {
using C = Kokkos::complex<double>;
C number(index_t g) { return C(small_number(g, 1), small_number(g, 2)); }
std::complex<double> standard(C z) { return {z.real(), z.imag()}; }
// The numbers of one array are those of the other; by a device's functions, all but their last digit.
template <class T>
bool equal(std::vector<T> const& found, std::vector<T> const& expected) {
  if constexpr (host_reads_tensors) return found == expected;
  bool close = found.size() == expected.size();
  for (std::size_t i = 0; close && i < found.size(); ++i) {
    using std::abs;
    close = abs(found[i] - expected[i]) <= 4e-16 * abs(expected[i]);
  }
  return close;
}
}  // namespace

TEST_CASE("absolute values of complex numbers, and their derivative") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      // One element is 0, and one would overflow if it were squared.
      auto const z = [&](index_t g) { return g == 0 ? C(0) : g == 1 ? C(3e200, -4e200) : number(g); };
      auto const x = tensor_of<C, layout<"x", "y">>(m, e, [&](index_t g, int) { return z(g); });
      std::vector<double> lengths;
      std::vector<C> slopes;
      for (index_t g = 0; g < e.size(); ++g) {
        double const length = std::abs(standard(z(g)));
        lengths.push_back(length);
        slopes.push_back(length > 0 ? C(z(g).real() / length, -z(g).imag() / length) : C(0));
      }
      CHECK(equal(gather_all(abs(x)), lengths));
      static_assert(std::same_as<element_t<decltype(sum(abs(x)))>, double>);
      auto const [total, slope] = value_and_grad<none>([](auto const& a) { return all_reduce(sum(abs(a))); })(x);
      CHECK(equal(gather_all(slope), slopes));
      if (e.size() > 1) CHECK(equal<double>({item(all_reduce(max(abs(x))))}, {std::abs(standard(C(3e200, -4e200)))}));
    }
  });
}

TEST_CASE("exponentials and roots of complex numbers") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      auto const x = tensor_of<C, layout<"x", "y">>(m, e, [&](index_t g, int) { return number(g); });
      auto const far = [&](auto const& y, auto f) {
        auto const expected = tensor_of<C, layout<"x", "y">>(m, e, [&](index_t g, int) {
          std::complex<double> const value = f(standard(number(g)));
          return C(value.real(), value.imag());
        });
        return e.size() == 0 ? 0. : item(all_reduce(max(abs(y - expected))));
      };
      CHECK(far(exp(x), [](auto z) { return std::exp(z); }) < 1e-13);
      CHECK(far(sqrt(x), [](auto z) { return std::sqrt(z); }) < 1e-13);
    }
  });
}
