// Elementwise functions take tensors with halos in any state but sums, and give the owned cells new values: an unfilled halo.
#include <complex>
#include <tuple>
#include <type_traits>
#include "ashlar/layout.hpp"

using namespace ashlar;
using namespace ashlar::nn;

namespace {

constexpr abstract_mesh<mesh<axis<"p">>> m({{2}});
using H = layout<halo("p", 1), none>;
template <class L, class T = float>
constexpr auto field = make<T, L>(m, {8, 8});

constexpr auto of_one = std::tuple(
    [](auto const& x) { return abs(x); }, [](auto const& x) { return exp(x); }, [](auto const& x) { return log(x); },
    [](auto const& x) { return sqrt(x); }, [](auto const& x) { return square(x); },
    [](auto const& x) { return sin(x); }, [](auto const& x) { return cos(x); }, [](auto const& x) { return tan(x); },
    [](auto const& x) { return tanh(x); }, [](auto const& x) { return floor(x); },
    [](auto const& x) { return pow(x, 2.f); }, [](auto const& x) { return relu(x); },
    [](auto const& x) { return leaky_relu(x, 0.1f); }, [](auto const& x) { return sigmoid(x); },
    [](auto const& x) { return silu(x); }, [](auto const& x) { return gelu(x); },
    [](auto const& x) { return gelu_tanh(x); }, [](auto const& x) { return -x; }, [](auto const& x) { return 2.f * x; },
    [](auto const& x) { return x > 0.f; }, [](auto const& x) { return cast<double>(x); },
    [](auto const& x) { return dropout(x, 0.5f, prng_key{1}); });
constexpr auto of_two =
    std::tuple([](auto const& x, auto const& y) { return x + y; }, [](auto const& x, auto const& y) { return x - y; },
               [](auto const& x, auto const& y) { return x * y; }, [](auto const& x, auto const& y) { return x / y; },
               [](auto const& x, auto const& y) { return x == y; },
               [](auto const& x, auto const& y) { return where(x < y, x, y); },
               [](auto const& x, auto const& y) { return maximum(x, y); },
               [](auto const& x, auto const& y) { return minimum(x, y); },
               [](auto const& x, auto const& y) { return atan2(x, y); });
constexpr auto of_complex = std::tuple([](auto const& z) { return real(z); }, [](auto const& z) { return imag(z); },
                                       [](auto const& z) { return conj(z); }, [](auto const& z) { return abs(z); });

template <class... X, class... F>
constexpr bool all_unfilled(std::tuple<F...> const& functions, X const&... x) {
  return std::apply([&](auto const&... f) { return (std::is_same_v<layout_t<decltype(f(x...))>, H> && ...); },
                    functions);
}
template <class L>
constexpr bool takes_all_states() {
  return all_unfilled(of_one, field<L>) && all_unfilled(of_two, field<L>, field<H>) &&
         all_unfilled(of_two, field<L>, field<layout<"p", none>>) &&
         all_unfilled(of_complex, field<L, std::complex<float>>);
}
static_assert(std::is_same_v<layout_t<decltype(stop_gradient(field<fresh<H>>))>, fresh<H>>);
static_assert(takes_all_states<fresh<H>>() && takes_all_states<H>() && takes_all_states<fresh<H, corners::skipped>>());

// Reductions count each owned cell once, as those of the layout without a halo.
constexpr auto reductions = std::tuple([](auto const& x) { return sum(x); }, [](auto const& x) { return sum<1>(x); },
                                       [](auto const& x) { return mean<0>(x); }, [](auto const& x) { return max(x); },
                                       [](auto const& x) { return min<1>(x); }, [](auto const& x) { return prod(x); });
template <class L>
constexpr bool reduces_as_without() {
  return std::apply(
      [](auto const&... f) {
        return (std::is_same_v<decltype(f(field<L>)), decltype(f(field<layout<"p", none>>))> && ...);
      },
      reductions);
}
static_assert(reduces_as_without<fresh<H>>() && reduces_as_without<H>() &&
              reduces_as_without<fresh<H, corners::skipped>>());

}  // namespace
