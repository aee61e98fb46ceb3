#include "ashlar/meta/product.hpp"

using namespace ashlar::meta_detail;

namespace {

struct place {  // neither copied from anything nor converted
  int at;
};
constexpr product<int, place, long> three(1, place{2}, 3L);
static_assert(get<0>(three) == 1 && get<1>(three).at == 2 && get<2>(three) == 3L);
static_assert(three.apply_to([](int a, place b, long c) { return 100 * a + 10 * b.at + static_cast<int>(c); }) == 123);
static_assert(product<>().apply_to([] { return true; }));

constexpr auto five = join(three, product<int, int>(4, 5));
static_assert(five.apply_to([](int, place, long, int d, int e) { return 10 * d + e; }) == 45);

constexpr int written = [] {
  product<int, int> two(1, 2);
  two.apply_to([](int& a, int& b) { a += 10, b += 20; });
  return get<0>(two) + get<1>(two);
}();
static_assert(written == 33);

}  // namespace
