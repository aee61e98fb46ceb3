// What a reader may hold of memory while it looks at an input.
#pragma once
#include <sanitizer/allocator_interface.h>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

inline void require(bool condition, char const* what) {
  if (condition) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  std::abort();
}

/// Counts what is allocated while it lives; reaching more than the limit ends the program.
class memory_limit {
 public:
  explicit memory_limit(std::size_t bytes) {
    static int const installed = __sanitizer_install_malloc_and_free_hooks(
        [](void const volatile*, std::size_t n) {
          if (!watching) return;
          held += static_cast<std::ptrdiff_t>(n);
          if (held > limit) {
            watching = false;
            require(false, "memory stays below the size of the file and 16 MB");
          }
        },
        [](void const volatile* p) {
          if (watching && p)
            held -= static_cast<std::ptrdiff_t>(__sanitizer_get_allocated_size(const_cast<void const*>(p)));
        });
    require(installed > 0, "the sanitizer tells of allocations");
    held = 0;
    limit = static_cast<std::ptrdiff_t>(bytes);
    watching = true;
  }
  memory_limit(memory_limit const&) = delete;
  memory_limit& operator=(memory_limit const&) = delete;
  ~memory_limit() { watching = false; }

 private:
  static inline std::ptrdiff_t held = 0, limit = 0;
  static inline bool watching = false;
};
