// Fields of integers that look random, for tests of derivatives of exchanges and stencils.
#pragma once
#include <ashlar/tensor/tensor.hpp>
#include <array>
#include "support/halo_meshes.hpp"

namespace ashlar::test {

struct any_integer {
  index_t seed;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    auto const x = static_cast<std::uint64_t>((seed * 131 + i) * 131 + j + 1) * 0x9e3779b97f4a7c15u;
    return static_cast<double>(static_cast<index_t>(x >> 40) % 41 - 20);
  }
};
template <class L, class M>
auto integers(device_mesh<M> const& m, std::array<index_t, 2> const& n, index_t seed) {
  return generate<double, L>(m, {n[0], n[1]}, any_integer{seed});
}
inline constexpr auto dot = [](auto const& x, auto const& y) { return all_reduce(sum(x * y)); };
double number(auto const& x) { return item(x); }

// Stencils that are linear in the field.
struct cross {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& v) const {
    return 3 * u(-1, 0) - u(1, 0) + 2 * u(0, -1) + 5 * u(0, 1) - 4 * u(0, 0) + 7 * v(0, 0);
  }
};
struct with_index {
  static constexpr auto reach = star(0, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<2> const& at, auto const& u) const {
    return static_cast<double>(at[0] - 2 * at[1]) * u(0, 1) - u(0, -1);
  }
};
struct conduct {  // linear in the field, and in the conductivity
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::multilinear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& k) const {
    return k(0, 0) * (u(-1, 0) + u(1, 0) + 2 * u(0, -1) - u(0, 1));
  }
};

}  // namespace ashlar::test
