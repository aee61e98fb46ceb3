// The sizes of workspaces, for the numbers by which routines ask for them.
#include "ashlar/linalg/workspace_size.hpp"

using ashlar::linalg_detail::workspace_size;

static_assert(workspace_size(1000.) == 1000);
static_assert(workspace_size(1000.F) == 1000);
static_assert(workspace_size(std::complex<double>(1000, 7)) == 1000);
static_assert(workspace_size(1000., 24) == 1024);
static_assert(workspace_size(0.) == 1);  // a vector of no elements has no address

// Every integer up to 2^24 is a float. Above, a size is at least as large as each integer that rounds to the float.
static_assert(workspace_size(16777215.F) == 16777215);
constexpr bool holds_what_is_rounded(int n) {
  auto const size = workspace_size(static_cast<float>(n));
  return size && *size >= n;
}
constexpr bool hold_what_is_rounded(int first, int count) {
  for (int i = 0; i < count; ++i)
    if (!holds_what_is_rounded(first + i)) return false;
  return true;
}
static_assert(static_cast<float>(16777217) == 16777216.F);
static_assert(hold_what_is_rounded(16777215, 300));
static_assert(hold_what_is_rounded((1 << 30) - 200, 400));
static_assert(hold_what_is_rounded(INT_MAX - 500, 400));  // floats from 2^31 - 64 on are 2^31
static_assert(workspace_size(std::complex<float>(1 << 30)) > 1 << 30);

// What 32 bits hold, and what they do not.
static_assert(workspace_size(2147483647.) == INT_MAX);
static_assert(workspace_size(2147483640., 7) == INT_MAX);
static_assert(!workspace_size(2147483640., 8));
static_assert(!workspace_size(2147483648.));
static_assert(!workspace_size(2147483648.F));
static_assert(!workspace_size(6.4e9));
static_assert(!workspace_size(1e300));
static_assert(!workspace_size(-2147483648.));  // 2^31, as a routine counts that
static_assert(!workspace_size(std::numeric_limits<double>::quiet_NaN()));
static_assert(!workspace_size(1., ashlar::index_t{1} << 40));
