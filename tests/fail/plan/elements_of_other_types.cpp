// Elements that no kernel, message or file has, in a dry run. Real ranks say the same (tests/fail/tensor).
// EXPECT: ashlar::make: elements of this type are not supported; write float or double, std::int8_t to std::uint64_t, bool
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
constexpr line m{{2}};

enum class mood { good, bad };
#ifdef ASHLAR_CONTROL
using half = float;
using bhalf = float;
using letter = std::int8_t;
using wide = double;
using shade = unsigned char;
#else
using half = _Float16;
#if defined(__clang__) || __GNUC__ >= 13
using bhalf = __bf16;
#else
using bhalf = _Float16;
#endif
using letter = char;
using wide = long double;
using shade = mood;
#endif

constexpr auto program = [](auto const& m) {
  auto const x = make<half, layout<"x">>(m, {8});
  (void)sum(x * x + x);
  (void)make<bhalf, layout<"x">>(m, {8});
  (void)full<letter, layout<"x">>(m, {8}, 1);
  (void)cast<wide>(make<float, layout<"x">>(m, {8}));
  (void)all_gather<"x">(make<shade, layout<"x">>(m, {8}));
};
void run() { program(m); }
