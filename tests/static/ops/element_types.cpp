// The element types of sums of integers and of masks, in dry runs: 64 bits, as in NumPy; and the bytes of their collectives.
#include "ashlar/ops/arrays/compare.hpp"
#include "ashlar/ops/arrays/cumsum.hpp"
#include "ashlar/ops/products/einsum.hpp"
#include "ashlar/ops/math.hpp"
#include "ashlar/ops/arrays/norm.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"x">>;
constexpr grid m{{2}};

// What np.sum, np.prod, np.cumsum and (x.astype(np.int64) ** 2).sum() have for a dtype, and einsum for its sums.
template <class T, class Sum>
constexpr bool test_types() {
  auto const x = make<T, layout<"x", none>>(m, {4, 6});
  auto const has_type = []<class E>(auto const& y, std::type_identity<E>) {
    return std::is_same_v<element_t<decltype(y)>, E>;
  };
  std::type_identity<Sum> const sums;
  std::type_identity<T> const same;
  return has_type(sum(x), sums) && has_type(sum<1>(x, keep_dims), sums) && has_type(prod<0>(x), sums) &&
         has_type(sum_of_squares(x), sums) && has_type(cumsum<0>(x), sums) && has_type(cumsum<1>(x), sums) &&
         has_type(einsum<"ij->j">(x), sums) && has_type(einsum<"ij->ji">(x), same) && has_type(max<0>(x), same) &&
         has_type(min(x), same) && has_type(all_reduce(make<T, partial<layout<none>, "x", op::max>>(m, {3})), same) &&
         has_type(einsum<"ij,kj->ik">(x, make<T, layout<none, none>>(m, {5, 6})), same);
}
static_assert(test_types<bool, std::int64_t>());
static_assert(test_types<signed char, std::int64_t>());
static_assert(test_types<short, std::int64_t>());
static_assert(test_types<int, std::int64_t>());
static_assert(test_types<std::int64_t, std::int64_t>());
static_assert(test_types<long long, long long>());
static_assert(test_types<unsigned char, std::uint64_t>());
static_assert(test_types<unsigned short, std::uint64_t>());
static_assert(test_types<unsigned, std::uint64_t>());
static_assert(test_types<std::uint64_t, std::uint64_t>());
static_assert(test_types<float, float>());
static_assert(test_types<double, double>());

// A mask is 1 byte per element, and a number of its elements 8.
constexpr auto columns = [](auto const& handle) {
  (void)all_reduce(sum<0>(full<float, layout<"x", none>>(handle, {4, 6}, 1.f) > 0.f));
};
static_assert(dry_run(m, columns).bytes_per_rank() == 6 * 8);
constexpr auto running = [](auto const& handle) { (void)cumsum<0>(make<bool, layout<"x", none>>(handle, {4, 6})); };
static_assert(dry_run(m, running).bytes_per_rank() == 6 * 8);

}  // namespace
