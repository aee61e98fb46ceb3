// Patterns of parameter paths, matched by the compiler.
#include "ashlar/train/strategies/pattern.hpp"

using namespace ashlar;

namespace {

template <std::size_t N, std::size_t M>
constexpr bool found(char const (&pattern)[N], char const (&text)[M]) {
  return train_detail::pattern_found({pattern, N - 1}, {text, M - 1});
}

static_assert(found("kernel", "feature/conv3/kernel") && !found("kernel", "feature/conv3/bias"));
static_assert(found("feature*kernel", "feature/conv3/kernel") && !found("kernel*feature", "feature/kernel"));
static_assert(found("layers/*/up", "layers/11/up/kernel") && !found("layers/*/up", "layers/up/kernel"));
static_assert(found("d.1", "d.1/kernel") && !found("d.1", "d/1/kernel"));
static_assert(found("", "") && found("", "d") && found("*", "") && !found("a*a", "a"));

}  // namespace
