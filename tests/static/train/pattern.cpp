// Patterns of parameter paths, matched by the compiler.
#include "ashlar/train/pattern.hpp"

using namespace ashlar;

namespace {

template <std::size_t N, std::size_t M>
constexpr bool found(char const (&pattern)[N], char const (&text)[M]) {
  return train_detail::pattern_found({pattern, pattern + N - 1}, {text, text + M - 1});
}

static_assert(found("kernel", "feature/conv3/kernel") && !found("kernel", "feature/conv3/bias"));
static_assert(found("feature.*kernel", "feature/conv3/kernel") && !found("feature.+/kernel", "feature/kernel"));
static_assert(found("d[12]/", "net/d2/bias") && !found("d[12]/", "net/d3/bias"));
static_assert(found("d[^0-9/]", "d1/dx") && !found("d[^0-9/]", "d1/d/"));
static_assert(found("d[a-]", "d-") && found("d[-a]", "d-") && !found("d[a-]", "db"));
static_assert(found("d1/bias|d2/bias", "d2/bias") && found("|x", "d") && !found("a?b+|c", "a"));
static_assert(found("", "") && found("", "d") && !found(".", ""));

}  // namespace
