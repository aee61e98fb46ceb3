// NaN and infinity, by their bits and by comparison.
#include "ashlar/meta/nan.hpp"
#include <initializer_list>
#include <limits>

using namespace ashlar::meta_detail;

namespace {

template <class T>
constexpr bool test() {
  using numbers = std::numeric_limits<T>;
  bool holds = is_nan(numbers::quiet_NaN()) && is_nan(-numbers::quiet_NaN()) && !is_finite(numbers::quiet_NaN());
  for (T x : {numbers::infinity(), -numbers::infinity()}) holds = holds && !is_nan(x) && !is_finite(x);
  for (T x : {T(0), T(-1), numbers::max(), numbers::lowest(), numbers::denorm_min()})
    holds = holds && !is_nan(x) && is_finite(x);
  return holds;
}

}  // namespace

static_assert(test<float>());
static_assert(test<double>());
static_assert(!is_nan(7));
